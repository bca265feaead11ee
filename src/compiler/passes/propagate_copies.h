// Copies: what control carries and never changes, a mask of lanes that go round together, a pointer that a loop takes along, is
// the value that it began as.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void propagateCopies(ir::Module& module);

}  // namespace manyrt::compiler::passes
