// Slots become values. A slot whose address serves loads and stores of one type alone, none of them volatile, is no memory:
// what is stored is the value from there on. Where control joins, regions get the values as parameters and give them as
// results.
#pragma once

#include <vector>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void promoteSlots(ir::Module& module);
// Of those slots alone, which nothing outside of a region has.
void promoteSlots(ir::Module& module, ir::Function& function, ir::Region& region, const std::vector<ir::Object*>& slots);

}  // namespace manyrt::compiler::passes
