// For each lane, how far the others are when it has waited; a step hands on what its lane knew.
#include "backends/lane_order.h"

#include <algorithm>

namespace manyrt::backend {

std::vector<LaneOrder> orderLanes(std::span<const LaneStep> steps, uint32_t* points) {
  uint32_t lanes = 0;
  for (const LaneStep& step : steps) lanes = std::max(lanes, step.lane + 1);
  std::vector<LaneOrder> orders(steps.size());
  // known[lane][other]: the lane comes behind this many of the first steps as far as they are the other's.
  std::vector<std::vector<uint32_t>> known(lanes, std::vector<uint32_t>(lanes, 0)), at(steps.size());
  *points = 0;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    std::vector<uint32_t>& mine = known[steps[i].lane];
    for (size_t k = steps[i].before.size(); k-- > 0;) {
      const uint32_t first = steps[i].before[k];
      const uint32_t other = steps[first].lane;
      if (other == steps[i].lane || mine[other] > first) continue;
      if (orders[first].point == kNoPoint) orders[first].point = (*points)++;
      orders[i].waits.push_back(orders[first].point);
      for (uint32_t lane = 0; lane < lanes; ++lane) mine[lane] = std::max(mine[lane], at[first][lane]);
    }
    mine[steps[i].lane] = i + 1;
    at[i] = mine;
  }
  return orders;
}

}  // namespace manyrt::backend
