// Types of the operators with two and three operands, and of assignments: arithmetic, shifts, comparisons, logic, pointers.
// Operands come as they were parsed; here they are read, converted to what the operator works on, or refused.
#include <string>

#include "compiler/parser/expressions/builder.h"
#include "compiler/parser/operator.h"

namespace manyrt::compiler {
namespace {

bool isShift(Op op) { return op == Op::kShl || op == Op::kShr; }
bool isLogical(Op op) { return op == Op::kLogicalAnd || op == Op::kLogicalOr; }
bool isComparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }
bool wantsIntegers(Op op) { return op >= Op::kRem && op <= Op::kBitXor; }
bool isScalarValue(const Type* type) { return type->isArithmetic() || type->isPointer(); }

QualType merged(QualType pointee, QualType other) {
  pointee.is_const |= other.is_const;
  pointee.is_volatile |= other.is_volatile;
  return pointee;
}

}  // namespace

Expr* ExpressionBuilder::invalidOperands(const char* name, const Expr& a, const Expr& b, Location where) {
  diagnostics_.error(where, "The operator \"%s\" does not take operands of the types %s and %s.", name, named(a).c_str(),
                     named(b).c_str());
  return nullptr;
}

Expr* ExpressionBuilder::makeBinary(Op op, Expr* left, Expr* right, Location where) {
  Expr* a = op == Op::kComma && left->type->isVoid() ? left : value(left);
  Expr* b = value(right);
  if (a == nullptr || b == nullptr) return nullptr;
  Expr* result = nullptr;
  if (op == Op::kComma) {
    result = node(ExprKind::kBinary, b->type.unqualified(), where, a, b);
  } else if (isShift(op)) {
    result = shift(op, a, b, where);
  } else if (isLogical(op) && isScalarValue(a->type.type) && isScalarValue(b->type.type)) {
    result = node(ExprKind::kBinary, QualType{types_.scalar(Scalar::kInt)}, where, truth(a), truth(b));
  } else if (isComparison(op) && (a->type->isPointer() || b->type->isPointer())) {
    result = comparePointers(op, a, b, where);
  } else if (a->type->isPointer() || b->type->isPointer()) {
    result = pointerBinary(op, a, b, where);
  } else {
    if (!balance(&a, &b, spell(op), where)) return nullptr;
    if (wantsIntegers(op) && !a->type->hasIntegerElements()) return invalidOperands(spell(op), *left, *right, where);
    const bool compares = isComparison(op) || isLogical(op);
    result = node(ExprKind::kBinary, QualType{compares ? comparisonType(a->type.type) : a->type.type}, where, a, b);
  }
  if (result != nullptr) result->op = op;
  return result;
}

// The left side decides the type. A scalar amount is spread over the components of a vector. Shifts take it modulo the width of
// an element, so that converting the amount to the element's type changes nothing.
Expr* ExpressionBuilder::shift(Op op, Expr* a, Expr* b, Location where) {
  const Type* left = a->type.type;
  const Type* right = b->type.type;
  if (!left->hasIntegerElements() || !right->hasIntegerElements() ||
      (right->isVector() && right->components() != left->components())) {
    return invalidOperands(spell(op), *a, *b, where);
  }
  if (left->isVector()) {
    if (!right->isVector()) b = implicit(implicit(b, left->element), left);
    return node(ExprKind::kBinary, QualType{left}, where, a, b);
  }
  a = implicit(a, promoted(left));
  b = implicit(b, promoted(right));
  return node(ExprKind::kBinary, a->type, where, a, b);
}

