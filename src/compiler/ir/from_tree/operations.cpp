// Conversions between the types of the tree, each one or two operations, and arithmetic. Integers and halves meet by way of
// float, as the language's half does.
#include "compiler/ir/from_tree/operations.h"

#include <utility>

namespace manyrt::compiler::ir {

bool isSigned(const compiler::Type* type) { return type->kind == TypeKind::kEnum || type->isSigned(); }

Type valueType(Tree type) {
  switch (type->kind) {
    case TypeKind::kVoid:
    case TypeKind::kFunction:
      return {};
    case TypeKind::kEnum:
      return {Kind::kI32};
    case TypeKind::kEvent:
      return {Kind::kI64};
    case TypeKind::kPointer:
      return Type::pointer(type->inner.space);
    case TypeKind::kArray:
    case TypeKind::kRecord:
      return Type::pointer(AddressSpace::kPrivate);
    case TypeKind::kScalar:
    case TypeKind::kVector:
      break;
  }
  static constexpr Kind kKinds[] = {Kind::kBool, Kind::kI8,  Kind::kI8,  Kind::kI16, Kind::kI16, Kind::kI32,
                                    Kind::kI32,  Kind::kI64, Kind::kI64, Kind::kF16, Kind::kF32, Kind::kF64};
  return {kKinds[static_cast<size_t>(type->scalar)], static_cast<uint8_t>(type->components())};
}

Type memoryType(Tree type) {
  const Type value = valueType(type);
  return value.isBool() ? value.with(Kind::kI8) : value;
}

Object* temporary(Writer& out, QualType type) { return out.slot("", sizeOf(type), alignmentOf(type)); }

Value* literal(Writer& out, const compiler::Expr& e) {
  const Type type = valueType(e.type.type);
  if (type.isFloating()) return out.real(type, e.real);
  if (type.isBool()) return out.constant(type, e.integer != 0);
  return out.constant(type, e.integer);
}

Value* isNotZero(Writer& out, Value* value) {
  const Type type = value->type;
  if (type.isBool()) return value;
  if (type.isFloating()) return out.compare(Opcode::kFNe, value, out.real(type, 0));
  return out.compare(Opcode::kNe, value, out.constant(type, 0));
}

namespace {

Value* convertedScalar(Writer& out, Value* value, Tree from, Tree to) {
  const Type target = valueType(to);
  if (value->type == target) return value;  // of integers a change of sign, of pointers one of what they point to
  if (target.isBool()) return isNotZero(out, value);
  if (value->type.isPointer()) {
    if (target.isPointer()) return out.unary(Opcode::kIntToPtr, out.unary(Opcode::kPtrToInt, value, {Kind::kI64}), target);
    return out.resize(out.unary(Opcode::kPtrToInt, value, {Kind::kI64}), target.kind, false);
  }
  if (target.isPointer()) {
    return out.unary(Opcode::kIntToPtr, out.resize(value, Kind::kI64, isSigned(from)), target);
  }
  const Type source = value->type;
  if (!source.isFloating() && !target.isFloating()) return out.resize(value, target.kind, !source.isBool() && isSigned(from));
  if (source.isFloating() && target.isFloating()) {
    const bool narrow = bitsOf(target.kind) < bitsOf(source.kind);
    return out.unary(narrow ? Opcode::kFPTrunc : Opcode::kFPExt, value, target);
  }
  const Type single{Kind::kF32};
  if (source.isFloating()) {
    if (source.kind == Kind::kF16) value = out.unary(Opcode::kFPExt, value, single);
    return out.unary(isSigned(to) ? Opcode::kFPToSI : Opcode::kFPToUI, value, target);
  }
  if (source.isBool()) value = out.resize(value, Kind::kI32, false);
  const Opcode op = source.isBool() || isSigned(from) ? Opcode::kSIToFP : Opcode::kUIToFP;
  if (target.kind == Kind::kF16) return out.unary(Opcode::kFPTrunc, out.unary(op, value, single), target);
  return out.unary(op, value, target);
}

}  // namespace

Value* converted(Writer& out, Value* value, Tree from, Tree to) {
  if (to->isVoid() || value == nullptr) return nullptr;
  if (from == to || isMemory(to)) return value;
  if (to->isVector()) {
    if (from->isVector()) return value;  // its own type: others take a function of the language
    return out.splat(convertedScalar(out, value, from, to->element), static_cast<uint8_t>(to->components()));
  }
  return convertedScalar(out, value, from, to);
}

Value* compared(Writer& out, Op op, Tree operands, Value* a, Value* b) {
  if (op == Op::kGreater || op == Op::kGreaterEqual) {
    std::swap(a, b);
    op = op == Op::kGreater ? Op::kLess : Op::kLessEqual;
  }
  const bool floating = a->type.isFloating();
  switch (op) {
    case Op::kEqual:
      return out.compare(floating ? Opcode::kFEq : Opcode::kEq, a, b);
    case Op::kNotEqual:
      return out.compare(floating ? Opcode::kFNe : Opcode::kNe, a, b);
    default:
      break;
  }
  const bool is_signed = !a->type.isPointer() && isSigned(operands);
  if (op == Op::kLess) return out.compare(floating ? Opcode::kFLt : is_signed ? Opcode::kSLt : Opcode::kULt, a, b);
  return out.compare(floating ? Opcode::kFLe : is_signed ? Opcode::kSLe : Opcode::kULe, a, b);
}

// Both operands have the type; the amount of a shift its own. A division by zero is one by one, and the lowest number by -1 is
// itself; a shift takes its amount modulo the width.
Value* arithmetic(Writer& out, Op op, Tree type, Value* a, Value* b, Tree amount) {
  const Type kind = a->type;
  const bool is_signed = type->hasIntegerElements() && isSigned(type);
  const auto two = [&](Opcode integers, Opcode floats) { return out.binary(kind.isFloating() ? floats : integers, a, b); };
  switch (op) {
    case Op::kAdd:
      return two(Opcode::kAdd, Opcode::kFAdd);
    case Op::kSub:
      return two(Opcode::kSub, Opcode::kFSub);
    case Op::kMul:
      return two(Opcode::kMul, Opcode::kFMul);
    case Op::kDiv:
    case Op::kRem: {
      if (kind.isFloating()) return out.binary(Opcode::kFDiv, a, b);
      Value* one = out.constant(kind, 1);
      b = out.select(out.compare(Opcode::kEq, b, out.constant(kind, 0)), one, b);
      if (!is_signed) return out.binary(op == Op::kDiv ? Opcode::kUDiv : Opcode::kURem, a, b);
      Value* minus = out.compare(Opcode::kEq, b, out.constant(kind, ~uint64_t{0}));
      Value* safe = out.select(minus, one, b);
      if (op == Op::kRem) return out.select(minus, out.constant(kind, 0), out.binary(Opcode::kSRem, a, safe));
      return out.select(minus, out.negative(a), out.binary(Opcode::kSDiv, a, safe));
    }
    case Op::kShl:
    case Op::kShr: {
      Value* bits = out.resize(b, kind.kind, isSigned(amount));
      if (kind.components > bits->type.components) bits = out.splat(bits, kind.components);
      bits = out.binary(Opcode::kAnd, bits, out.constant(kind, bitsOf(kind.kind) - 1));
      return out.binary(op == Op::kShl ? Opcode::kShl : is_signed ? Opcode::kAShr : Opcode::kLShr, a, bits);
    }
    case Op::kBitAnd:
      return out.binary(Opcode::kAnd, a, b);
    case Op::kBitOr:
      return out.binary(Opcode::kOr, a, b);
    default:
      return out.binary(Opcode::kXor, a, b);
  }
}

}  // namespace manyrt::compiler::ir
