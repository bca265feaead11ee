// Which steps of a plan share a stream: a branch is a chain of steps that run one after another. A plain algorithm over
// numbers, whose result is a function of its input alone. Called once for each plan.
#pragma once

#include "graph/model/order.h"

namespace manyrt::graph {

// A branch for each step, in which steps keep their order: chains, of which there are as many as the graph is wide, `most` at
// most.
std::vector<uint32_t> branchesOf(const Before& reduced_before, const Ancestors& ancestors, uint32_t most, uint32_t* count);

}  // namespace manyrt::graph
