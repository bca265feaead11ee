// A kernel with barriers becomes one for groups: control around barriers is the group's, and between them `items` run for each
// work-item. What lives from one to the next lies in slots that each item has; what is cheap is computed again.
#pragma once

#include <string>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// Of each kernel that has barriers and calls no function that has some; all others stay.
void splitAtBarriers(ir::Module& module);

}  // namespace manyrt::compiler::passes
