// Copy propagation: a value that control carries and never changes is replaced by the one that it began as. Examples are a mask
// of lanes that go round together, and a pointer that a loop takes along.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void propagateCopies(ir::Module& module);

}  // namespace manyrt::compiler::passes
