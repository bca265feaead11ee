// Assignments and steps. The value comes first, then the place, which is found once. A compound assignment of scalars computes
// in the type that C computes in and converts back.
#include <algorithm>

#include "compiler/ir/from_tree/tree_reader.h"

namespace manyrt::compiler::ir {
namespace {

Scalar scalarOf(const compiler::Type* type) { return type->kind == TypeKind::kEnum ? Scalar::kInt : type->scalar; }

}  // namespace

Value* TreeReader::assign(const Expr& e) {
  const Tree type = e.a->type.type;
  if (e.op == Op::kNone) {
    if (isMemory(type)) {
      if (e.b->kind == ExprKind::kInitializer) {
        const Place target = place(*e.a);
        initialize(target, *e.b);
        return target.address;
      }
      Value* from = value(*e.b);
      const Place target = place(*e.a);
      store(target, from);
      return target.address;
    }
    Value* made = value(*e.b);
    store(place(*e.a), made);
    return made;
  }
  if (const Fused with = contraction_.ofAssign(e); with.kind != Fused::Kind::kNone) {
    Value* a = value(*with.product->a);
    Value* b = value(*with.product->b);
    const Place target = place(*e.a);
    if (with.kind == Fused::Kind::kNegate) a = out().negative(a);
    Value* made = out().fma(a, b, load(target));
    store(target, made);
    return made;
  }
  if (type->isPointer()) {
    Value* number = converted(out(), value(*e.b), e.b->type.type, program_.types.scalar(Scalar::kLong));
    const uint64_t size = std::max<uint64_t>(sizeOf(type->inner), 1);
    Value* bytes = out().binary(Opcode::kMul, number, out().constant(number->type, size));
    const Place target = place(*e.a);
    Value* made = out().offset(load(target), e.op == Op::kSub ? out().negative(bytes) : bytes);
    store(target, made);
    return made;
  }
  Value* change = value(*e.b);
  const Place target = place(*e.a);
  Value* before = load(target);
  Value* made;
  if (type->isVector()) {
    made = arithmetic(out(), e.op, type, before, change, e.b->type.type);
  } else {
    const bool shift = e.op == Op::kShl || e.op == Op::kShr;
    const Scalar own = std::max(scalarOf(type), Scalar::kInt), other = std::max(scalarOf(e.b->type.type), Scalar::kInt);
    const Tree wide = program_.types.scalar(shift ? own : std::max(own, other));
    if (!shift) change = converted(out(), change, e.b->type.type, wide);
    made = converted(out(), arithmetic(out(), e.op, wide, converted(out(), before, type, wide), change, e.b->type.type), wide,
                     type);
  }
  store(target, made);
  return made;
}

Value* TreeReader::step(const Expr& e) {
  const Tree type = e.type.type;
  const bool up = e.op == Op::kPreIncrement || e.op == Op::kPostIncrement;
  const bool gives_before = e.op == Op::kPostIncrement || e.op == Op::kPostDecrement;
  const Place target = place(*e.a);
  Value* before = load(target);
  Value* after;
  if (type->isPointer()) {
    const uint64_t size = std::max<uint64_t>(sizeOf(type->inner), 1);
    after = out().offset(before, out().constant({Kind::kI64}, up ? size : uint64_t{0} - size));
  } else if (before->type.isBool()) {
    Value* one = out().constant({Kind::kBool}, 1);
    after = up ? one : out().binary(Opcode::kXor, before, one);
  } else if (before->type.isFloating()) {
    after = out().binary(Opcode::kFAdd, before, out().real(before->type, up ? 1 : -1));
  } else {
    after = out().binary(Opcode::kAdd, before, out().constant(before->type, up ? 1 : ~uint64_t{0}));
  }
  store(target, after);
  return gives_before ? before : after;
}

}  // namespace manyrt::compiler::ir
