// Slots become values. A slot whose address serves loads and stores of one type alone, none of them volatile, is no memory. A
// stored value is used from there on. Where control joins, regions get the values as parameters and give them as results.
#pragma once

#include <vector>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void promoteSlots(ir::Module& module);
// The same for these slots alone, which nothing outside of the region uses.
void promoteSlots(ir::Module& module, ir::Function& function, ir::Region& region, const std::vector<ir::Object*>& slots);

}  // namespace manyrt::compiler::passes
