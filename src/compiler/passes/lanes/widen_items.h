// Vectorisation: the items of a row go side by side. A value that differs between neighbours gets lanes, and one that is the
// same for them stays as it is (analysis/divergence.h). Control that parts neighbours becomes masks. Each `items` then has two
// forms, for whole vectors and for the rest of a row. Where lanes cost more than items one by one, the items stay. Where groups
// are known to leave no rest, and the code is long, the second form is empty and the items as they were follow.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// For vectors of Module::vector_bytes; where that is 0, nothing changes.
void widenItems(ir::Module& module);

}  // namespace manyrt::compiler::passes
