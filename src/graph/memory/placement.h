// Offsets for the vertices of an interference graph, given one after another: the order decides how good they are. Called by
// planMemory.
#pragma once

#include "graph/memory/interference.h"

namespace manyrt::graph {

struct Placement {
  std::vector<uint64_t> offset;  // by vertex
  uint64_t bytes = 0;
};

// In the order of vertices, which is by size, each in the smallest gap that it fits. Throws bad_alloc.
Placement placeLargestFirst(const InterferenceGraph& graph);

// Local search: makes `best`, which came of placeLargestFirst and is never under `least`, smaller where it finds how. Bounded
// by counted work, never by time. Throws bad_alloc.
void improve(Placement* best, uint64_t least, const InterferenceGraph& graph);

}  // namespace manyrt::graph
