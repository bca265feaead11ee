// Loops in which each lane walks along a row of its own are strip-mined by as many turns as there are lanes. In these turns all
// lanes together read a square of elements. It is loaded by rows and transposed in registers (lanes/tile.h). One turn at a time
// would load each element by itself.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// For `items` that have lanes. The loop as it was takes the turns that are left.
void tileLoops(ir::Module& module);

}  // namespace manyrt::compiler::passes
