// Finds out whether the kernels of a program read or write the memory that their arguments point to. It follows, over the whole
// program, which variables may hold a pointer that came from which parameter, whatever the order in which statements run. All
// is unknown where pointers may lie anywhere but in variables of their own.
#pragma once

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Writes Variable::use of each kernel's parameters. After the parser, before a lowering changes the tree.
void findArgumentUses(Program& program);

}  // namespace manyrt::compiler
