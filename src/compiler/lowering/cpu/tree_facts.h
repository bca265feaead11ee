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
bool breaksOut(const Stmt& statement);
bool isLoop(const Stmt& statement);
bool isConversion(const Expr& expression);                  // of either kind: written, or implicit
std::optional<int64_t> constantOf(const Expr& expression);  // of an integer, behind conversions that keep it
// Of which dimensions the kernel itself asks for an id, as bits; bit 3: of one that is no constant. Groups are likely to have
// many rows, which then may be short, where it asks for more than the first.
uint32_t idDimensions(const Function& kernel);
// Of an unsigned int: whether the text of the expression keeps its highest bit off, as `x & 255u` and `x >> 8` do.
bool hasNoHighBit(const Expr& e);
bool isScalarOf(const QualType& type, Scalar scalar);
// A double that is a float: the number, or what was converted; else nothing.
std::optional<float> floatNumber(const Expr& e);
const Expr* floatOperand(const Expr& e);
// A sum, difference, product, quotient or comparison of two such doubles, not both of them numbers. What it comes to, rounded
// to float, is the same as of the floats: the 53 bits of a double are twice the 24 of a float, and two more, and then rounding
// to them first changes nothing.
bool isOfFloatsAsDoubles(const Expr& e);

}  // namespace manyrt::compiler
