// printf for CUDA: the format, which has to be a literal there, becomes one that CUDA's printf takes, and each call a function
// of its own.
#pragma once

#include <string>

#include "compiler/builtins/prelude.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// The definition of `int name(arguments but the format)` for a call of printf. Empty after an error in the diagnostics: the
// format is no literal, or there are more values than CUDA takes.
std::string cudaPrintFunction(const std::string& name, const Expr& call, Prelude& prelude, Diagnostics& diagnostics);

}  // namespace manyrt::compiler
