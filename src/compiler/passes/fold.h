// Operations on constants become constants, and operations that give an operand become that operand. An if whose condition is
// constant stays: what is never reached is for removeDead.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void fold(ir::Module& module);

}  // namespace manyrt::compiler::passes
