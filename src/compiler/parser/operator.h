// How operators are written: for the messages of the parser and for every lowering, in one place.
#pragma once

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

const char* spell(Op op);  // "<<"; kNone is "=", the plain assignment

}  // namespace manyrt::compiler
