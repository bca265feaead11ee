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

// In the order of size times conflicts, the most first, each as low as it fits. Throws bad_alloc.
Placement placeByConflicts(const InterferenceGraph& graph);

// From the last step to the first, each as low as it fits; then, twice, upside down in the order in which they lie. Throws
// bad_alloc.
Placement placeBackwards(const InterferenceGraph& graph);

// Local search: makes `best`, which came of placeLargestFirst and is never under `least`, smaller where it finds how. Bounded
// by counted work, never by time: it is for graphs of some hundred vertices and does nothing with more. Throws bad_alloc.
void improve(Placement* best, uint64_t least, const InterferenceGraph& graph);

// The same for graphs of any size, from any placement. Vertices above a limit move below it, where they push others out; the
// limit falls as long as that succeeds. `least` is at least the size of the largest vertex. Throws bad_alloc.
void squeeze(Placement* best, uint64_t least, const InterferenceGraph& graph);

}  // namespace manyrt::graph
