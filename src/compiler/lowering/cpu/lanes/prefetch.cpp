// Loops whose turns go from row to row of memory, while the lanes are neighbours in a row: `for (z = 1; z < depth; ++z) sum +=
// in[z * plane + y * width + x]`. Each turn reads a part of a line or two, no turn reads what is next to it, and so a processor
// does not see ahead what the next vector will read. The loop asks for it: of each such place, the neighbours behind the lanes.
//
// Groups of several rows that run one by one do the same: each reads a line of each of its rows. They ask for what a group a
// few lines ahead will read.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr size_t kMostPlaces = 8;  // of a region
constexpr int64_t kFarStep = 16;   // elements: a line

// What a turn of a loop does to an integer or to a place. kFar: moves it by so much that it is in another line.
enum class Turn : uint8_t { kNone, kClose, kFar, kUnknown };

Turn fartherOf(Turn a, Turn b) { return std::max(a, b); }

// Ids as bits: of an item in its group along a dimension, and of the group. A global id is both.
constexpr uint32_t kItem = 1, kGroup = 8, kAnyItem = 7 * kItem, kUnknownId = 64;

uint32_t idOf(const Expr& e) {
  if (e.kind != ExprKind::kBuiltinCall || e.builtin->kind != BuiltinKind::kWorkItem) return 0;
  uint32_t bits = 0;
  switch (e.builtin->work_item) {
    case WorkItem::kGlobalId:
      bits = kItem | kGroup;
      break;
    case WorkItem::kLocalId:
      bits = kItem;
      break;
    case WorkItem::kGroupId:
      bits = kGroup;
      break;
    case WorkItem::kLocalLinearId:
      return kAnyItem;
    case WorkItem::kGlobalLinearId:
      return kAnyItem * (kItem | kGroup);
    default:
      return 0;
  }
  const Expr& dimension = behindConversions(*e.arguments[0]);
  if (dimension.kind != ExprKind::kLiteral) return kUnknownId;
  return dimension.integer < 3 ? bits << dimension.integer : 0;
}

// The ids that a value follows from. Each variable is followed once: long chains of them are used many times.
uint32_t idsOf(const Expr& e, std::set<const Variable*>* seen) {
  uint32_t found = 0;
  visit(const_cast<Expr*>(&e), [&](Expr& each) {
    if (each.kind == ExprKind::kVariable && each.variable->initializer != nullptr && seen->insert(each.variable).second)
      found |= idsOf(*each.variable->initializer, seen);
    found |= idOf(each);
  });
  return found;
}
uint32_t idsOf(const Expr& e) {
  std::set<const Variable*> seen;
  return idsOf(e, &seen);
}

class RowWalk {
 public:
  RowWalk(const LaneShapes& shapes, const Stmt& loop) : shapes_(shapes) {
    visitStatements(const_cast<Stmt*>(&loop), [&](Stmt& s) {
      for (const Variable* variable : s.variables) inner_[variable] = &s != loop.init;
    });
    const auto effect = [&](Expr& e) {
      const Variable* variable = shapes_.changed(e);
      if (variable == nullptr) return;
      const auto [at, fresh] = changed_.emplace(variable, stepOf(e, *variable));
      if (!fresh) at->second = fartherOf(at->second, stepOf(e, *variable));
    };
    visitExpressions(const_cast<Stmt*>(loop.first), effect);
    visit(loop.b, effect);
    visit(loop.a, effect);
  }

  Turn of(const Expr& e) {
    if (e.kind == ExprKind::kVariable) {
      if (const auto step = changed_.find(e.variable); step != changed_.end()) return step->second;
      const auto inner = inner_.find(e.variable);
      if (inner == inner_.end() || !inner->second) return Turn::kNone;
      changed_[e.variable] = Turn::kUnknown;  // `int x = x;` is C
      if (e.variable->initializer == nullptr) return Turn::kUnknown;
      const Turn turn = of(*e.variable->initializer);
      changed_[e.variable] = turn;  // long chains of variables are used many times
      return turn;
    }
    if (isConversion(e)) return of(*e.a);
    if (e.kind == ExprKind::kBinary) {
      const Turn a = of(*e.a), b = of(*e.b);
      if (a == Turn::kUnknown || b == Turn::kUnknown || (a == Turn::kNone && b == Turn::kNone)) return fartherOf(a, b);
      if (e.op == Op::kAdd || e.op == Op::kSub) return fartherOf(a, b);
      if (e.op == Op::kMul && (a == Turn::kNone || b == Turn::kNone)) {
        const Expr &turned = a == Turn::kNone ? *e.b : *e.a, &factor = a == Turn::kNone ? *e.a : *e.b;
        // Items of other rows go to the same places, some turns later: caches have them.
        if ((idsOf(turned) & ~((kItem | kGroup) << shapes_.along())) != 0) return Turn::kUnknown;
        const std::optional<int64_t> constant = constantOf(factor);
        return !constant || std::abs(*constant) >= kFarStep ? Turn::kFar : fartherOf(a, b);
      }
      return Turn::kUnknown;
    }
    Turn all = Turn::kNone;
    for (const Expr* operand : {e.a, e.b, e.c}) all = fartherOf(all, operand == nullptr ? Turn::kNone : of(*operand));
    for (const Expr* argument : e.arguments) all = fartherOf(all, of(*argument));
    return all == Turn::kNone ? Turn::kNone : Turn::kUnknown;
  }

