// How far the lanes of an integer or a pointer are apart, and whether a number of 32 bits may wrap between two of them. Ids
// have bounds, and so have sums and products of ids and constants: what leaves its type within these bounds may wrap. Lanes
// that may wrap keep their distance modulo 2^32 alone, so that nothing with 64 bits that is made of them has a distance.
//
// What is added may be unknown, as a size that the kernel is given. Unsigned sums of it may wrap. Signed ones would overflow,
// which C leaves undefined, and are taken not to. In the same way an index that is signed is taken not to wrap: memory on both
// sides of a place would have to be larger than 2^31 elements.
#include <algorithm>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/unit.h"

namespace manyrt::compiler {
namespace {

constexpr int64_t kMostStride = int64_t{1} << 40;

bool isBool(const Type* type) { return type->kind == TypeKind::kScalar && type->scalar == Scalar::kBool; }

constexpr int64_t kBound = int64_t{1} << 60;  // of ranges: what goes beyond it is not known

Range known(int64_t low, int64_t high) { return low < -kBound || high > kBound ? Range() : Range{low, high}; }

Range sum(Range a, Range b) { return a.isKnown() && b.isKnown() ? known(a.low + b.low, a.high + b.high) : Range(); }

Range product(Range a, int64_t factor) {
  int64_t low = 0, high = 0;
  if (!a.isKnown() || __builtin_mul_overflow(a.low, factor, &low) || __builtin_mul_overflow(a.high, factor, &high)) return {};
  return known(std::min(low, high), std::max(low, high));
}

// What is added from lane to lane; nothing: too much to count with.
std::optional<int64_t> times(int64_t stride, int64_t factor) {
  int64_t result = 0;
  if (__builtin_mul_overflow(stride, factor, &result) || result > kMostStride || result < -kMostStride) return std::nullopt;
  return result;
}

}  // namespace

bool Range::fits(const Type* type) const {
  const int bits = 8 * static_cast<int>(sizeOf(QualType{type}));
  if (!isKnown() || bits > 32) return false;
  const int64_t end = int64_t{1} << (type->isSigned() ? bits - 1 : bits);
  return low >= (type->isSigned() ? -end : 0) && high < end;
}

// A linear integer of a type. `range`: of its values, if no step on the way has left the type.
Shape LaneShapes::integer(const Type* type, int64_t stride, bool wraps, Range range) const {
  if (sizeOf(QualType{type}) == 4) {
    if (stride != static_cast<int32_t>(stride)) return Shape::varying();
    if (!wraps && type->isSigned() && !range.isKnown()) return Shape::linear(stride);
    return wraps || !range.fits(type) ? Shape::linear(stride, true) : Shape::linear(stride, false, range);
  }
  const bool is_known = range.isKnown() && (type->isSigned() || range.low >= 0);
  return Shape::linear(stride, false, is_known ? range : Range());
}

// Of an integer that is uniform or linear and does not wrap. Its shape is given: to ask for it at each level again would take
// twice as long for each term of a sum.
Range LaneShapes::range(const Expr& e, const Shape& shape) const {
  if (shape.isLinear()) return shape.range;
  if (!isInteger(e)) return {};
  if (const auto constant = constantOf(e)) return {*constant, *constant};
  if (isConversion(e) && isInteger(*e.a)) {
    const Range inner = range(*e.a, of(*e.a));
    const bool keeps =
        sizeOf(e.type) == 8 ? inner.isKnown() && (e.type->isSigned() || inner.low >= 0) : inner.fits(e.type.type);
    if (keeps) return inner;
  }
  if (e.kind == ExprKind::kBuiltinCall && e.builtin->kind == BuiltinKind::kWorkItem) {
    switch (e.builtin->work_item) {
      case WorkItem::kGlobalId:
      case WorkItem::kGroupId:
        return {0, id_limit_};
      case WorkItem::kLocalId:
      case WorkItem::kLocalSize:
      case WorkItem::kLocalLinearId:
      case WorkItem::kEnqueuedLocalSize:
        return {0, kMaxCallItems};
      default:
        return {};
    }
  }
  if (sizeOf(e.type) == 8 || (sizeOf(e.type) == 4 && e.type->isSigned())) return {};
  const int bits = 8 * static_cast<int>(sizeOf(e.type));
  const int64_t end = int64_t{1} << (e.type->isSigned() ? bits - 1 : bits);
  return {e.type->isSigned() ? -end : 0, end - 1};
}

// A pointer by as many elements of so many bytes further; `bytes` is negative where the index is subtracted.
Shape LaneShapes::moved(Shape pointer, const Expr& index, const Shape& by, int64_t bytes) const {
  if (pointer.isVarying() || by.isVarying()) return Shape::varying();
  if (by.isUniform()) return pointer;
  if (by.wraps && isUnsigned32(index)) {
    limited_ = true;
    return Shape::varying();
  }
  const auto stride = times(by.stride, bytes);
  return stride ? Shape::linear(*stride + (pointer.isLinear() ? pointer.stride : 0)) : Shape::varying();
}

Shape LaneShapes::binary(const Expr& e) const {
  const Shape a = of(*e.a), b = of(*e.b);
  if (e.op == Op::kComma) return a.isVarying() ? a : b;  // what one lane computes for all has no place for a vector
  if (a.isUniform() && b.isUniform()) return Shape::uniform();
  if (e.type->isPointer() && (e.op == Op::kAdd || e.op == Op::kSub)) {
    const bool left = e.a->type->isPointer();
    const auto size = static_cast<int64_t>(sizeOf(e.type->inner));
    return moved(left ? a : b, left ? *e.b : *e.a, left ? b : a, e.op == Op::kSub ? -size : size);
  }
  if (a.isVarying() || b.isVarying() || !isInteger(e) || sizeOf(e.type) < 4) return Shape::varying();
  if (e.a->type->isPointer()) {  // the elements between two pointers
    const auto size = static_cast<int64_t>(sizeOf(e.a->type->inner));
    const int64_t bytes = (a.isLinear() ? a.stride : 0) - (b.isLinear() ? b.stride : 0);
    if (e.op != Op::kSub || size == 0 || bytes % size != 0) return Shape::varying();
    return Shape::linear(bytes / size);
  }
  const bool wraps = a.wraps || b.wraps;
  const Type* type = e.type.type;
  switch (e.op) {
    case Op::kAdd:
      return integer(type, a.stride + b.stride, wraps, sum(range(*e.a, a), range(*e.b, b)));
    case Op::kSub:
      return integer(type, a.stride - b.stride, wraps, sum(range(*e.a, a), product(range(*e.b, b), -1)));
    case Op::kMul:
    case Op::kShl: {
      const bool left = a.isLinear() || e.op == Op::kShl;
      const Expr &line = left ? *e.a : *e.b, &other = left ? *e.b : *e.a;
      const Shape& shape = left ? a : b;
      const auto amount = (left ? b : a).isUniform() ? constantOf(other) : std::nullopt;
      if (!amount || (e.op == Op::kShl && (*amount < 0 || *amount > 16))) return Shape::varying();
      const int64_t factor = e.op == Op::kShl ? int64_t{1} << *amount : *amount;
      const auto stride = times(shape.stride, factor);
      return stride ? integer(type, *stride, wraps, product(range(line, shape), factor)) : Shape::varying();
    }
    default:
      return Shape::varying();
  }
}

// A cast, or a conversion that the parser has written out.
Shape LaneShapes::converted(const Expr& e) const {
  if (e.a->type->isArray()) return address(*e.a);
  const Shape a = of(*e.a);
  if (!a.isLinear()) return a;
  const Type *to = e.type.type, *from = e.a->type.type;
  if (to->isPointer() && from->isPointer()) return a;
  const bool is_place = from->isPointer();
  const bool is_number = to->isInteger() && to->isScalar() && !isBool(to) && sizeOf(e.type) >= 4;
  if (!(is_number || to->isPointer()) || !(is_place || isInteger(*e.a))) return Shape::varying();
  if (to->isPointer() || sizeOf(e.type) == 8) {
    if (a.wraps) {
      limited_ = true;
      return Shape::varying();
    }
    return to->isPointer() || is_place ? Shape::linear(a.stride) : integer(to, a.stride, false, a.range);
  }
  const bool is_cut = is_place || (sizeOf(e.a->type) == 8 && !a.range.isKnown());
  return integer(to, a.stride, a.wraps || is_cut, a.range);
}

// Of the address of an lvalue that is not in an object of each lane.
Shape LaneShapes::address(const Expr& e) const {
  switch (e.kind) {
    case ExprKind::kVariable:
      return Shape::uniform();
    case ExprKind::kMember:
    case ExprKind::kSwizzle:
      return address(*e.a);
    case ExprKind::kSubscript:
      if (!e.a->type->isPointer()) return Shape::varying();
      return moved(of(*e.a), *e.b, of(*e.b), static_cast<int64_t>(sizeOf(e.type)));
    case ExprKind::kUnary:
      return e.op == Op::kDereference ? of(*e.a) : Shape::varying();
    default:
      return Shape::varying();
  }
}

}  // namespace manyrt::compiler
