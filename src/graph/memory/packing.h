// Places for temporaries within a given number of bytes, by trying. Every packing can be pushed down until each tenant lies at
// the bottom or on another one, and is then found by putting tenants down in the order of their places, each as low as those
// before it allow. The search walks that tree, and turns back where a crowd no longer fits below the end.
#pragma once

#include <span>

#include "graph/memory/crowds.h"

namespace manyrt::graph {

// Whom a walk takes first among those that may be next: the lowest place, less these, in parts of the mean size.
struct PackingTaste {
  double conflicts;  // for each one it has
  double size;       // for its own, in parts of that
  double chance;     // as much as a number of a fixed sequence says
};

class Packing {
 public:
  Packing(const Tenants& tenants, const Crowds& crowds);

  // Whether all fit into `most` bytes; then `places` are theirs. Gives up when `work` is used up: things that were looked at,
  // never time, so that the same tenants always get the same places.
  bool find(uint64_t most, const PackingTaste& taste, uint64_t* work);
  const std::vector<uint64_t>& places() const { return floor_; }
  uint64_t bytes() const;  // that the places take

 private:
  struct Turn {
    uint32_t tenant;
    size_t raised, sunk, candidates;  // how many there were before
    size_t next;                      // candidate; the list of the last turn goes to the end
  };
  struct Before {
    uint32_t index;
    uint64_t value;
  };
  struct Candidate {
    double key;
    uint32_t tenant;
  };

  void begin(const PackingTaste& taste);
  bool fits(uint64_t level, uint64_t most, uint64_t* lowest_end) const;
  void listCandidates(uint64_t level, uint64_t lowest_end, double chance);
  void put(uint32_t tenant);
  void takeBack(const Turn& turn);
  void touch(uint32_t tenant, uint64_t floor);
  void lookAgain(uint32_t crowd);
  bool isOpen(uint32_t tenant) const { return (open_[tenant / 64] >> (tenant % 64) & 1) != 0; }
  std::span<const uint32_t> crowdsOf(uint32_t tenant) const {
    return {&crowd_list_[crowd_begin_[tenant]], crowd_begin_[tenant + 1] - crowd_begin_[tenant]};
  }

  const Tenants& tenants_;
  const Crowds& crowds_;
  std::vector<uint32_t> crowd_begin_, crowd_list_;  // by tenant
  std::vector<uint32_t> conflicts_;                 // how many each has
  double mean_size_ = 0;

  std::vector<uint64_t> floor_;            // the lowest place that is left; of those that are down: theirs
  std::vector<uint64_t> open_;             // bits of those that are not down
  uint32_t left_ = 0;                      // how many these are
  std::vector<uint64_t> weight_, lowest_;  // by crowd: of its open members, and the lowest floor of these
  std::vector<bool> touched_;
  std::vector<uint32_t> touched_list_;
  std::vector<double> bias_;
  std::vector<Turn> turns_;
  std::vector<Before> raised_, sunk_;  // floors and lowest_ before the turns
  std::vector<Candidate> candidates_;
  uint64_t random_ = 0x9e3779b97f4a7c15;
  uint64_t looked_ = 0;
};

}  // namespace manyrt::graph
