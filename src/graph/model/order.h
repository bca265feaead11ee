// Partial orders: plain algorithms over numbers for the dependencies of a graph. They know neither nodes nor streams nor
// devices. Every result is a function of its input alone, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace manyrt::graph {

// For each step the steps that it waits for.
using Before = std::vector<std::vector<uint32_t>>;

// A topological sequence: the smallest number first among those without predecessors left. Shorter than the input if there is a
// circle.
std::vector<uint32_t> sequenceOf(const Before& before);

// The transitive reduction: without the dependencies that follow from others. `before` names only earlier steps. Each list of
// the result is ascending.
Before reduced(Before before);
std::vector<uint32_t> levelsOf(const Before& before);

}  // namespace manyrt::graph
