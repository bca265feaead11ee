// Facts about statements and expressions of a kernel, for the files of this folder: the variable of an expression, the
// barriers, the targets of jumps. They depend on the tree alone, not on a plan.
#pragma once

#include <optional>

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

const Variable* rootVariable(const Expr& expression);      // whose storage an lvalue is part of; null: it is behind a pointer
const Variable* assignedVariable(const Expr& expression);  // that an assignment, ++ or -- changes as a whole; null: none
bool isLocalArray(const Variable& variable);               // its address is the same for all work-items
bool isBarrierCall(const Expr& expression);                // of the builtin
bool containsBarrier(const Stmt& statement);
bool containsReturn(const Stmt& statement);
const Stmt* onlyStatement(const Stmt* statement);  // behind braces around one statement
// Whether a break or continue in a statement belongs to a loop or switch around it.
bool jumpsOut(const Stmt& statement, bool in_loop, bool in_switch);
bool continuesOut(const Stmt& statement);
bool isLoop(const Stmt& statement);
std::optional<int64_t> constantOf(const Expr& expression);  // of an integer, behind conversions that keep it

}  // namespace manyrt::compiler
