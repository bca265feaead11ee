// Steps that are spread over branches: what has to stand between the branches for each step to come after what it waits for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace manyrt::backend {

struct BranchStep {
  uint32_t branch;
  std::span<const uint32_t> before;  // earlier steps that it waits for
};

constexpr uint32_t kNoPoint = UINT32_MAX;

struct BranchOrder {
  std::vector<uint32_t> waits;  // points of other branches, ahead of the step
  uint32_t point = kNoPoint;    // that stands after the step
};

// The points that a launch needs: one after each step that another branch waits for, numbered from 0 to `points`. A wait
// that follows from an earlier wait of the same branch is left out.
std::vector<BranchOrder> orderBranches(std::span<const BranchStep> steps, uint32_t* points);

}  // namespace manyrt::backend
