// Whether lanes pay: memory at places of their own costs a lane more than an item, and the rest an eighth or less.
#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kMaxNodes = 100'000;  // no compiler reads as much
constexpr double kLanes = 8, kGathered = 1.8, kScattered = 3, kLoopRuns = 8, kUneven = 2;

bool isAtomic(const Expr& e) { return e.kind == ExprKind::kBuiltinCall && e.builtin->kind == BuiltinKind::kAtomic; }

}  // namespace

void LaneShapes::count(const Expr* e, double weight) {
  if (e == nullptr) return;
  nodes_ += e->type->components();
  count(e->a, weight);
  count(e->b, weight);
  count(e->c, weight);
  for (const Expr* argument : e->arguments) count(argument, weight);
  // A helper counts at each call, since its text is written there. Helpers that call helpers twice would double this walk with
  // each of them: it stops at kMaxNodes.
  if (e->kind == ExprKind::kCall) {
    if (nodes_ < kMaxNodes) count(e->function->body, weight);
    return;
  }
  weight *= e->type->components();
  const bool reads = e->kind == ExprKind::kSubscript || (e->kind == ExprKind::kUnary && e->op == Op::kDereference);
  const bool works = e->kind == ExprKind::kBinary || e->kind == ExprKind::kUnary || e->kind == ExprKind::kAssign ||
                     e->kind == ExprKind::kConditional || reads;
  const bool calls = e->kind == ExprKind::kBuiltinCall && e->builtin->kind != BuiltinKind::kWorkItem;
  if (of(*e).isUniform() || !(works || calls)) return;
  // Uniform work counts in neither form. Atomic functions run lane after lane, which is a little more than item after item.
  if (calls && isAtomic(*e)) {
    alone_ += 10 * weight;
    together_ += 11 * weight;
  } else if (reads) {
    alone_ += weight;
    together_ += isNear(*e) ? weight / kLanes : weight * kGathered;
  } else if (!of(*e).isLinear()) {
    alone_ += weight;
    together_ += weight / kLanes;
  }
  const bool writes = e->kind == ExprKind::kAssign || (e->kind == ExprKind::kUnary && e->op >= Op::kPreIncrement);
  if (writes && changed(*e) == nullptr) {
    alone_ += weight;
    together_ += isNear(*e->a) ? weight / kLanes : weight * kScattered;
  }
}

// Whether the lanes of an lvalue in memory lie next to each other, or all are at one place.
bool LaneShapes::isNear(const Expr& e) const {
  const Expr* at = &e;
  while (at->kind == ExprKind::kMember || at->kind == ExprKind::kSwizzle) at = at->a;
  if (at->kind == ExprKind::kVariable) return true;
  const Expr* index = at->kind == ExprKind::kSubscript ? at->b : at->a;
  if (index == nullptr) return true;
  const Shape shape = of(*index);
  if (isOwn(e)) return shape.isUniform();
  return shape.isUniform() || (shape.isLinear() && (shape.stride == 1 || shape.stride == -1));
}

void LaneShapes::count(const Stmt* s, double weight) {
  if (s == nullptr) return;
  const double before = together_;
  double inner = weight;
  if (isLoop(*s)) inner *= kLoopRuns;
  for (const Variable* variable : s->variables) count(variable->initializer, weight);
  count(s->init, weight);
  count(s->a, inner);
  count(s->b, inner);
  count(s->first, inner);
  count(s->second, inner);
  for (const Stmt* each : s->body) count(each, weight);
  if (isLoop(*s) && diverges(*s)) together_ = before + (together_ - before) * kUneven;
}

}  // namespace manyrt::compiler
