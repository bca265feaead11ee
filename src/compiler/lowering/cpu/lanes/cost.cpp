// Whether lanes pay: memory at places of their own costs a lane more than an item, and the rest an eighth or less. The numbers
// were fitted to the kernels of benchmarks/kernels in both forms, on processors with AVX-512.
#include <set>
#include <string_view>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/builtins/lane_call.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr double kLanes = 8, kUneven = 2;  // kLanes: of 4 bytes
constexpr double kAtomic = 4, kAtomicLane = 5;
// Memory of a lane: at one distance from the next, anywhere, and anywhere under a mask. What is read needs an index out of a
// vector and goes into another one; what is written needs both out. Where the processor does that by itself, lanes that are
// likely to be neighbours cost what neighbours do and the question whether they are.
constexpr double kSteppedRead = 1.3;
// As an element of a tile: a load and the steps of a shuffle for each vector.
constexpr double kTileRead = 5;
constexpr double kSteppedWrite = 2;
struct FarCosts {
  double read, masked_read, written, masked_written;
};
constexpr FarCosts kInTurn = {1.8, 2.2, 3, 7}, kGathered = {1.5, 1.6, 2, 2}, kLikelyGathered = {0.8, 0.8, 0.8, 0.8};
constexpr double kMask = 0.5;              // to enter what only some lanes take
constexpr double kMispredictedBranch = 2;  // a branch in a loop, which a processor foresees or not

bool isAtomic(const Expr& e) { return e.kind == ExprKind::kBuiltinCall && e.builtin->kind == BuiltinKind::kAtomic; }

}  // namespace

// builtins/library/elementary has them.
bool isFunctionForLanes(const Expr& e) {
  static const std::set<std::string_view> kOfFloatsAlone = {"pown", "rootn", "tanpi"};
  if (e.kind != ExprKind::kBuiltinCall || e.builtin->kind != BuiltinKind::kPure) return false;
  const Type* type = e.type->isVector() ? e.type->element : e.type.type;
  const std::string_view name = e.builtin->name;
  if (!isElementary(name)) return false;
  return type->scalar == Scalar::kFloat || (type->scalar == Scalar::kDouble && kOfFloatsAlone.count(name) == 0);
}

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
  const double each = weight / (kLanes * 4 / widest_);
  const bool reads = e->kind == ExprKind::kSubscript || (e->kind == ExprKind::kUnary && e->op == Op::kDereference);
  const bool works = e->kind == ExprKind::kBinary || e->kind == ExprKind::kUnary || e->kind == ExprKind::kAssign ||
                     e->kind == ExprKind::kConditional || reads;
  const bool calls = e->kind == ExprKind::kBuiltinCall && e->builtin->kind != BuiltinKind::kWorkItem;
  if (!works && !calls) return;
  if (of(*e).isUniform()) {
    const double work = isFunctionForLanes(*e) ? kFunction : 1;
    uniform_alone_ += weight * work;
    uniform_together_ += each * work;
    return;
  }
  // Uniform work is compared in neither form. Atomic functions run lane after lane, which is a little more than item after
  // item.
  if (calls && isAtomic(*e)) {
    alone_ += kAtomic * weight;
    together_ += kAtomicLane * weight;
  } else if (reads) {
    alone_ += weight;
    const bool in_tile = tile_loads_.count(e) != 0;
    reaches_far_ = reaches_far_ || !(in_tile || isNear(*e));
    together_ += in_tile ? kTileRead * each : isNear(*e) ? each : weight * readCost(*e);
  } else if (!of(*e).isLinear()) {
    const double work = isFunctionForLanes(*e) ? kFunction : 1;
    alone_ += weight * work;
    together_ += each * work;
  }
  const bool writes = e->kind == ExprKind::kAssign || (e->kind == ExprKind::kUnary && e->op >= Op::kPreIncrement);
  if (writes && changed(*e) == nullptr) {
    alone_ += weight;
    reaches_far_ = reaches_far_ || !isNear(*e->a);
    together_ += isNear(*e->a) ? each : weight * writeCost(*e->a);
  }
}

