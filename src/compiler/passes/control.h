// Where a terminator of a region goes, and what its operands become there: passes that move values over control ask.
#pragma once

#include <vector>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// The instruction that it ends or goes on in; null of a return.
ir::Instruction* targetOf(const ir::Instruction& terminator);
// The values that its operands become.
const std::vector<ir::Value*>& receivers(const ir::Instruction& terminator, const ir::Instruction& target);

}  // namespace manyrt::compiler::passes
