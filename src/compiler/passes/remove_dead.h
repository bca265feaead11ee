// Takes out what has no effect: unused values, carried parameters and results that are never read, empty ifs, and instructions
// that control never reaches.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void removeDead(ir::Module& module);

}  // namespace manyrt::compiler::passes
