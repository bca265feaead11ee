// Common subexpressions: a pure operation on the same operands, and a load of the same address with nothing stored since, are
// computed once. An expression that is written twice in a source is then one value, and a condition that loads again has no
// effect.
#pragma once

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

void eliminateCommon(ir::Module& module);

}  // namespace manyrt::compiler::passes
