// Keeps rows of vectors with components as they lie in memory. Otherwise lanes have a vector of lanes for each component, which
// takes shuffles after each load and before each store. If all operations in between do the same to all components of all
// lanes, they can work on the elements as they lie.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void keepRows(ir::Module& module);

}  // namespace manyrt::compiler::passes
