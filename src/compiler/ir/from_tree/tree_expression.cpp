// Values: literals, operators, and what holds them together. Operands are read from left to right.
#include <algorithm>
#include <utility>

#include "compiler/ir/from_tree/tree_reader.h"

namespace manyrt::compiler::ir {
namespace {

bool isComparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }

}  // namespace

Value* TreeReader::truth(const Expr& e) {
  Value* made = value(e);
  return made == nullptr ? out().constant({Kind::kBool}, 0) : isNotZero(out(), made);
}

Value* TreeReader::pointerBinary(const Expr& e) {
  const bool left = e.a->type->isPointer(), right = e.b->type->isPointer();
  if (left && right) {
    Value* a = value(*e.a);
    Value* b = value(*e.b);
    if (isComparison(e.op)) return out().resize(compared(out(), e.op, e.a->type.type, a, b), Kind::kI32, false);
    const Type number{Kind::kI64};
    Value* bytes =
        out().binary(Opcode::kSub, out().unary(Opcode::kPtrToInt, a, number), out().unary(Opcode::kPtrToInt, b, number));
    const uint64_t size = std::max<uint64_t>(sizeOf(e.a->type->inner), 1);
    return size == 1 ? bytes : out().binary(Opcode::kSDiv, bytes, out().constant(number, size));
  }
  const Expr& pointer = left ? *e.a : *e.b;
  const uint64_t size = std::max<uint64_t>(sizeOf(pointer.type->inner), 1);
  if (left) return elementAddress(value(*e.a), *e.b, size, e.op == Op::kSub);
  Value* number = converted(out(), value(*e.a), e.a->type.type, program_.types.scalar(Scalar::kLong));
  Value* bytes = out().binary(Opcode::kMul, number, out().constant(number->type, size));
  return out().offset(value(*e.b), bytes);
}

// && and || of scalars: the right side only where it decides.
Value* TreeReader::logical(const Expr& e) {
  const bool is_and = e.op == Op::kLogicalAnd;
  if (e.a->type->isVector()) {
    Value* both =
        out().binary(is_and ? Opcode::kAnd : Opcode::kOr, isNotZero(out(), value(*e.a)), isNotZero(out(), value(*e.b)));
    return out().resize(both, valueType(e.type.type).kind, true);
  }
  Instruction* made = out().add(Opcode::kIf, {truth(*e.a)}, {Kind::kBool});
  Region* around = out().region();
  for (const bool side : {true, false}) {
    out().enter(made);
    Value* result = side == is_and ? truth(*e.b) : out().constant({Kind::kBool}, !is_and);
    out().end(Opcode::kYield, {result});
  }
  out().moveTo(around);
  return out().resize(made->result(), Kind::kI32, false);
}

Value* TreeReader::conditional(const Expr& e) {
  if (e.a->type->isVector()) {
    Value* chosen = value(*e.a);
    Value* sign = out().compare(Opcode::kSLt, chosen, out().constant(chosen->type, 0));
    Value* a = value(*e.b);
    return out().select(sign, a, value(*e.c));
  }
  Instruction* made = out().add(Opcode::kIf, {truth(*e.a)}, e.type->isVoid() ? Type{} : valueType(e.type.type));
  Region* around = out().region();
  for (const Expr* side : {e.b, e.c}) {
    out().enter(made);
    Value* result = value(*side);
    if (isMemory(e.type.type)) result = stored(result, e.type).address;  // the sides may lie in different memory
    out().end(Opcode::kYield, e.type->isVoid() ? std::vector<Value*>{} : std::vector<Value*>{result});
  }
  out().moveTo(around);
  return made->result();
}

Value* TreeReader::fused(const Fused& fused, Value* addend) {
  Value* a = value(*fused.product->a);
  Value* b = value(*fused.product->b);
  if (fused.kind == Fused::Kind::kNegate) a = out().negative(a);
  if (fused.kind == Fused::Kind::kSubtract) addend = out().negative(addend);
  return out().fma(a, b, addend);
}

