// Rounds of a sweep down the steps, each for as many lifetimes as the sweep has bits, and the ends of lifetimes.
#include "graph/memory/lifetimes.h"

#include <algorithm>
#include <span>

namespace manyrt::graph {

Lifetime LifetimeFinder::find(std::vector<uint32_t> users) {
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  ++turn_;
  Lifetime ends;
  for (uint32_t user : users) {  // a step comes only before larger ones
    bool begins = true;
    for (uint32_t first : before_[user]) {
      if (user_[first] != turn_) continue;
      begins = false;
      followed_[first] = turn_;
    }
    user_[user] = turn_;
    if (begins) ends.begin.push_back(user);
  }
  for (uint32_t user : users) {
    if (followed_[user] != turn_) ends.end.push_back(user);
  }
  return ends;
}

// A lifetime, or with many ends a share of these. It is over after all of `ends`.
struct OverFinder::Part {
  uint32_t item;
  std::span<uint32_t> ends;
};

// One sweep down the steps, with a bit for each of some parts: it is over. A part with several ends has a bit for each end too,
// counted from the last bit down; once a step has all of these it gets the bit of the part.
class OverFinder::Round {
 public:
  explicit Round(size_t steps) : over_by_(steps, kNone), bit_of_(steps, kNone) {}

  // False: there is no room left for the part.
  bool add(const Part& part) {
    const bool several = part.ends.size() > 1;
    uint32_t fresh = 0;
    for (uint32_t end : part.ends) fresh += several && bit_of_[end] == kNone ? 1 : 0;
    if (parts_.size() + 1 + fresh > end_bits_) return false;
    const auto bit = static_cast<uint32_t>(parts_.size());
    OverSweep::set(&all_, bit);
    for (uint32_t end : part.ends) {
      first_ = std::min(first_, end);
      if (!several || bit_of_[end] != kNone) continue;
      bit_of_[end] = --end_bits_;
      OverSweep::set(&all_, end_bits_);
      ends_.push_back(end);
    }
    if (several) {
      several_.push_back(bit);
      next_.push_back(kNone);
    } else {  // parts with the same end form a list
      next_.push_back(over_by_[part.ends[0]]);
      over_by_[part.ends[0]] = bit;
    }
    parts_.push_back(part);
    return true;
  }

  // Visits all steps from the first end up to `end` that come after an end: visit(step, bits of those that are over).
  template <class Visit>
  void run(OverSweep* sweep, const Before& before, uint32_t end, const std::vector<bool>& asked, Visit visit) {
    sweep->run(first_, end, all_, [&](uint32_t step, OverBits* bits) {
      const std::vector<uint32_t>& list = before[step];
      bool fresh = false;
      for (size_t k = list.size(); k-- > 0 && list[k] >= first_;) {
        for (uint32_t bit = over_by_[list[k]]; bit != kNone; bit = next_[bit]) OverSweep::set(bits, bit);
        if (bit_of_[list[k]] == kNone) continue;
        OverSweep::set(bits, bit_of_[list[k]]);
        fresh = true;
      }
      if (fresh || asked[step]) {
        for (uint32_t bit : several_) {
          if (!OverSweep::test(*bits, bit) && afterAll(parts_[bit].ends, *bits)) OverSweep::set(bits, bit);
        }
      }
      if (asked[step]) visit(step, *bits);
    });
  }

  const std::vector<Part>& parts() const { return parts_; }
  void clear() {
    for (const Part& part : parts_) over_by_[part.ends[0]] = kNone;
    for (uint32_t end : ends_) bit_of_[end] = kNone;
    parts_.clear(), several_.clear(), ends_.clear(), next_.clear();
    all_ = {};
    end_bits_ = OverSweep::kBits;
    first_ = UINT32_MAX;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The end that is missing comes first the next time: it is mostly missing there too.
  bool afterAll(std::span<uint32_t> ends, const OverBits& bits) const {
    for (uint32_t& end : ends) {
      if (OverSweep::test(bits, bit_of_[end])) continue;
      std::swap(end, ends.front());
      return false;
    }
    return true;
  }

  std::vector<Part> parts_;                 // the place of a part is its bit
  std::vector<uint32_t> next_;              // of a part with one end, the next one with the same
  std::vector<uint32_t> several_, ends_;    // parts with several ends, and these ends
  std::vector<uint32_t> over_by_, bit_of_;  // of a step: the first part with this end alone, and the bit of the end
  OverBits all_{};
  uint32_t end_bits_ = OverSweep::kBits, first_ = UINT32_MAX;
};

OverFinder::OverFinder(const Before& before, std::vector<Lifetime> lifetimes)
    : before_(before), lifetimes_(std::move(lifetimes)) {}

void OverFinder::run(const std::vector<uint32_t>& order, const Visit& visit) {
  std::vector<bool> begins(before_.size());
  std::vector<std::vector<uint32_t>> beginning(before_.size());  // lifetimes, by step
  uint32_t end = 0;
  for (uint32_t item = 0; item < lifetimes_.size(); ++item) {
    for (uint32_t step : lifetimes_[item].begin) {
      begins[step] = true;
      beginning[step].push_back(item);
      end = std::max(end, step + 1);
    }
  }
  std::vector<OverBits> over(lifetimes_.size());
  std::vector<uint32_t> visits(lifetimes_.size()), items;  // visits of the first users
  OverSweep sweep(before_);
  Round round(before_.size());
  const auto finish = [&] {
    for (OverBits& bits : over) bits.fill(~uint64_t{0});
    std::fill(visits.begin(), visits.end(), 0);
    round.run(&sweep, before_, end, begins, [&](uint32_t step, const OverBits& bits) {
      for (uint32_t item : beginning[step]) {
        ++visits[item];
        for (size_t w = 0; w < bits.size(); ++w) over[item][w] &= bits[w];
      }
    });
    for (uint32_t item = 0; item < lifetimes_.size(); ++item) {
      if (visits[item] != lifetimes_[item].begin.size()) over[item] = {};  // a first user comes after none of them
    }
    items.clear();
    for (const Part& part : round.parts()) items.push_back(part.item);
    round.clear();
    visit(items, over);
  };
  for (uint32_t item : order) {
    const std::span<uint32_t> all(lifetimes_[item].end);
    for (size_t at = 0; at < all.size(); at += kMostEnds) {
      const Part part{item, all.subspan(at, std::min(kMostEnds, all.size() - at))};
      if (round.add(part)) continue;
      finish();
      (void)round.add(part);
    }
  }
  finish();
}

}  // namespace manyrt::graph
