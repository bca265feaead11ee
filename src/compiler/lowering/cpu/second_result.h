// Functions that give a second result through a pointer, where it goes to a variable of the kernel. A variable whose address is
// taken is memory, and each lane computes such a call by itself. Where nothing else takes the address, both results become
// values: sincos(x, &c) is (c = cos(x), sin(x)), which has the same bits.
#pragma once

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Changes the tree of a function's body, not what it computes.
void separateSecondResults(Program& program, Function& function);

}  // namespace manyrt::compiler
