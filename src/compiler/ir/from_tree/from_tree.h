// From the typed tree of a program to the IR. The rules of OpenCL C are applied here, once: conversions, promotions, steps of
// pointers, the order of evaluation, the fusing of products and sums. Nothing after it knows the language. Every variable
// becomes a slot, which a pass may make a value.
#pragma once

#include <string>

#include "compiler/ir/module.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler::ir {

// False: the program has a form that the IR has no room for, which `why` names with its line. `module` is then unusable. The
// program outlives the module, whose calls point to its functions of the language.
bool fromTree(Module* module, Program& program, std::string* why);

}  // namespace manyrt::compiler::ir
