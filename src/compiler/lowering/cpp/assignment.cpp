// Assignments, ++ and -- as C++ text. C++ has them for scalars alone, binds no reference to unaligned storage, and leaves some
// results undefined. Where C++ has no such operator, the text is a lambda that reads, changes and writes back. Called by
// expression.cpp.
#include "compiler/lowering/cpp/text.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {

bool hasEffects(const Expr& expression) {
  bool found = false;
  visit(const_cast<Expr*>(&expression), [&](Expr& inner) {
    if (inner.kind == ExprKind::kAssign || inner.kind == ExprKind::kCall) found = true;
    if (inner.kind == ExprKind::kUnary && inner.op >= Op::kPreIncrement) found = true;
    if (inner.kind == ExprKind::kBuiltinCall && inner.builtin->kind != BuiltinKind::kPure &&
        inner.builtin->kind != BuiltinKind::kWorkItem) {
      found = true;
    }
  });
  return found;
}

bool isSimpleLvalue(const Expr& expression) { return !hasEffects(expression); }

bool isHalf(const Type* type) { return type->kind == TypeKind::kScalar && type->scalar == Scalar::kHalf; }

bool needsCare(Op op, const Type* type) {
  if (isHalf(type)) return op >= Op::kAdd && op <= Op::kDiv;
  return (op == Op::kDiv || op == Op::kRem || op == Op::kShl || op == Op::kShr) && type->isInteger();
}

bool literalValue(const Expr& e, int64_t* value) {
  if (!e.type->isInteger()) return false;
  if (e.kind == ExprKind::kLiteral) {
    *value = sizeOf(e.type) == 4 && e.type->isSigned() ? static_cast<int32_t>(e.integer) : static_cast<int64_t>(e.integer);
    return true;
  }
  if ((e.kind != ExprKind::kConvert && e.kind != ExprKind::kCast) || !literalValue(*e.a, value)) return false;
  const uint64_t bits = 8 * sizeOf(e.type);
  if (bits == 64) return true;
  const bool is_bool = e.type->kind == TypeKind::kScalar && e.type->scalar == Scalar::kBool;
  const int64_t end = int64_t{1} << (is_bool ? 1 : e.type->isSigned() ? bits - 1 : bits);
  return *value < end && *value >= (e.type->isSigned() ? -end : 0);
}

const Expr& behindConversions(const Expr& expression) {
  const Expr* inner = &expression;
  while ((inner->kind == ExprKind::kConvert || inner->kind == ExprKind::kCast) && inner->type->isInteger()) inner = inner->a;
  int64_t value;
  return inner->kind == ExprKind::kLiteral && !literalValue(expression, &value) ? expression : *inner;
}

bool isPlainDivisor(Op op, const Expr& right) {
  const Expr& value = behindConversions(right);
  if (value.kind != ExprKind::kLiteral || !value.type->isInteger()) return false;
  const int64_t number = static_cast<int64_t>(value.integer);
  if (op == Op::kShl || op == Op::kShr) return number >= 0 && number < 8;
  return number > 0 && number < (int64_t{1} << 31);
}

// Whether `target` may lie where its type is not aligned: C++ binds no reference to such storage.
bool isPackedStorage(const Expr& target) {
  switch (target.kind) {
    case ExprKind::kMember: {
      const Record& record = *target.a->type->record;
      const Field& field = record.fields[target.field];
      return record.packed || record.field_limit != 0 || field.packed || isLowered(field) || isPackedStorage(*target.a);
    }
    case ExprKind::kSwizzle:
    case ExprKind::kConvert:  // of an array, before a subscript
      return isPackedStorage(*target.a);
    case ExprKind::kSubscript:
      return (target.a->type->isVector() || target.a->kind == ExprKind::kConvert) && isPackedStorage(*target.a);
    default:
      return false;
  }
}

// `change`, an expression, reads and writes mrt_v, which stands for `target`: that is evaluated once. Packed storage is copied
// to mrt_v and back. `parameters` and `arguments` are further ones of the lambda, each after a comma.
std::string CppText::changed(const Expr& target, const std::string& change, const std::string& parameters,
                             const std::string& arguments) {
  const std::string type = baseName(target.type.type);
  const std::string storage = expression(target);
  if (!isPackedStorage(target)) {
    const std::string word = target.type.is_volatile && target.type->isScalar() && !isHalf(target.type.type) ? "volatile " : "";
    return "[&](" + word + type + "& mrt_v" + parameters + ") { return " + change + "; }(" + storage + arguments + ")";
  }
  const std::string packed = prelude_.packed(target.type.type);
  return "[&](" + packed + "& mrt_p" + parameters + ") { " + type + " mrt_v = mrt_p.v; const auto mrt_r = " + change +
         "; mrt_p.v = mrt_v; return mrt_r; }(*(" + packed + "*)&" + storage + arguments + ")";
}

// The assignment of a vector or record to packed storage, as a value: that of C++ would be a reference to an aligned object.
std::string CppText::assignPacked(const Expr& target, const std::string& value) {
  return "[](void* mrt_p, " + typeName(target.type.unqualified()) +
         " mrt_w) { __builtin_memcpy(mrt_p, &mrt_w, sizeof mrt_w); return mrt_w; }((void*)&" + expression(target) + ", " +
         value + ")";
}

