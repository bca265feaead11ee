// Values of the tree as values of the IR, and operations on them by the rules of OpenCL C: conversions, comparisons,
// arithmetic. Knows types and values, no expression and no place.
#pragma once

#include "compiler/ir/module.h"
#include "compiler/ir/writer.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler::ir {

using Tree = const compiler::Type*;

bool isSigned(Tree type);    // of an integer, an enum or a vector of them
Type valueType(Tree type);   // of a scalar, vector, pointer, or the address of a record
Type memoryType(Tree type);  // the same as it lies in memory: a bool has 8 bits
inline bool isMemory(Tree type) { return type->isRecord() || type->isArray(); }

// A slot of the function for a value without a name.
Object* temporary(Writer& out, QualType type);

Value* literal(Writer& out, const compiler::Expr& e);
Value* isNotZero(Writer& out, Value* value);
Value* converted(Writer& out, Value* value, Tree from, Tree to);
Value* compared(Writer& out, Op op, Tree operands, Value* a, Value* b);  // bool
// Both operands have the type; the amount of a shift its own.
Value* arithmetic(Writer& out, Op op, Tree type, Value* a, Value* b, Tree amount);

}  // namespace manyrt::compiler::ir
