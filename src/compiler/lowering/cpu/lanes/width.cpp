// How wide the vectors of a region are: the bytes of the widest value that needs one decide how many lanes there are.
#include <algorithm>

#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

// Vectors wider than a register are two, which a compiler keeps in memory more often. Where fewer than one in so many numbers
// has 8 bytes, that costs less than half the lanes for all others.
constexpr double kRare = 4;

}  // namespace

void LaneShapes::findWidth(const std::vector<Stmt*>& statements) {
  const auto each = [&](auto visitor) {
    for (const Stmt* s : statements) visitExpressions(const_cast<Stmt*>(s), visitor);
    for (const auto& [function, shape] : results_) visitExpressions(function->body, visitor);
  };
  each([&](Expr& e) { findCut(e); });
  each([&](Expr& e) { findSteps(e); });
  // Vectors wider than a register are two of them. For integers around a loop that costs less than half the lanes in it would.
  bool has_loops = false, calls = false;
  const auto inside = [&](Stmt& s) {
    if (!isLoop(s)) return;
    has_loops = true;
    visitExpressions(&s, [&](Expr& e) {
      calls = calls || e.kind == ExprKind::kCall;
      measure(e);
    });
  };
  for (const Stmt* s : statements) visitStatements(const_cast<Stmt*>(s), inside);
  for (const auto& [function, shape] : results_) visitStatements(function->body, inside);
  for (const auto& [function, shape] : results_) {  // some of them are called in a loop
    if (calls) visitExpressions(function->body, [&](Expr& e) { measure(e); });
  }
  each([&](Expr& e) {
    if (!has_loops || e.type->isFloating() || e.type->isVector()) measure(e);
  });
  if (widest_ != 8) return;
  Work work;
  for (const Stmt* s : statements) weigh(s, 1, &work);
  if (work.wide * kRare < work.all) widest_ = 4;
}

void LaneShapes::weigh(const Stmt* s, double weight, Work* work) const {
  if (s == nullptr) return;
  const double inner = isLoop(*s) ? weight * kLoopRuns : weight;
  for (const Variable* variable : s->variables) weigh(variable->initializer, weight, work);
  weigh(s->init, weight, work);
  weigh(s->a, inner, work);
  weigh(s->b, inner, work);
  weigh(s->first, inner, work);
  weigh(s->second, inner, work);
  for (const Stmt* each : s->body) weigh(each, weight, work);
}

void LaneShapes::weigh(const Expr* e, double weight, Work* work) const {
  if (e == nullptr || ++work->nodes > kMaxNodes) return;
  weigh(e->a, weight, work);
  weigh(e->b, weight, work);
  weigh(e->c, weight, work);
  for (const Expr* argument : e->arguments) weigh(argument, weight, work);
  if (e->kind == ExprKind::kCall) return weigh(e->function->body, weight, work);
  const bool works = e->kind == ExprKind::kBinary || e->kind == ExprKind::kUnary || e->kind == ExprKind::kAssign ||
                     e->kind == ExprKind::kConditional || e->kind == ExprKind::kSubscript || e->kind == ExprKind::kConvert ||
                     e->kind == ExprKind::kBuiltinCall;
  if (!works || !of(*e).isVarying() || cut_.count(e) != 0 || !isLaneType(e->type.type) || e->type->isPointer()) return;
  const double amount = weight * e->type->components() * (isFunctionForLanes(*e) ? kFunction : 1);
  const QualType element = e->type->isVector() ? QualType{e->type->element} : e->type;
  work->all += amount;
  if (sizeOf(element) == 8) work->wide += amount;
}

// Doubles that are computed as floats have no vector (LaneText::inFloat).
void LaneShapes::findFloats(const Expr& e) {
  const bool rounds = isConversion(e) && isScalarOf(e.type, Scalar::kFloat) && isScalarOf(e.a->type, Scalar::kDouble);
  const Expr& computes = rounds ? *e.a : e;
  if (!isOfFloatsAsDoubles(computes) || rounds != isScalarOf(computes.type, Scalar::kDouble)) return;
  if (rounds) cut_.insert(&computes);
  cut_.insert({computes.a, computes.b});
}

void LaneShapes::findCut(const Expr& e) {
  findFloats(e);
  if (!cutsOperand(e)) return;
  const Expr& operand = e.kind == ExprKind::kAssign ? *e.b : *e.a;
  const uint32_t bytes = static_cast<uint32_t>(sizeOf(e.type));
  if (of(operand).isVarying() && followsFromLow(operand, bytes)) cut(operand, bytes);
}

void LaneShapes::cut(const Expr& e, uint32_t bytes) {
  cut_.insert(&e);
  for (const Expr* operand : {e.a, e.kind == ExprKind::kBinary && e.op != Op::kShl ? e.b : nullptr}) {
    if (operand != nullptr && of(*operand).isVarying() && followsFromLow(*operand, bytes)) cut(*operand, bytes);
  }
}

// An index by steps, `row * n + id` in 64 bits, is never a vector, though no constant says how far its lanes are apart.
void LaneShapes::findSteps(const Expr& e) {
  std::vector<const Expr*> wrapping;
  if (e.kind != ExprKind::kSubscript || !e.a->type->isPointer() || !of(*e.a).isUniform()) return;
  if (isStepped(*e.b, &wrapping) && wrapping.empty()) visit(e.b, [&](Expr& each) { cut_.insert(&each); });
}

void LaneShapes::measure(const Expr& e) {
  if (!of(e).isVarying() || cut_.count(&e) != 0) return;
  // Most pointers are followed to places, whose parts are measured; the rest are numbers of 64 bits.
  if (e.type->isPointer() && (e.kind != ExprKind::kVariable || isAlias(*e.variable))) return;
  if (!isLaneType(e.type.type)) return;
  const QualType element = e.type->isVector() ? QualType{e.type->element} : e.type;
  widest_ = std::max(widest_, static_cast<uint32_t>(sizeOf(element)));
}

}  // namespace manyrt::compiler
