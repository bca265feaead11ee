// Cliques of the interference graph: what no plan can be smaller than. Called by planMemory.
#pragma once

#include "graph/memory/interference.h"

namespace manyrt::graph {

// The most bytes that are live at one step, if steps ran in the order of their numbers. Temporaries that overlap in one
// possible order conflict, so this is the weight of a clique. In a chain it is the heaviest one.
uint64_t mostLiveInSequence(const InterferenceGraph& graph);

// Takes vertices by size times conflicts, the most first, as long as they conflict with all that were taken. Throws bad_alloc.
std::vector<uint32_t> greedyClique(const InterferenceGraph& graph);

// The heaviest of all; the greedy one where finding it would take too long. Throws bad_alloc.
std::vector<uint32_t> heaviestClique(const InterferenceGraph& graph);

}  // namespace manyrt::graph
