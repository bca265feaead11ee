// The ids and sizes of a work-item in a launch that is interpreted, and where the items of a group stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir/interpret.h"

namespace manyrt::compiler::ir {

// `d`: the dimension that is asked for.
uint64_t workItem(const Run& run, const uint64_t group[3], const uint64_t local[3], WorkItem which, uint64_t d);

// From an item of a group to its neighbour along a dimension, and its id there.
size_t strideOf(const Run& run, size_t d);
uint64_t idOf(const Run& run, size_t item, size_t d);
// For `items` whose vectors go together: the first items of the vectors that go with the one of `item`; none: the group has
// fewer.
std::vector<size_t> vectorsTogether(const Run& run, const Instruction& items, size_t item);

}  // namespace manyrt::compiler::ir
