// Which of some steps come before others, without a bit for each pair of steps. A sweep carries a few hundred bits down a
// graph: each step gets the bits of all steps that it waits for, and a visitor adds to them. Sweeps for other bits follow, as
// many as it takes. So the memory grows with the number of steps, not with its square.
//
// Most steps of a graph come before all of some few hundred steps or after all of them. A step with no bit or with every bit
// has no bits in memory, and costs one look at each step that it waits for.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "graph/model/order.h"

namespace manyrt::graph {

template <class Visit>
void forEachBit(uint64_t word, Visit visit) {
  for (; word != 0; word &= word - 1) visit(static_cast<uint32_t>(std::countr_zero(word)));
}

template <size_t kWords>
class Sweep {
 public:
  using Bits = std::array<uint64_t, kWords>;
  static constexpr uint32_t kBits = kWords * 64;

  // Keeps a reference. The visitor of run() may remove steps from the list of the step that it visits.
  explicit Sweep(const Before& before) : before_(before), place_(before.size(), kNothing) {}

  // Visits, in order, the steps from `first` to `end` that wait for another one of these. visit(step, &bits) gets the bits of
  // the steps that it waits for, and adds those that the step hands on. `all`: every bit that may be set; a step with all of
  // them has the last word: visit() is called, and what it adds is not looked at.
  template <class Visit>
  void run(uint32_t first, uint32_t end, const Bits& all, Visit visit) {
    pool_.clear();
    for (uint32_t step = first; step < end; ++step) {
      Bits bits{};
      bool waits = false, full = false;
      uint32_t like = kNothing;  // the place of the bits of one of those steps
      const std::vector<uint32_t>& before = before_[step];
      for (size_t k = before.size(); k-- > 0 && before[k] >= first;) {
        waits = true;
        const uint32_t place = place_[before[k]];
        if (place == kNothing) continue;
        if (place == kAll) {
          full = true;
          break;
        }
        like = place;
        const Bits& theirs = pool_[place];
        for (size_t w = 0; w < kWords; ++w) bits[w] |= theirs[w];
      }
      place_[step] = kNothing;
      if (!waits) continue;
      if (full || bits == all) {
        bits = all;
        visit(step, &bits);
        place_[step] = kAll;
        continue;
      }
      visit(step, &bits);
      if (like != kNothing && bits == pool_[like]) {
        place_[step] = like;
        continue;
      }
      if (bits == Bits{}) continue;
      place_[step] = static_cast<uint32_t>(pool_.size());
      pool_.push_back(bits);
    }
  }

  static void set(Bits* bits, uint32_t bit) { (*bits)[bit / 64] |= uint64_t{1} << (bit % 64); }
  static bool test(const Bits& bits, uint32_t bit) { return (bits[bit / 64] >> (bit % 64) & 1) != 0; }

 private:
  static constexpr uint32_t kNothing = UINT32_MAX, kAll = UINT32_MAX - 1;

  const Before& before_;
  std::vector<uint32_t> place_;  // of a step's bits in the pool
  std::vector<Bits> pool_;
};

}  // namespace manyrt::graph
