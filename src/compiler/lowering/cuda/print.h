// printf for CUDA. The format must be a literal and becomes one that CUDA's printf takes. Each call becomes a function of its
// own.
#pragma once

#include <string>

#include "compiler/builtins/prelude.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// The definition of `int name(arguments but the format)` for a call of printf. Empty after an error in the diagnostics: the
// format is no literal.
std::string cudaPrintFunction(const std::string& name, const Expr& call, Prelude& prelude, Diagnostics& diagnostics);

}  // namespace manyrt::compiler
