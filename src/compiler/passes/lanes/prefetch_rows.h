// Prefetches for vectors whose neighbours in time lie in other rows of memory. A loop goes from row to row, `in[k * rows + i]`,
// or a group of several rows reads a line of each. No access is next to the one before it, and a processor does not see ahead
// what comes. So the memory of the next vector, or of a group a few lines ahead, is asked for.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void prefetchRows(ir::Module& module);

}  // namespace manyrt::compiler::passes
