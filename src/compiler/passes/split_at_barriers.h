// A kernel becomes one for groups: control around barriers is the group's, and between them `items` run for each work-item.
// Values that live from one to the next lie in slots that each item has; cheap ones are computed again. Without a barrier all
// of the kernel is one part. A kernel that others call has a copy for them.
#pragma once

#include <string>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// Splits each kernel that calls no function with barriers; all others stay.
void splitAtBarriers(ir::Module& module);

}  // namespace manyrt::compiler::passes
