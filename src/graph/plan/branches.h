// Which steps of a plan share a stream: a branch is a chain of steps that run one after another. A plain algorithm over
// numbers; its result is a function of its input alone. Called once for each plan.
#pragma once

#include "graph/model/order.h"

namespace manyrt::graph {

// Returns a branch for each step. A branch is a chain of steps in their order. There are as many as the graph is wide, up to
// `most`.
std::vector<uint32_t> branchesOf(const Before& reduced_before, uint32_t most, uint32_t* count);

}  // namespace manyrt::graph