Expr* ExpressionBuilder::pointerBinary(Op op, Expr* a, Expr* b, Location where) {
  const Type* left = a->type.type;
  const Type* right = b->type.type;
  if (left->isVector() || right->isVector()) return invalidOperands(spell(op), *a, *b, where);
  const Type* pointer = left->isPointer() ? left : right;
  const QualType pointee = pointer->inner;
  if (!pointee->isVoid() && sizeOf(pointee) == 0 && !pointee->isRecord()) return invalidOperands(spell(op), *a, *b, where);
  if (pointee->isRecord() && !pointee->record->complete) {
    diagnostics_.error(where, "The operator \"%s\" needs the size of %s, which is declared but not defined.", spell(op),
                       spell(pointee.unqualified()).c_str());
    return nullptr;
  }
  if (op == Op::kSub && left->isPointer() && right->isPointer()) {
    if (left->inner.type != right->inner.type || left->inner.space != right->inner.space) {
      diagnostics_.error(where, "The difference of pointers to different types or memories, %s and %s, has no meaning.",
                         named(*a).c_str(), named(*b).c_str());
      return nullptr;
    }
    return node(ExprKind::kBinary, QualType{types_.scalar(Scalar::kLong)}, where, a, b);
  }
  const bool forward = left->isPointer() && right->isInteger() && (op == Op::kAdd || op == Op::kSub);
  const bool backward = op == Op::kAdd && left->isInteger() && right->isPointer();
  if (!forward && !backward) return invalidOperands(spell(op), *a, *b, where);
  if (forward) b = implicit(b, promoted(right));
  if (backward) a = implicit(a, promoted(left));
  return node(ExprKind::kBinary, QualType{pointer}, where, a, b);
}

// The type that both pointers become; null after an error.
const Type* ExpressionBuilder::pointersTogether(const Expr& a, const Expr& b, const char* of, Location where) {
  const QualType left = a.type->inner;
  const QualType right = b.type->inner;
  if (isNullConstant(a)) return b.type.type;
  if (isNullConstant(b)) return a.type.type;
  if (left.space != right.space) {
    diagnostics_.error(where, "The operands of \"%s\" have the types %s and %s, pointers to different memories.", of,
                       named(a).c_str(), named(b).c_str());
    return nullptr;
  }
  if (left.type == right.type || left->isVoid()) return types_.pointer(merged(left, right));
  if (right->isVoid()) return types_.pointer(merged(right, left));
  diagnostics_.warning(where, "The operands of \"%s\" have the types %s and %s, pointers to different types.", of,
                       named(a).c_str(), named(b).c_str());
  QualType nothing{types_.voidType()};
  nothing.space = left.space;
  return types_.pointer(merged(merged(nothing, left), right));
}

Expr* ExpressionBuilder::comparePointers(Op op, Expr* a, Expr* b, Location where) {
  const QualType result{types_.scalar(Scalar::kInt)};
  const bool both = a->type->isPointer() && b->type->isPointer();
  const Type* common = nullptr;
  if (both) {
    common = pointersTogether(*a, *b, spell(op), where);
    if (common == nullptr) return nullptr;
  } else {
    const Expr& number = a->type->isPointer() ? *b : *a;
    common = a->type->isPointer() ? a->type.type : b->type.type;
    if (!number.type->isInteger()) return invalidOperands(spell(op), *a, *b, where);
    if (!isNullConstant(number)) {
      diagnostics_.warning(where, "The operator \"%s\" compares %s with %s, a pointer with an integer.", spell(op),
                           named(*a).c_str(), named(*b).c_str());
    }
  }
  return node(ExprKind::kBinary, result, where, implicit(a, common), implicit(b, common));
}

Expr* ExpressionBuilder::makeAssign(Op op, Expr* a, Expr* right, Location where) {
  if (!modifiable(*a, where)) return nullptr;
  a = asObject(a);
  const Type* target = a->type.type;
  Expr* b = nullptr;
  if (op == Op::kNone) {
    b = convertTo(right, a->type.unqualified(), "this assignment");
    if (b == nullptr) return nullptr;
  } else {
    // The result of the operator; its right operand is the one that the assignment needs.
    Expr* whole = makeBinary(op, a, right, where);
    if (whole == nullptr) return nullptr;
    b = whole->b;
    const bool narrows = target->isVector() != whole->type->isVector() || (target->isVector() && target != whole->type.type);
    if (narrows || (target->isPointer() && !whole->type->isPointer())) {
      diagnostics_.error(where, "The result of this assignment has the type %s, which does not convert to %s.",
                         named(*whole).c_str(), named(*a).c_str());
      return nullptr;
    }
    if (!target->isPointer() && whole->type->isPointer()) return invalidOperands(spell(op), *a, *right, where);
  }
  Expr* result = node(ExprKind::kAssign, a->type.unqualified(), where, a, b);
  if (result != nullptr) result->op = op;
  return result;
}

