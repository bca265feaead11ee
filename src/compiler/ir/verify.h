// Whether a module is one: every rule that opcode.h and module.h state. Run after a builder and after each pass.
#pragma once

#include <string>

#include "compiler/ir/module.h"

namespace manyrt::compiler::ir {

// False: `why` names the function, the instruction and the rule that it breaks; the first of them.
bool verify(const Module& module, std::string* why);

}  // namespace manyrt::compiler::ir
