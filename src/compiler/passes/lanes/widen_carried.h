// Bytes and shorts with lanes that loops carry and that comparisons of wider numbers choose become numbers of 32 bits: a mask
// of 32 bits a lane would be made narrow for them in each turn.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void widenCarried(ir::Module& module);

}  // namespace manyrt::compiler::passes
