// A short if without effects becomes selects: `a && b` of two comparisons is one value then, which later passes can look at.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void flattenIfs(ir::Module& module);

}  // namespace manyrt::compiler::passes
