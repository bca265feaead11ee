// When temporaries begin and end, by the users at their ends, and which of them are over when others begin. Used by the
// interference graph and, where there are too many temporaries for one, by placeInSequence.
#pragma once

#include <functional>
#include <vector>

#include "graph/model/sweep.h"

namespace manyrt::graph {

// The users that may be the first and the last ones: no other user comes directly before the first or after the last ones. All
// users of another temporary come before those in `begin` alone exactly if they come before all users; the same with `end`.
// Ascending.
struct Lifetime {
  std::vector<uint32_t> begin, end;
};

class LifetimeFinder {
 public:
  explicit LifetimeFinder(const Before& before) : before_(before), user_(before.size()), followed_(before.size()) {}
  Lifetime find(std::vector<uint32_t> users);

 private:
  const Before& before_;
  uint32_t turn_ = 0;
  std::vector<uint32_t> user_, followed_;  // the turn in which the step was a user, and was followed by one
};

using OverSweep = Sweep<8>;
using OverBits = OverSweep::Bits;

// Sweeps find for each step what is over. A lifetime is over when another one begins if it is over for all steps of that begin.
class OverFinder {
 public:
  // visit(items, over): bit i of over[k] says that lifetime items[i] is over when lifetime k begins. If a lifetime has more
  // than kMostEnds ends, several items are shares of it, and it is over where all of them are.
  using Visit = std::function<void(const std::vector<uint32_t>& items, const std::vector<OverBits>& over)>;

  OverFinder(const Before& before, std::vector<Lifetime> lifetimes);
  static constexpr size_t kMostEnds = OverSweep::kBits / 2;  // of an item
  // In rounds, each for some hundred of the lifetimes that `order` names, in this order.
  void run(const std::vector<uint32_t>& order, const Visit& visit);

 private:
  class Round;
  struct Part;

  const Before& before_;
  std::vector<Lifetime> lifetimes_;
};

}  // namespace manyrt::graph
