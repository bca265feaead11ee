// Calls of functions that wait at barriers become their bodies, so that a kernel has its barriers itself. A function that
// returns elsewhere than at its end stays a function.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void inlineBarriers(ir::Module& module);

}  // namespace manyrt::compiler::passes