Expr* ExpressionBuilder::makeConditional(Expr* condition, Expr* left, Expr* right, Location where) {
  Expr* a = value(condition);
  if (a == nullptr) return nullptr;
  const bool either_void = left->type->isVoid() || right->type->isVoid();
  Expr* b = left->type->isVoid() ? left : value(left);
  Expr* c = right->type->isVoid() ? right : value(right);
  if (b == nullptr || c == nullptr) return nullptr;
  if (a->type->isVector() && a->type->hasIntegerElements()) return chooseByElement(a, b, c, where);
  if (!a->type->isInteger() && !a->type->isPointer()) {
    diagnostics_.error(where, "The condition of \"?:\" must be an integer or a pointer; this is %s%s.", named(*a).c_str(),
                       a->type->isArithmetic() || a->type->isVector() ? ": compare it with something" : "");
    return nullptr;
  }
  if (either_void) return node(ExprKind::kConditional, QualType{types_.voidType()}, where, a, b, c);
  if (b->type->isPointer() || c->type->isPointer()) return choosePointers(a, b, c, where);
  if (b->type->isRecord() && b->type.type == c->type.type) {
    return node(ExprKind::kConditional, b->type.unqualified(), where, a, b, c);
  }
  if (!balance(&b, &c, "?:", where)) return nullptr;
  return node(ExprKind::kConditional, b->type.unqualified(), where, a, b, c);
}

Expr* ExpressionBuilder::choosePointers(Expr* condition, Expr* b, Expr* c, Location where) {
  const Type* common = nullptr;
  if (b->type->isPointer() && c->type->isPointer()) {
    common = pointersTogether(*b, *c, "?:", where);
    if (common == nullptr) return nullptr;
  } else {
    const Expr& number = b->type->isPointer() ? *c : *b;
    common = b->type->isPointer() ? b->type.type : c->type.type;
    if (!number.type->isInteger()) return invalidOperands("?:", *b, *c, where);
    if (!isNullConstant(number)) {
      diagnostics_.warning(where, "The operands of \"?:\" have the types %s and %s, a pointer and an integer.",
                           named(*b).c_str(), named(*c).c_str());
    }
  }
  return node(ExprKind::kConditional, QualType{common}, where, condition, implicit(b, common), implicit(c, common));
}

// The condition is a vector: each component chooses for itself, so that all three agree in components and in the size of
// elements.
Expr* ExpressionBuilder::chooseByElement(Expr* condition, Expr* b, Expr* c, Location where) {
  const Type* selector = condition->type.type;
  if (b->type->isArithmetic() && c->type->isArithmetic()) {
    const Type* common = commonType(b->type.type, c->type.type);
    const Type* spread = types_.vector(common->scalar, selector->count);
    b = implicit(implicit(b, common), spread);
    c = implicit(implicit(c, common), spread);
  } else if (!balance(&b, &c, "?:", where)) {
    return nullptr;
  }
  const Type* chosen = b->type.type;
  if (chosen->components() != selector->count || scalarSize(chosen->scalar) != scalarSize(selector->scalar)) {
    diagnostics_.error(where,
                       "The condition of \"?:\" has the type %s, the result %s: they need as many elements of the same size.",
                       named(*condition).c_str(), named(*b).c_str());
    return nullptr;
  }
  return node(ExprKind::kConditional, QualType{chosen}, where, condition, b, c);
}

}  // namespace manyrt::compiler
