// Several sources as the one stream of tokens that the parser reads. Each was preprocessed by itself, so that macros stay with
// their source. Declarations that a common header brought into more than one of them are there once. A declaration of program
// scope that reads as one of an earlier source does, token by token, is left out. The exception are functions that C allows
// once in a program. Two declarations that differ stay, and the parser refuses the second one with both places.
#pragma once

#include <vector>

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Fills program->tokens and program->parts. False where a source ends inside a declaration or a bracket, which is an error.
bool merge(Program* program, const std::vector<Tokens>& sources, Diagnostics& diagnostics);

}  // namespace manyrt::compiler
