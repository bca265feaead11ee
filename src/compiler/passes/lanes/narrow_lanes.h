// Numbers of 32 bits with lanes that end as bytes or shorts are computed as these. C promotes what is narrower than an int; a
// vector of bytes would be made four times as wide for each sum, and cut after it.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void narrowLanes(ir::Module& module);

}  // namespace manyrt::compiler::passes
