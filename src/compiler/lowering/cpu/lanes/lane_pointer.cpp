// Pointers for vectors of work-items. Most are followed to a place where they stand: what all lanes share, a step from lane to
// lane, an own object. The rest are values: a lane of a pointer is its address, a number of 64 bits, which is compared, stored,
// chosen and moved like any other.
#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {

// Whether a pointer is made of another one, or of the address of something: its place follows from theirs.
bool LaneText::isDerived(const Expr& e) const {
  switch (e.kind) {
    case ExprKind::kConvert:
    case ExprKind::kCast:
      return e.a->type->isPointer() || e.a->type->isArray();
    case ExprKind::kBinary:
      return true;  // + and -, and the comma
    case ExprKind::kUnary:
      return e.op == Op::kAddressOf;
    case ExprKind::kVariable:
      return aliases_.count(e.variable) != 0;
    default:
      return false;
  }
}

LaneText::Place LaneText::pointer(const Expr& e) {
  // The same for all lanes, and no private memory: an expression of one item.
  if (!isDerived(e) || (shapes_.of(e).isUniform() && e.kind != ExprKind::kVariable && isScalar(e))) return pointed(e);
  switch (e.kind) {
    case ExprKind::kConvert:
    case ExprKind::kCast: {
      Place at = e.a->type->isArray() ? place(*e.a) : pointer(*e.a);
      if (at.kind != Place::Kind::kOwn) at.pointer = "(" + text_.typeName(e.type.unqualified()) + ")(" + at.pointer + ")";
      return at;
    }
    case ExprKind::kBinary: {
      if (e.op == Op::kComma) {
        effect(*e.a);
        return pointer(*e.b);
      }
      const bool left = e.a->type->isPointer();
      return offset(pointer(left ? *e.a : *e.b), left ? *e.b : *e.a, e.op == Op::kSub, sizeOf(e.type->inner));
    }
    case ExprKind::kUnary:
      return place(*e.a);
    default:
      return aliases_.at(e.variable);
  }
}

// By its shape: there is no other case.
LaneText::Place LaneText::pointed(const Expr& e) {
  const Shape shape = shapes_.of(e);
  Place at;
  if (shape.isVarying()) {
    at.kind = Place::Kind::kIndex;
    at.index = temporary(value(e));
    at.pointer = "((" + text_.typeName(e.type.unqualified()) + ")mrt_nowhere())";
    at.scale = "1l";
    return at;
  }
  at.pointer = hasEffects(e) ? temporary(scalar(e)) : "(" + scalar(e) + ")";
  if (shape.isUniform()) return at;
  at.kind = Place::Kind::kStep;
  at.step = std::to_string(shape.stride) + "l";
  at.scale = "1l";
  at.apart = shape.stride;
  return at;
}

std::string LaneText::address(const Place& at) {
  const std::string first = "(unsigned long)(" + at.pointer + ")";
  const std::string apart = "mrt_L::to<unsigned long>(mrt_L::to<long>(" + at.index + ") * " + at.scale + ")";
  switch (at.kind) {
    case Place::Kind::kOne:
      return "mrt_L::all<unsigned long>(" + first + ")";
    case Place::Kind::kStep:
      // Where an index may wrap, the lanes' own indices hold either way.
      if (!at.guard.empty()) return "(mrt_L::all<unsigned long>(" + first + ") + " + apart + ")";
      return "mrt_L::line<unsigned long>(" + first + ", (unsigned long)((" + at.step + ") * " + at.scale + "))";
    case Place::Kind::kIndex:
      return "(mrt_L::all<unsigned long>(" + first + ") + " + apart + ")";
    default:
      return refuse("it has an address in private memory that is made of vectors");
  }
}

// A pointer value with a number of elements added to it, as a vector of long.
std::string LaneText::sum(const Type* pointer, const std::string& from, const std::string& elements, bool negative) {
  const std::string size = std::to_string(sizeOf(pointer->inner)) + "ul";
  return "(" + from + (negative ? " - " : " + ") + "mrt_L::to<unsigned long>(" + elements + ") * " + size + ")";
}

// The elements between two pointers.
std::string LaneText::distance(const Expr& e) {
  const uint64_t size = sizeOf(e.a->type->inner);
  const std::string left = temporary(value(*e.a));
  const std::string bytes = "(mrt_L::v<long>)(" + left + " - " + value(*e.b) + ")";
  if ((size & (size - 1)) == 0) return "(" + bytes + " >> " + std::to_string(__builtin_ctzll(size)) + ")";
  return "mrt_L::each<long>([](auto mrt_a) __attribute__((always_inline)) { return mrt_a / " + std::to_string(size) + "l; }, " +
         bytes + ")";
}

// Whether the text of one item says what all lanes share, or what the first one has: nothing in it has a value for each lane.
bool LaneText::isScalar(const Expr& root) const { return !shapes_.of(root).isVarying() && hasFirstLane(root); }

// The same of sums and products whose lanes keep a distance that only a running kernel knows: `row * n + i`.
bool LaneText::hasFirstLane(const Expr& root) const {
  bool fine = true;
  visit(const_cast<Expr*>(&root), [&](Expr& e) {
    const bool sums = e.kind == ExprKind::kBinary && (e.op == Op::kAdd || e.op == Op::kSub || e.op == Op::kMul);
    if (!sums && !isConversion(e)) fine = fine && !shapes_.of(e).isVarying();
    if (e.kind == ExprKind::kVariable) fine = fine && !shapes_.isObject(*e.variable) && !shapes_.isAlias(*e.variable);
  });
  return fine;
}

std::string LaneText::refuse(const std::string& why) {
  if (refusal_.empty()) refusal_ = why;
  return "mrt_refused";
}

}  // namespace manyrt::compiler
