// Takes out what has no effect: values that nothing uses, parameters and results that are carried along and never read, empty
// ifs, and what follows an instruction that control does not leave.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void removeDead(ir::Module& module);

}  // namespace manyrt::compiler::passes
