// A condition such as `i < n` around the work of items, or `if (i >= n) return;`, becomes the limit of their loops. The items
// beyond it are not visited, and no item asks again.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void limitItems(ir::Module& module);

}  // namespace manyrt::compiler::passes
