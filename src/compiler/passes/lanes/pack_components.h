// Operations done alike to each component of a vector that is stored become one operation on vectors.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void packComponents(ir::Module& module);

// Whether an operation does the same to each element, whatever lane and component it is of.
bool isByElements(const ir::Instruction& instruction);

}  // namespace manyrt::compiler::passes
