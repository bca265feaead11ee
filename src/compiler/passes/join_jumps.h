// Replaces jumps that only skip the rest of a region: `if (c) continue; rest; continue` becomes `if (c) {} else { rest }`.
// Lanes that skip it are then off in a part, and go on with the others.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void joinJumps(ir::Module& module);

}  // namespace manyrt::compiler::passes
