// The expressions of #if and #elif: 64-bit integer arithmetic with C99's rules. Macros and `defined` are gone from the line
// when it comes here.
#pragma once

#include <vector>

#include "compiler/preprocessor/lexer.h"

namespace manyrt::compiler {

// False after an error. `directive` is the place for what is wrong at the end of the line.
bool evaluateCondition(bool* value, const std::vector<Lexeme>& line, Location directive, Diagnostics& diagnostics);

}  // namespace manyrt::compiler
