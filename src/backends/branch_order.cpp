// For each branch, how far the others are when it has waited; a step hands on what its branch knew.
#include "backends/branch_order.h"

#include <algorithm>

namespace manyrt::backend {

std::vector<BranchOrder> orderBranches(std::span<const BranchStep> steps, uint32_t* points) {
  uint32_t branches = 0;
  for (const BranchStep& step : steps) branches = std::max(branches, step.branch + 1);
  std::vector<BranchOrder> orders(steps.size());
  // known[branch][other]: the branch comes after this many of the first steps as far as they are the other's.
  std::vector<std::vector<uint32_t>> known(branches, std::vector<uint32_t>(branches, 0)), at(steps.size());
  *points = 0;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    std::vector<uint32_t>& mine = known[steps[i].branch];
    // Latest first: a wait for a late step often covers the earlier ones of the same branch.
    for (size_t k = steps[i].before.size(); k-- > 0;) {
      const uint32_t first = steps[i].before[k];
      const uint32_t other = steps[first].branch;
      if (other == steps[i].branch || mine[other] > first) continue;
      if (orders[first].point == kNoPoint) orders[first].point = (*points)++;
      orders[i].waits.push_back(orders[first].point);
      // The wait hands over what the other branch knew at that step. So no branch waits twice for what it is ordered after
      // already.
      for (uint32_t branch = 0; branch < branches; ++branch) mine[branch] = std::max(mine[branch], at[first][branch]);
    }
    mine[steps[i].branch] = i + 1;
    // A copy for each step: a later wait for this step hands over what was known then, and not what is known now.
    at[i] = mine;
  }
  return orders;
}

}  // namespace manyrt::backend
