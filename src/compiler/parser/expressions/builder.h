// Typed expressions out of typed operands: the rules of OpenCL C's operators, conversions, casts and constants, without the
// grammar. It reads no token; the parser asks it once the operands are there. Its functions stand in the files of their
// subject:
//   builder.cpp      nodes, calls of functions          binary.cpp, unary.cpp   operators
//   conversion.cpp   what converts to what              constant.cpp            constant expressions
//   cast.cpp         casts, vectors, compound literals  initializer.cpp         strings as arrays
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Types as messages name them: that of a value has no qualifiers.
inline std::string named(const Type* type) { return spell(QualType{type}); }
inline std::string named(const Expr& expression) { return spell(expression.type.unqualified()); }

class ExpressionBuilder {
 protected:
  static constexpr uint32_t kMaxHeight = 1000;  // of an expression's tree: chains of operators grow it without nesting

  ExpressionBuilder(Program& program, bool warns_of_doubles, Diagnostics& diagnostics)
      : program_(program), types_(program.types), diagnostics_(diagnostics), warns_of_doubles_(warns_of_doubles) {}

  // --- nodes (builder.cpp). Here and below an Expr* is null after an error.
  // A node over a, b, c; an error where the tree would be higher than kMaxHeight.
  Expr* node(ExprKind kind, QualType type, Location where, Expr* a = nullptr, Expr* b = nullptr, Expr* c = nullptr);
  bool grow(Expr* expression, const Expr* child);  // the height of a node that got one more child; false after an error
  Expr* integerLiteral(Scalar scalar, uint64_t value, Location where);
  Expr* callFunction(Function* function, const Token& name, std::vector<Expr*> arguments);

  // --- operators (binary.cpp, unary.cpp)
  Expr* makeBinary(Op op, Expr* a, Expr* b, Location where);
  Expr* makeAssign(Op op, Expr* a, Expr* b, Location where);  // kNone: the simple assignment
  Expr* makeConditional(Expr* condition, Expr* b, Expr* c, Location where);
  Expr* makeUnary(Op op, Expr* a, Location where);
  Expr* makeStep(Op op, Expr* a, Location where);
  Expr* makeAddressOf(Expr* a, Location where);
  Expr* makeDereference(Expr* a, Location where);
  bool modifiable(const Expr& expression, Location where);

  // --- casts, vectors, literals (cast.cpp, postfix.cpp, literal.cpp, initializer.cpp)
  Expr* makeCast(QualType type, Expr* a, Location where);
  Expr* makeVector(const Type* vector, std::vector<Expr*> parts, Location where, const char* what);
  Expr* subscriptVector(Expr* base, Expr* index, Location where);
  Expr* asObject(Expr* lvalue);  // whose address is taken, or that is changed: compound literals become variables
  Expr* characters(const Expr& string, QualType type);  // a string as the initialiser of an array of characters
  bool isCharacters(QualType type) const;
  bool decode(std::string* bytes, const Token& token);  // a character's or string's escapes

  // --- conversions (conversion.cpp)
  Expr* decay(Expr* expression);  // arrays to pointers; other expressions unchanged
  // As if assigned: an error names both types. `what`: "argument 2 of \"f\"", "the initialiser".
  Expr* convertTo(Expr* expression, QualType target, const char* what);
  Expr* implicit(Expr* expression, const Type* target);  // a kConvert unless the type is that already; no check
  Expr* value(Expr* expression);  // decay for operands that are read: null after an error for what cannot be read
  Expr* truth(Expr* value);       // what a condition is asked for: of a half the same value as a float
  bool splatFits(const Type* scalar, const Type* vector) const;  // by the rank of an operand
  const Type* promoted(const Type* type) const;

  // --- constants (constant.cpp)
  bool evaluate(int64_t* value, const Expr& expression) const;  // integer constant expressions, silently
  bool isConstant(const Expr& expression) const;  // may initialise a variable of program scope: addresses and reals too
  bool isNullConstant(const Expr& expression) const;

  Program& program_;
  TypeTable& types_;
  Diagnostics& diagnostics_;
  Function* function_ = nullptr;                          // whose body is parsed
  std::vector<Stmt*> literals_;                           // of each open block: declares the variables of its compound literals
  bool half_arithmetic_ = false;                          // cl_khr_fp16 is enabled here; else a half is storage alone
  mutable std::map<const Variable*, int64_t> constants_;  // variables whose values evaluate() found

 private:
  const bool warns_of_doubles_;  // -Wdouble-literals
  Expr* pointerBinary(Op op, Expr* a, Expr* b, Location where);
  Expr* comparePointers(Op op, Expr* a, Expr* b, Location where);
  Expr* shift(Op op, Expr* a, Expr* b, Location where);
  const Type* pointersTogether(const Expr& a, const Expr& b, const char* of, Location where);  // of ?: and comparisons
  Expr* choosePointers(Expr* condition, Expr* b, Expr* c, Location where);
  Expr* chooseByElement(Expr* condition, Expr* b, Expr* c, Location where);
  Expr* invalidOperands(const char* spelling, const Expr& a, const Expr& b, Location where);
  const char* castTrouble(const Type* to, const Expr& a) const;
  const Type* commonType(const Type* a, const Type* b) const;              // the usual arithmetic conversions of scalars
  bool balance(Expr** a, Expr** b, const char* spelling, Location where);  // the usual conversions, vectors included
  // A warning where an operand of type float becomes double, as a number without the suffix f stands beside it.
  void warnOfDouble(const Expr& floats, const Expr& number, const char* spelling);
  const Type* comparisonType(const Type* operands) const;  // int, or signed integers of the components' size
  bool checkPointers(QualType from, QualType to, const char* what, Location where);
  const Type* pointerInto(AddressSpace space, const Type* pointer);  // the same pointer, to another memory
};

}  // namespace manyrt::compiler
