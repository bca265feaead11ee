// Calls become the bodies of the functions that they call. Functions with barriers are inlined so that a kernel has its
// barriers itself. Where lanes are wanted, all functions that are not too long are: a call is made for one lane after the
// other.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void inlineCalls(ir::Module& module);

}  // namespace manyrt::compiler::passes
