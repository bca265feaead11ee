// The items of a row go side by side: what differs between neighbours becomes a value with lanes, what is the same for them
// stays as it is (analysis/divergence.h). Control that parts neighbours becomes masks. Of each `items` there are then two
// forms, for whole vectors and for what is left of a row. Where lanes cost more than items one by one, the items stay. Where
// groups are known to leave nothing, and the code is long, the second form is empty and the items as they were follow.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// Why the items that follow whole vectors have no lanes.
inline constexpr char kLeftItems[] = "they are left by whole vectors in groups of other sizes than those that were launched";

// For vectors of Module::vector_bytes; where that is 0, nothing changes.
void widenItems(ir::Module& module);

}  // namespace manyrt::compiler::passes
