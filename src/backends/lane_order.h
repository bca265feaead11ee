// Steps that are spread over lanes: what has to stand between the lanes for each step to come behind what it waits for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace manyrt::backend {

struct LaneStep {
  uint32_t lane;
  std::span<const uint32_t> before;  // earlier steps that it waits for
};

constexpr uint32_t kNoPoint = UINT32_MAX;

struct LaneOrder {
  std::vector<uint32_t> waits;  // points of other lanes, ahead of the step
  uint32_t point = kNoPoint;    // that stands behind the step
};

// A point behind each step that another lane waits for, numbered from 0 to `points`, and of the waits those that do not follow
// from what the lane has waited for already.
std::vector<LaneOrder> orderLanes(std::span<const LaneStep> steps, uint32_t* points);

}  // namespace manyrt::backend