 private:
  Turn stepOf(const Expr& e, const Variable& variable) const {
    if (e.kind == ExprKind::kUnary) return Turn::kClose;
    const Expr* by = e.b;
    if (e.op == Op::kNone) {  // i = i + n
      while (isConversion(*by)) by = by->a;
      const bool adds = by->kind == ExprKind::kBinary && (by->op == Op::kAdd || by->op == Op::kSub);
      const Expr* from = adds ? by->a : nullptr;
      while (from != nullptr && isConversion(*from)) from = from->a;
      if (from == nullptr || from->kind != ExprKind::kVariable || from->variable != &variable) return Turn::kUnknown;
      by = by->b;
    } else if (e.op != Op::kAdd && e.op != Op::kSub) {
      return Turn::kUnknown;
    }
    const std::optional<int64_t> constant = constantOf(*by);
    return constant && std::abs(*constant) < kFarStep ? Turn::kClose : Turn::kFar;
  }

  const LaneShapes& shapes_;
  std::map<const Variable*, bool> inner_;    // declared in the loop; whether anew in each turn
  std::map<const Variable*, Turn> changed_;  // by it; of those declared in it, what was found already
};

// Whether two expressions are the same but for constants that are added; adds what the first one has more.
bool isSameButSum(const Expr& given, const Expr& other, int64_t* more) {
  const auto bare = [&](const Expr& e, int64_t sign) {
    const Expr* at = &e;
    for (;;) {
      const bool sums = at->kind == ExprKind::kBinary && (at->op == Op::kAdd || at->op == Op::kSub);
      const std::optional<int64_t> constant = sums ? constantOf(*at->b) : std::nullopt;
      if (!constant && !isConversion(*at)) return at;
      if (constant) *more += at->op == Op::kAdd ? sign * *constant : -sign * *constant;
      at = at->a;
    }
  };
  const Expr &a = *bare(given, 1), &b = *bare(other, -1);
  if (a.kind != b.kind || a.op != b.op) return false;
  if (a.kind == ExprKind::kVariable) return a.variable == b.variable;
  if (a.kind == ExprKind::kLiteral) return a.integer == b.integer;
  if (a.kind != ExprKind::kBinary) return false;
  int64_t left = 0, right = 0;
  if (!isSameButSum(*a.a, *b.a, &left) || !isSameButSum(*a.b, *b.b, &right)) return false;
  if (a.op != Op::kAdd && a.op != Op::kSub) return left == 0 && right == 0;
  *more += a.op == Op::kAdd ? left + right : left - right;
  return true;
}

// Such places are in one line, or the next.
bool isBeside(const Expr& a, const Expr& b) {
  int64_t apart = 0;
  return isSameButSum(a, b, &apart) && std::abs(apart) < kFarStep;
}

const Variable* pointerOf(const Expr& pointer) {
  const Variable* found = nullptr;
  visit(const_cast<Expr*>(&pointer), [&](Expr& e) {
    if (found == nullptr && e.kind == ExprKind::kVariable && e.type->isPointer()) found = e.variable;
  });
  return found;
}

}  // namespace

void LaneShapes::findPrefetched(const std::vector<Stmt*>& statements) {
  std::vector<RowWalk> around;
  std::vector<const Expr*> found;
  const auto consider = [&](const Expr& e) {
    const bool is_place = e.kind == ExprKind::kSubscript || (e.kind == ExprKind::kUnary && e.op == Op::kDereference);
    if (!is_place || found.size() == kMostPlaces || tile_loads_.count(&e) != 0) return;
    if (!e.a->type->isPointer() || e.a->type->inner.space != AddressSpace::kGlobal || !isLaneType(e.type.type)) return;
    if (of(e).isUniform() || !isNear(e)) return;
    const Expr& place = e.kind == ExprKind::kSubscript ? *e.b : *e.a;
    const auto turn = [&](RowWalk& walk) {
      return e.kind == ExprKind::kSubscript ? fartherOf(walk.of(*e.a), walk.of(place)) : walk.of(place);
    };
    if (!around.empty() && turn(around.back()) != Turn::kFar) return;
    for (RowWalk& walk : around) {
      const Turn there = turn(walk);
      if (there != Turn::kClose && there != Turn::kFar) return;  // what one loop has read the next one finds in a cache
    }
    // The same for items and groups: where a place does not follow from one of their ids, many of them read it.
    const Variable* through = pointerOf(*e.a);
    if (through == nullptr || through->function == nullptr || !through->function->is_kernel) return;
    uint32_t asked = 0;
    visitExpressions(through->function->body, [&](Expr& each) { asked |= idOf(each); });
    const uint32_t followed = idsOf(*e.a) | idsOf(place);
    if (((asked & ~followed) | (asked & kUnknownId)) != 0) return;
    if (around.empty() && ((followed & kItem << 1) == 0 || joinsGroups(*through->function) || plan_.isTurned())) return;
    const bool is_known = std::any_of(found.begin(), found.end(), [&](const Expr* other) {
      return other->kind == e.kind && isBeside(*other->a, *e.a) && (e.b == nullptr || isBeside(*other->b, *e.b));
    });
    if (!is_known) found.push_back(&e);
    if (!is_known) prefetched_[&e] = around.empty() ? Ahead::kGroups : Ahead::kLanes;
  };
  const auto look = [&](const auto& self, const Stmt* s) -> void {
    if (s == nullptr) return;
    for (const Variable* variable : s->variables) visit(variable->initializer, consider);
    self(self, s->init);
    const bool loops = isLoop(*s);
    if (loops) around.emplace_back(*this, *s);
    visit(s->a, consider);
    visit(s->b, consider);
    self(self, s->first);
    self(self, s->second);
    if (loops) around.pop_back();
    for (const Stmt* each : s->body) self(self, each);
  };
  for (const Stmt* s : statements) look(look, s);
}

}  // namespace manyrt::compiler
