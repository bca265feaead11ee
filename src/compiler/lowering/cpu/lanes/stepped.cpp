// Indices that grow by the same amount from lane to lane, though the amount is known only when a kernel runs: `row * n + id`.
#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {

const Expr& behindWidening(const Expr& e) {
  const Expr* inner = &e;
  while (inner->kind == ExprKind::kConvert && inner->type->isInteger() && inner->a->type->isInteger() &&
         inner->a->type->isScalar() && sizeOf(inner->a->type) >= 4 && sizeOf(inner->type) > sizeOf(inner->a->type)) {
    inner = inner->a;
  }
  return *inner;
}

bool isUnsigned32(const Expr& e) { return isInteger(e) && !e.type->isSigned() && sizeOf(e.type) == 4; }

bool LaneShapes::isStepped(const Expr& given, std::vector<const Expr*>* wrapping) const {
  const Expr& index = behindWidening(given);
  const Shape shape = of(index);
  if (shape.isUniform()) return true;
  if (isUnsigned32(index)) {
    if (!shape.isLinear() && !isSteppedMod32(index)) return false;
    if (!shape.isLinear() || shape.wraps) wrapping->push_back(&index);
    return true;
  }
  if (shape.isLinear()) return true;
  if (index.kind != ExprKind::kBinary || !isInteger(index) || sizeOf(index.type) < 4 || index.a->type->isPointer())
    return false;
  switch (index.op) {
    case Op::kAdd:
    case Op::kSub:
      return isStepped(*index.a, wrapping) && isStepped(*index.b, wrapping);
    case Op::kMul:
      return (of(*index.a).isUniform() && isStepped(*index.b, wrapping)) ||
             (of(*index.b).isUniform() && isStepped(*index.a, wrapping));
    default:
      return false;
  }
}

// The same for the low 32 bits.
bool LaneShapes::isSteppedMod32(const Expr& index) const {
  const Shape shape = of(index);
  if (shape.isUniform() || shape.isLinear()) return true;
  if (!isInteger(index) || sizeOf(index.type) != 4) return false;
  if (isConversion(index)) return isInteger(*index.a) && sizeOf(index.a->type) == 4 && isSteppedMod32(*index.a);
  if (index.kind != ExprKind::kBinary || index.a->type->isPointer()) return false;
  if (index.op == Op::kAdd || index.op == Op::kSub) return isSteppedMod32(*index.a) && isSteppedMod32(*index.b);
  return index.op == Op::kMul &&
         ((of(*index.a).isUniform() && isSteppedMod32(*index.b)) || (of(*index.b).isUniform() && isSteppedMod32(*index.a)));
}

bool LaneShapes::isLikelyStepped(const Expr& index, int depth) const {
  constexpr int kMaxVariables = 4;  // that an index goes through
  bool found = false;
  visit(const_cast<Expr*>(&index), [&](Expr& e) {
    if (e.kind == ExprKind::kConditional) found = true;
    if (e.kind == ExprKind::kBinary && e.op == Op::kRem) found = true;
    if (e.kind == ExprKind::kBinary && e.op >= Op::kBitAnd && e.op <= Op::kBitXor) {
      const Shape a = of(*e.a), b = of(*e.b);
      found = found || (a.isLinear() && b.isUniform()) || (a.isUniform() && b.isLinear());
    }
    if (e.kind == ExprKind::kBuiltinCall) {
      const std::string& name = e.builtin->name;
      found = found || name == "min" || name == "max" || name == "clamp" || name == "select";
    }
    if (e.kind == ExprKind::kVariable && likely_.count(e.variable) != 0) found = true;
    if (e.kind == ExprKind::kVariable && depth < kMaxVariables && e.variable->initializer != nullptr &&
        e.variable->initializer->kind != ExprKind::kInitializer) {
      found = found || isLikelyStepped(*e.variable->initializer, depth + 1);
    }
  });
  return found;
}

}  // namespace manyrt::compiler