std::string CppText::vectorStep(const Expr& e) {
  const Expr& target = *e.a;
  if (target.kind == ExprKind::kSwizzle) {
    const Expr& vector = *target.a;
    const std::string step = prelude_.stepSwizzle(e.op, vector.type.type, target.components, target.type->components());
    return isPackedStorage(vector) ? changed(vector, step + "(mrt_v)") : step + "(" + expression(vector) + ")";
  }
  const std::string step = prelude_.step(e.op, target.type.type);
  return isPackedStorage(target) ? changed(target, step + "(mrt_v)") : step + "(" + expression(target) + ")";
}

// x += a * b and x -= a * b.
std::string CppText::assignFused(const Expr& e, const Fused& with) {
  const Type* type = e.a->type.type;
  if (e.a->kind == ExprKind::kSwizzle && type->isVector()) {
    const Expr& vector = *e.a->a;
    const uint32_t count = type->components();
    const std::string own = prelude_.type(type);
    const std::string read = prelude_.swizzle(vector.type.type, e.a->components, count) + "(mrt_v)";
    const std::string set = prelude_.setSwizzle(vector.type.type, e.a->components, count);
    const std::string sum = prelude_.multiplyAdd(with.kind, type) + "(mrt_w, mrt_y, " + read + ")";
    return changed(vector, set + "(mrt_v, " + sum + ")", ", " + own + " mrt_w, " + own + " mrt_y",
                   ", " + expression(*with.product->a) + ", " + expression(*with.product->b));
  }
  if (isSimpleLvalue(*e.a) && !isPackedStorage(*e.a)) {
    const std::string target = expression(*e.a);
    return "(" + target + " = " + fused(with, target) + ")";
  }
  return changed(*e.a, "mrt_v = " + fused(with, "mrt_v"));
}

std::string CppText::assign(const Expr& e) {
  if (const Fused with = contraction_.ofAssign(e); with.kind != Fused::Kind::kNone) return assignFused(e, with);
  const Type* type = e.a->type.type;
  if (type->isArray()) {  // the object of a compound literal gets its values
    return "[&] { " + declare(e.a->type.unqualified(), "mrt_b") + " = " + initializer(*e.b) + "; __builtin_memcpy(&" +
           expression(*e.a) + ", &mrt_b, sizeof mrt_b); }()";
  }
  std::string value = expression(*e.b);
  if (e.a->kind == ExprKind::kSwizzle && type->isVector()) {  // several components: read, change, write back
    const Expr& vector = *e.a->a;
    const uint32_t count = type->components();
    const std::string set = prelude_.setSwizzle(vector.type.type, e.a->components, count);
    const std::string parameter = ", " + prelude_.type(e.b->type.type) + " mrt_w";
    if (e.op == Op::kNone) {
      if (isPackedStorage(vector)) return changed(vector, set + "(mrt_v, mrt_w)", parameter, ", " + value);
      return set + "(" + expression(vector) + ", " + value + ")";
    }
    const std::string read = prelude_.swizzle(vector.type.type, e.a->components, count);
    const std::string result = arithmetic(e.op, type, e.b->type.type, read + "(mrt_v)", "mrt_w");
    return changed(vector, set + "(mrt_v, " + result + ")", parameter, ", " + value);
  }
  const bool is_object = (!type->isScalar() && !type->isPointer()) || isHalf(type);
  if (e.op == Op::kNone && is_object && isPackedStorage(*e.a)) return assignPacked(*e.a, value);
  const std::string target = expression(*e.a);
  if (e.op == Op::kNone) return "(" + target + " = " + value + ")";
  if (!type->isVector() && (isHalf(type) || isHalf(e.b->type.type))) {  // in the common type, which the right side has
    const Type* common = e.b->type.type;
    const auto sum = [&](const std::string& old) {
      return converted(type, common, arithmetic(e.op, common, common, converted(common, type, old), value));
    };
    if (isSimpleLvalue(*e.a) && !isPackedStorage(*e.a)) return "(" + target + " = " + sum(target) + ")";
    return changed(*e.a, "mrt_v = " + sum("mrt_v"));
  }
  if (!type->isVector() && (!needsCare(e.op, type) || isPlainDivisor(e.op, *e.b))) {
    return "(" + target + " " + spell(e.op) + "= " + value + ")";
  }
  if (!type->isVector() && type->isInteger()) {  // in the type that C computes in, then back
    const Type* wide = type;
    const bool shift = e.op == Op::kShl || e.op == Op::kShr;
    const Type* other = e.b->type.type;
    const Scalar own = type->kind == TypeKind::kEnum ? Scalar::kInt : type->scalar;
    Scalar used = own < Scalar::kInt ? Scalar::kInt : own;
    if (!shift && other->isInteger() && other->kind == TypeKind::kScalar && other->scalar > used) used = other->scalar;
    if (!shift && other->isFloating()) return "(" + target + " " + spell(e.op) + "= " + value + ")";
    wide = program_.types.scalar(used);
    const std::string cast = "(" + prelude_.type(wide) + ")";
    const std::string function = prelude_.binary(e.op, wide, shift ? other : wide);
    if (!shift) value = cast + "(" + value + ")";
    if (isSimpleLvalue(*e.a)) {
      return "(" + target + " = (" + baseName(type) + ")" + function + "(" + cast + target + ", " + value + "))";
    }
    return changed(*e.a, "mrt_v = (" + baseName(type) + ")" + function + "(" + cast + "mrt_v, " + value + ")");
  }
  const bool may_repeat = isSimpleLvalue(*e.a) && !isPackedStorage(*e.a);
  if (may_repeat) return "(" + target + " = " + arithmetic(e.op, type, e.b->type.type, target, value) + ")";
  return changed(*e.a, "mrt_v = " + arithmetic(e.op, type, e.b->type.type, "mrt_v", value));
}

}  // namespace manyrt::compiler
