// Doubles that are floats: (float)(0.5 * x) and x < 0.25 of a float x are computed in float. The bits are the same, since 53 bits
// are twice 24 and more than two besides, and vectors hold twice as many.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void narrowFloats(ir::Module& module);

}  // namespace manyrt::compiler::passes
