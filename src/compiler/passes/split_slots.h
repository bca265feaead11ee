// A slot becomes one slot for each of its elements: the components of vectors, the elements of arrays at constant indices, the
// members of structs. promote_slots then makes values of them.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// Splits slots that are loaded, stored, filled and copied at constant offsets alone, always in the same elements.
void splitSlots(ir::Module& module);

}  // namespace manyrt::compiler::passes
