// The ids and sizes of a work-item in a launch that is interpreted.
#pragma once

#include <cstdint>

#include "compiler/ir/interpret.h"

namespace manyrt::compiler::ir {

// `d`: the dimension that is asked for.
uint64_t workItem(const Run& run, const uint64_t group[3], const uint64_t local[3], WorkItem which, uint64_t d);

}  // namespace manyrt::compiler::ir
