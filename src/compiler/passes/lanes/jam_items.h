// Several vectors of items go through their loops together: what is the same for them is loaded and computed once, and their
// sums do not wait for each other. Of `items` with lanes there is then a third region, for as many vectors as `jam` says.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void jamItems(ir::Module& module);

}  // namespace manyrt::compiler::passes
