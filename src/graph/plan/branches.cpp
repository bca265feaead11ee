// Greedy assignment of steps to branches, in the order of the steps.
#include "graph/plan/branches.h"

#include <algorithm>

namespace manyrt::graph {
namespace {

// For each step and branch: 1 + the number of the branch's last step that comes before the step or is the step itself; 0: none.
class Reached {
 public:
  Reached(size_t steps, uint32_t branches) : branches_(branches), ends_(steps * branches) {}
  void comeAfter(uint32_t first, uint32_t step) {
    for (uint32_t branch = 0; branch < branches_; ++branch) at(step, branch) = std::max(at(step, branch), at(first, branch));
  }
  void join(uint32_t step, uint32_t branch) { at(step, branch) = step + 1; }
  // `last` is the last step of its branch so far.
  bool comesBefore(uint32_t last, uint32_t branch, uint32_t step) { return at(step, branch) == last + 1; }

 private:
  uint32_t& at(uint32_t step, uint32_t branch) { return ends_[size_t{step} * branches_ + branch]; }

  const uint32_t branches_;
  std::vector<uint32_t> ends_;
};

}  // namespace

std::vector<uint32_t> branchesOf(const Before& reduced_before, uint32_t most, uint32_t* count) {
  std::vector<uint32_t> branches(reduced_before.size()), last;  // the last step of each branch
  std::vector<uint32_t> loads;
  Reached reached(reduced_before.size(), most);
  for (uint32_t i = 0; i < reduced_before.size(); ++i) {
    uint32_t branch = UINT32_MAX;
    // First choice: the branch of a predecessor that is the last step there, which needs no wait. Second: a branch whose last
    // step comes before this one anyway. Third: a new branch. Last: the branch with the fewest steps.
    for (uint32_t first : reduced_before[i]) {
      if (last[branches[first]] == first) branch = std::min(branch, branches[first]);
      reached.comeAfter(first, i);
    }
    for (uint32_t each = 0; branch == UINT32_MAX && each < last.size(); ++each) {
      if (reached.comesBefore(last[each], each, i)) branch = each;
    }
    if (branch == UINT32_MAX && last.size() < most) {
      branch = static_cast<uint32_t>(last.size());
      last.push_back(i);
      loads.push_back(0);
    }
    if (branch == UINT32_MAX) branch = static_cast<uint32_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
    branches[i] = branch;
    last[branch] = i;
    ++loads[branch];
    reached.join(i, branch);
  }
  *count = static_cast<uint32_t>(last.size());
  return branches;
}

}  // namespace manyrt::graph
