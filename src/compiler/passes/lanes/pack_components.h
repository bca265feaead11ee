// The same operation on each component of a vector that is stored becomes one operation on vectors.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void packComponents(ir::Module& module);

// Whether an operation does the same to each element, in any lane and component.
bool isByElements(const ir::Instruction& instruction);

}  // namespace manyrt::compiler::passes
