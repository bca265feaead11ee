// A condition such as `i < n` around what items do, or `if (i >= n) return;`, becomes the limit of their loops: the items
// beyond it are not looked at, and no item asks again.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void limitItems(ir::Module& module);

}  // namespace manyrt::compiler::passes
