// Offsets for more temporaries than an interference graph has room for: one after another, in the order in which they begin.
// Called by planMemory.
#pragma once

#include "graph/memory/memory_plan.h"

namespace manyrt::graph {

// Fills in the plan for temporaries with users. The memory that it takes grows with the number of temporaries and steps, not
// with its square. `plan->peak` is a bound that may be far below the heaviest clique. Throws bad_alloc.
void placeInSequence(MemoryPlan* plan, const std::vector<Temporary>& temporaries, const Before& before);

}  // namespace manyrt::graph
