// Conversions: the usual arithmetic conversions with OpenCL C's rules for vectors, decay of arrays, and conversion as if by
// assignment. Every conversion becomes a kConvert node, so that the lowerings never have to guess one.
#include <string>

#include "compiler/parser/expressions/builder.h"

namespace manyrt::compiler {
namespace {

bool isHalf(const Type* type) { return (type->isScalar() || type->isVector()) && type->scalar == Scalar::kHalf; }

// Equal but for qualifiers: elements of arrays carry those of the array.
bool sameObject(const Type* a, const Type* b) {
  while (a->isArray() && b->isArray()) {
    if (a->length != b->length) return false;
    a = a->inner.type;
    b = b->inner.type;
  }
  return a == b;
}

// The first number of an expression that has no other operands and is double; null: it has another type, or operands.
const Expr* doubleNumber(const Expr& expression) {
  const Type* type = expression.type.type;
  if (!type->isScalar() || type->scalar != Scalar::kDouble) return nullptr;
  switch (expression.kind) {
    case ExprKind::kLiteral:
      return &expression;
    case ExprKind::kUnary:
      return doubleNumber(*expression.a);
    case ExprKind::kBinary: {
      const Expr* const first = doubleNumber(*expression.a);
      return doubleNumber(*expression.b) == nullptr ? nullptr : first;
    }
    default:
      return nullptr;
  }
}

}  // namespace

void ExpressionBuilder::warnOfDouble(const Expr& floats, const Expr& number, const char* spelling) {
  const Type* type = floats.type.type;
  if (!type->isScalar() || (type->scalar != Scalar::kFloat && type->scalar != Scalar::kHalf)) return;
  const Expr* const found = doubleNumber(number);
  if (found == nullptr || found->text.empty()) return;
  std::string text(found->text.substr(0, 64));
  if (text.back() == 'l' || text.back() == 'L') text.pop_back();
  diagnostics_.warning(found->where, "The number %s is a double, so that \"%s\" computes in double: write %sf.", text.c_str(),
                       spelling, text.c_str());
}

const Type* ExpressionBuilder::promoted(const Type* type) const {
  if (!type->isInteger()) return type;
  if (type->kind == TypeKind::kEnum || type->scalar < Scalar::kInt) return types_.scalar(Scalar::kInt);
  return type;
}

// With 32 bits of int and 64 of long the order of the ranks is the whole rule: each wider type holds the narrower ones.
const Type* ExpressionBuilder::commonType(const Type* a, const Type* b) const {
  const Type* left = promoted(a);
  const Type* right = promoted(b);
  return left->scalar < right->scalar ? right : left;
}

const Type* ExpressionBuilder::comparisonType(const Type* operands) const {
  if (!operands->isVector()) return types_.scalar(Scalar::kInt);
  switch (scalarSize(operands->scalar)) {
    case 1:
      return types_.vector(Scalar::kChar, operands->count);
    case 2:
      return types_.vector(Scalar::kShort, operands->count);
    case 4:
      return types_.vector(Scalar::kInt, operands->count);
    default:
      return types_.vector(Scalar::kLong, operands->count);
  }
}

Expr* ExpressionBuilder::implicit(Expr* expression, const Type* target) {
  if (expression->type.type == target) return expression;
  Expr* converted = program_.make(ExprKind::kConvert);
  converted->type = QualType{target};
  converted->where = expression->where;
  converted->a = expression;
  converted->height = static_cast<uint16_t>(expression->height + 1);
  return converted;
}

Expr* ExpressionBuilder::decay(Expr* expression) {
  const QualType type = expression->type;
  if (!type->isArray()) return expression;
  expression = asObject(expression);
  QualType element = type->inner;
  if (type.space != AddressSpace::kPrivate) element.space = type.space;
  element.is_const |= type.is_const;
  element.is_volatile |= type.is_volatile;
  return implicit(expression, types_.pointer(element));
}

Expr* ExpressionBuilder::value(Expr* expression) {
  const QualType type = expression->type;
  if (type->isArray()) {
    if (expression->lvalue || expression->kind == ExprKind::kString) return decay(expression);
    diagnostics_.error(expression->where,
                       "This array is part of a value without an address; store the value in a variable first.");
    return nullptr;
  }
  if (isHalf(type.type) && !half_arithmetic_) {
    diagnostics_.error(expression->where,
                       "A value of type %s cannot be read directly: half is a type of storage alone; use vload_half, or "
                       "enable cl_khr_fp16 where the device has it.",
                       named(type.type).c_str());
    return nullptr;
  }
  return expression;
}

Expr* ExpressionBuilder::truth(Expr* value) {
  const bool is_half = value->type->isScalar() && value->type->scalar == Scalar::kHalf;
  return is_half ? implicit(value, types_.scalar(Scalar::kFloat)) : value;
}

bool ExpressionBuilder::splatFits(const Type* scalar, const Type* vector) const {
  if (!scalar->isArithmetic()) return false;
  const Scalar rank = scalar->kind == TypeKind::kEnum ? Scalar::kInt : scalar->scalar;
  if (vector->hasFloatingElements() && scalar->isInteger()) return true;
  return rank <= vector->scalar;
}

bool ExpressionBuilder::balance(Expr** a, Expr** b, const char* spelling, Location where) {
  const Type* left = (*a)->type.type;
  const Type* right = (*b)->type.type;
  if (left->isArithmetic() && right->isArithmetic()) {
    const Type* common = commonType(left, right);
    if (warns_of_doubles_) {
      warnOfDouble(**a, **b, spelling);
      warnOfDouble(**b, **a, spelling);
    }
    *a = implicit(*a, common);
    *b = implicit(*b, common);
    return true;
  }
  if (left->isVector() && right->isVector()) {
    if (left == right) return true;
    diagnostics_.error(where,
                       "The operands of \"%s\" have the types %s and %s; vectors do not convert by themselves: write %s.",
                       spelling, named(left).c_str(), named(right).c_str(),
                       left->count == right->count ? "convert_ or as_ functions" : "operands of one width");
    return false;
  }
  // One vector and one scalar are left: the scalar is converted to an element and then repeated in every lane.
  const Type* vector = left->isVector() ? left : right;
  const Type* scalar = left->isVector() ? right : left;
  if (!vector->isVector() || !scalar->isArithmetic()) return invalidOperands(spelling, **a, **b, where) != nullptr;
  if (!splatFits(scalar, vector)) {
    diagnostics_.error(
        where,
        "The operands of \"%s\" have the types %s and %s: a scalar of higher rank than the elements of the vector is "
        "not converted; write (%s) before it.",
        spelling, named(left).c_str(), named(right).c_str(), scalarName(vector->scalar));
    return false;
  }
  Expr** narrow = left->isVector() ? b : a;
  *narrow = implicit(implicit(*narrow, vector->element), vector);
  return true;
}

bool ExpressionBuilder::isNullConstant(const Expr& expression) const {
  const Type* type = expression.type.type;
  if (type->isPointer() && expression.kind == ExprKind::kCast) {
    const QualType pointee = type->inner;
    return pointee->isVoid() && pointee.space == AddressSpace::kPrivate && !pointee.is_const &&
           expression.a->type->isInteger() && isNullConstant(*expression.a);
  }
  int64_t number;
  return type->isInteger() && expression.kind != ExprKind::kVariable && evaluate(&number, expression) && number == 0;
}

const Type* ExpressionBuilder::pointerInto(AddressSpace space, const Type* pointer) {
  QualType pointee = pointer->inner;
  pointee.space = space;
  return types_.pointer(pointee);
}

// Warnings and errors of a conversion between pointers; false: an error.
bool ExpressionBuilder::checkPointers(QualType from, QualType to, const char* what, Location where) {
  // The address spaces must agree at every level of pointers, because a pointer carries no space at run time: that is an error.
  // A difference of types or qualifiers is a warning, as in C.
  QualType source = from->inner;
  QualType target = to->inner;
  const std::string from_name = named(from.type);
  const std::string to_name = named(to.type);
  if (source.space != target.space) {
    diagnostics_.error(
        where,
        "Type %s does not convert to %s in %s: pointers to %s and to %s memory are different things. Write \"%s\" "
        "instead of \"%s\".",
        from_name.c_str(), to_name.c_str(), what, spaceName(source.space), spaceName(target.space),
        named(pointerInto(source.space, to.type)).c_str(), to_name.c_str());
    return false;
  }
  const bool drops = (source.is_const && !target.is_const && target.space != AddressSpace::kConstant) ||
                     (source.is_volatile && !target.is_volatile);
  // Inside of pointers to pointers every qualifier counts.
  const Type* a = source.type;
  const Type* b = target.type;
  bool same = sameObject(a, b) || a->isVoid() || b->isVoid();
  while (!same && a->isPointer() && b->isPointer()) {
    if (a->inner.space != b->inner.space) {
      diagnostics_.error(where,
                         "Type %s does not convert to %s in %s: inside, pointers to %s and to %s memory are different things.",
                         from_name.c_str(), to_name.c_str(), what, spaceName(a->inner.space), spaceName(b->inner.space));
      return false;
    }
    a = a->inner.type;
    b = b->inner.type;
    if (sameObject(a, b)) break;
  }
  if (!same) {
    diagnostics_.warning(where, "Type %s converts to %s in %s, but they point to different types.", from_name.c_str(),
                         to_name.c_str(), what);
  } else if (drops) {
    diagnostics_.warning(where, "Type %s converts to %s in %s, which drops a qualifier.", from_name.c_str(), to_name.c_str(),
                         what);
  }
  return true;
}

Expr* ExpressionBuilder::convertTo(Expr* expression, QualType target, const char* what) {
  // The order of the cases is that of C for assignments: equal types, arithmetic, pointers. Only scalars convert implicitly to
  // a vector, by way of its element type. A null constant comes before the other integers, because it is a pointer of every
  // address space. Any other pair is an error, whose text says what to write instead.
  Expr* source = value(expression);
  if (source == nullptr) return nullptr;
  const Type* from = source->type.type;
  const Type* to = target.type;
  if (from == to && !from->isVoid() && !from->isArray()) return source;
  if (from->isArithmetic()) {
    const bool is_storage = isHalf(to) && !half_arithmetic_;
    if (to->isArithmetic() && !is_storage) return implicit(source, to);
    if (to->isVector() && !is_storage) return implicit(implicit(source, to->element), to);
  }
  if (to->isPointer()) {
    if (isNullConstant(*source)) return implicit(source, to);
    if (from->isPointer()) return checkPointers(source->type, target, what, source->where) ? implicit(source, to) : nullptr;
    if (from->isInteger()) {
      diagnostics_.warning(source->where, "Type %s converts to %s in %s: an integer becomes a pointer.", named(from).c_str(),
                           named(to).c_str(), what);
      return implicit(source, to);
    }
  }
  if (from->isPointer() && to->isInteger()) {
    if (to->scalar != Scalar::kBool || to->kind == TypeKind::kEnum) {
      diagnostics_.warning(source->where, "Type %s converts to %s in %s: a pointer becomes an integer.", named(from).c_str(),
                           named(to).c_str(), what);
    }
    return implicit(source, to);
  }
  const std::string from_name = named(from);
  const std::string to_name = named(to);
  if (isHalf(to) && !half_arithmetic_) {
    diagnostics_.error(source->where,
                       "Type %s does not convert to %s in %s: half is a type of storage alone; use vstore_half, or enable "
                       "cl_khr_fp16 where the device has it.",
                       from_name.c_str(), to_name.c_str(), what);
  } else if (from->isVector() && to->isVector() && from->count == to->count) {
    diagnostics_.error(source->where,
                       "Type %s does not convert to %s in %s; write convert_%s() for the values or as_%s() for the bits.",
                       from_name.c_str(), to_name.c_str(), what, to_name.c_str(), to_name.c_str());
  } else {
    diagnostics_.error(source->where, "Type %s does not convert to %s in %s.", from_name.c_str(), to_name.c_str(), what);
  }
  return nullptr;
}

}  // namespace manyrt::compiler
