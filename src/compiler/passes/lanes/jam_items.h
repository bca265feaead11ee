// Unroll and jam: several vectors of items go through their loops together. Values that are the same for them are loaded and
// computed once, and their sums do not wait for each other. `items` with lanes then have a third region, for as many vectors as
// `jam` says.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void jamItems(ir::Module& module);

}  // namespace manyrt::compiler::passes
