// One variable for each life of its name. Programs use a name again for another value, or declare it far above its use. A
// kernel then seems to keep one value that differs from item to item, and seems to need it behind a barrier. Here each value
// gets a variable of its own, which is declared where the value is made.
#pragma once

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Changes the tree of a function's body, not what it computes. Functions with a goto are left as they are.
void splitLiveRanges(Program& program, Function& function);

}  // namespace manyrt::compiler
