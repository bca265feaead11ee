// Slots become values. A slot whose address serves loads and stores of one type alone, none of them volatile, is no memory:
// what is stored is the value from there on. Where control joins, regions get the values as parameters and give them as
// results.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void promoteSlots(ir::Module& module);

}  // namespace manyrt::compiler::passes
