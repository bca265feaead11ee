// Greedy assignment of steps to branches, in the order of the steps.
#include "graph/plan/branches.h"

#include <algorithm>

namespace manyrt::graph {

std::vector<uint32_t> branchesOf(const Before& reduced_before, const Ancestors& ancestors, uint32_t most, uint32_t* count) {
  std::vector<uint32_t> branches(reduced_before.size()), last;  // the last step of each branch
  std::vector<uint32_t> loads;
  for (uint32_t i = 0; i < reduced_before.size(); ++i) {
    uint32_t branch = UINT32_MAX;
    // First choice: the branch of a predecessor that is the last step there, which needs no wait. Second: a branch whose last
    // step comes before this one anyway. Third: a new branch. Last: the branch with the fewest steps.
    for (uint32_t first : reduced_before[i]) {
      if (last[branches[first]] == first) branch = std::min(branch, branches[first]);
    }
    for (uint32_t each = 0; branch == UINT32_MAX && each < last.size(); ++each) {
      if (ancestors.comesBefore(last[each], i)) branch = each;
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
  }
  *count = static_cast<uint32_t>(last.size());
  return branches;
}

}  // namespace manyrt::graph