// Whether the lanes of an lvalue in memory lie next to each other, or all are at one place.
bool LaneShapes::isNear(const Expr& e) const {
  const Expr* at = &e;
  while (at->kind == ExprKind::kMember || at->kind == ExprKind::kSwizzle) at = at->a;
  if (at->kind == ExprKind::kVariable) return true;
  const bool is_place = at->kind == ExprKind::kSubscript || (at->kind == ExprKind::kUnary && at->op == Op::kDereference);
  if (!is_place) return true;
  if (isOwn(e)) return of(at->kind == ExprKind::kSubscript ? *at->b : *at->a).isUniform();
  const Shape base = of(*at->a), index = at->kind == ExprKind::kSubscript ? of(*at->b) : Shape::uniform();
  if (base.isVarying() || index.isVarying()) return false;
  const auto size = static_cast<int64_t>(sizeOf(at->type));
  const int64_t bytes = (base.isLinear() ? base.stride : 0) + (index.isLinear() ? index.stride * size : 0);
  return bytes == 0 || bytes == size || bytes == -size;
}

bool LaneShapes::isSteppedPlace(const Expr& e) const {
  const Expr* at = &e;
  while (at->kind == ExprKind::kMember || at->kind == ExprKind::kSwizzle) at = at->a;
  std::vector<const Expr*> wrapping;
  if (isOwn(e)) return false;
  if (at->kind != ExprKind::kSubscript) return at->a != nullptr && !of(*at->a).isVarying();
  return !of(*at->a).isVarying() && isStepped(*at->b, &wrapping);
}

bool LaneShapes::isLikelyPlace(const Expr& e) const {
  const Expr* at = &e;
  while (at->kind == ExprKind::kMember || at->kind == ExprKind::kSwizzle) at = at->a;
  return !isOwn(e) && at->kind == ExprKind::kSubscript && of(*at->a).isUniform() && isLikelyStepped(*at->b);
}

double LaneShapes::readCost(const Expr& e) const {
  if (isSteppedPlace(e)) return kSteppedRead;
  const FarCosts& costs = !plan_.gathers() ? kInTurn : isLikelyPlace(e) ? kLikelyGathered : kGathered;
  return masked_ ? costs.masked_read : costs.read;
}

// No processor writes numbers of one or two bytes so.
double LaneShapes::writeCost(const Expr& e) const {
  if (isSteppedPlace(e)) return kSteppedWrite;
  const bool scatters = plan_.scatters() && sizeOf(e.type) / e.type->components() >= 4;
  const FarCosts& costs = !scatters ? kInTurn : isLikelyPlace(e) ? kLikelyGathered : kGathered;
  return masked_ ? costs.masked_written : costs.written;
}

// A comparison that holds for all lanes or for none, but once: `i < n` in `for (i = id; i < n; i += size)`.
bool LaneShapes::isBound(const Expr& e) const {
  if (e.kind != ExprKind::kBinary || e.op < Op::kLess || e.op > Op::kNotEqual) return false;
  const Shape a = of(*e.a), b = of(*e.b);
  return (a.isLinear() && b.isUniform()) || (a.isUniform() && b.isLinear());
}

void LaneShapes::count(const Stmt* s, double weight) {
  if (s == nullptr) return;
  const double before = together_;
  double inner = weight;
  if (isLoop(*s)) inner *= kLoopRuns;
  const bool outer = std::exchange(masked_, masked_ || diverges(*s));
  if (diverges(*s)) together_ += inner * kMask;
  if (diverges(*s) && s->kind == StmtKind::kIf && (loops_ != 0 || plan_.gathers()) && !isBound(*s->a)) {
    alone_ += weight * kMispredictedBranch;
  }
  loops_ += isLoop(*s) ? 1 : 0;
  for (const Variable* variable : s->variables) count(variable->initializer, weight);
  count(s->init, weight);
  count(s->a, inner);
  count(s->b, inner);
  count(s->first, inner);
  count(s->second, inner);
  for (const Stmt* each : s->body) count(each, weight);
  if (isLoop(*s) && diverges(*s) && !(s->a != nullptr && isBound(*s->a) && !breaksOut(*s->first)))
    together_ = before + (together_ - before) * kUneven;
  masked_ = outer;
  loops_ -= isLoop(*s) ? 1 : 0;
}

}  // namespace manyrt::compiler
