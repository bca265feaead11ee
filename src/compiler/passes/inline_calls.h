// Calls become the bodies of what they call: of functions that wait at barriers, so that a kernel has its barriers itself, and,
// where lanes are wanted, of all that are not too long, since a function is called for one lane after the other.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void inlineCalls(ir::Module& module);

}  // namespace manyrt::compiler::passes
