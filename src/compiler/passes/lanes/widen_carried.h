// Some bytes and shorts with lanes become numbers of 32 bits: loops carry them, and comparisons of wider numbers choose them. A
// mask of 32 bits a lane would be made narrow for them in each turn.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void widenCarried(ir::Module& module);

}  // namespace manyrt::compiler::passes