Value* TreeReader::binary(const Expr& e) {
  if (const Fused with = contraction_.ofBinary(e); with.kind != Fused::Kind::kNone) return fused(with, value(*with.addend));
  if (e.op == Op::kComma) {
    value(*e.a);
    return value(*e.b);
  }
  if (e.op == Op::kLogicalAnd || e.op == Op::kLogicalOr) return logical(e);
  if (e.a->type->isPointer() || e.b->type->isPointer()) return pointerBinary(e);
  Value* a = value(*e.a);
  Value* b = value(*e.b);
  if (isComparison(e.op)) {
    Value* result = compared(out(), e.op, e.a->type.type, a, b);
    return out().resize(result, valueType(e.type.type).kind, e.type->isVector());  // -1 in components, 1 of scalars
  }
  return arithmetic(out(), e.op, e.type.type, a, b, e.b->type.type);
}

Value* TreeReader::unary(const Expr& e) {
  switch (e.op) {
    case Op::kPlus:
      return value(*e.a);
    case Op::kMinus:
      return out().negative(value(*e.a));
    case Op::kBitNot: {
      Value* a = value(*e.a);
      return out().binary(Opcode::kXor, a, out().constant(a->type, ~uint64_t{0}));
    }
    case Op::kLogicalNot: {
      Value* a = isNotZero(out(), value(*e.a));
      Value* opposite = out().binary(Opcode::kXor, a, out().constant(a->type, 1));
      return out().resize(opposite, valueType(e.type.type).kind, e.type->isVector());
    }
    case Op::kDereference:
      return load(place(e));
    case Op::kAddressOf:
      return place(*e.a).address;
    default:
      return step(e);
  }
}

Value* TreeReader::vectorLiteral(const Expr& e) {
  const uint32_t count = e.type->components();
  if (e.arguments.size() == 1) {
    Value* only = value(*e.arguments[0]);
    return only->type.isVector() ? only : out().splat(only, static_cast<uint8_t>(count));
  }
  std::vector<Value*> elements;
  for (const Expr* argument : e.arguments) {
    Value* part = value(*argument);
    if (!part->type.isVector()) {
      elements.push_back(part);
      continue;
    }
    for (uint32_t i = 0; i < part->type.components; ++i) elements.push_back(out().extract(part, i));
  }
  return out().build(elements);
}

Value* TreeReader::value(const Expr& e) {
  const Location around = std::exchange(out().where, e.where);
  Value* made = nullptr;
  switch (e.kind) {
    case ExprKind::kLiteral:
      made = literal(out(), e);
      break;
    case ExprKind::kVariable:
    case ExprKind::kSubscript:
    case ExprKind::kMember:
    case ExprKind::kString:
      made = load(place(e));
      break;
    case ExprKind::kSwizzle:
      made = e.lvalue ? load(place(e)) : out().shuffle(value(*e.a), e.components, e.type->components());
      break;
    case ExprKind::kUnary:
      made = unary(e);
      break;
    case ExprKind::kBinary:
      made = binary(e);
      break;
    case ExprKind::kAssign:
      made = assign(e);
      break;
    case ExprKind::kConditional:
      made = conditional(e);
      break;
    case ExprKind::kCast:
    case ExprKind::kConvert:
      made = e.a->type->isArray() ? place(*e.a).address : converted(out(), value(*e.a), e.a->type.type, e.type.type);
      break;
    case ExprKind::kVectorLiteral:
      made = vectorLiteral(e);
      break;
    case ExprKind::kCompoundLiteral:
    case ExprKind::kInitializer: {
      Object* object = temporary(out(), e.type.unqualified());
      const Place place{out().address(object), e.type.type, object->alignment, false, nullptr, 0};
      initialize(place, e.kind == ExprKind::kCompoundLiteral ? *e.a : e);
      made = load(place);
      break;
    }
    case ExprKind::kCall:
      made = call(e);
      break;
    case ExprKind::kBuiltinCall:
      made = builtinCall(e);
      break;
  }
  out().where = around;
  return made;
}

}  // namespace manyrt::compiler::ir
