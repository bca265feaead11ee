// Vectors whose neighbours in time lie in other rows of memory: a loop goes from row to row, `in[k * rows + i]`, or a group of
// several rows reads a line of each. No access follows the one before it, and a processor does not see ahead what comes. So
// what the next vector, or a group a few lines ahead, will want is asked for.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void prefetchRows(ir::Module& module);

}  // namespace manyrt::compiler::passes
