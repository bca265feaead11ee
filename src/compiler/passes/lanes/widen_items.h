// The items of a row go side by side: what differs between neighbours becomes a value with lanes, what is the same for them
// stays as it is (analysis/divergence.h). Control that parts neighbours becomes masks. Of each `items` there are then two
// forms, for whole vectors and for what is left of a row. Where lanes cost more than items one by one, the items stay.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// For vectors of Module::vector_bytes; where that is 0, nothing changes.
void widenItems(ir::Module& module);

}  // namespace manyrt::compiler::passes
