// Short loops whose number of turns is known become their turns one after the other. Values that depend on the counter are
// constant in each, and an array that it indexes has elements. A loop with barriers stays, and so does one around another.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// Only where lanes are wanted: quick code stays short.
void unrollLoops(ir::Module& module);

}  // namespace manyrt::compiler::passes
