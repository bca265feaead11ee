// Finding the conditions that end loops over work-items: an id on one side, something uniform on the other.
#include "compiler/lowering/cpu/item_limits.h"

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/group_plan.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"
#include "compiler/unit.h"

namespace manyrt::compiler {
namespace {

// No sum of an id and such a constant leaves an int.
constexpr uint64_t kMostMore = 65535;
static_assert(kMaxItems + static_cast<int64_t>(kMostMore) <= 0x7fffffff);

bool readsMemory(const Expr& root) {
  bool reads = false;
  visit(const_cast<Expr*>(&root), [&](Expr& e) {
    reads = reads || e.kind == ExprKind::kSubscript || e.kind == ExprKind::kCall || e.kind == ExprKind::kInitializer ||
            (e.kind == ExprKind::kUnary && e.op == Op::kDereference) ||
            (e.kind == ExprKind::kVariable && e.variable->type.space == AddressSpace::kLocal);
  });
  return reads;
}

}  // namespace

bool LimitFinder::isChanged(const Variable& variable) const {
  bool changed = false;
  visitExpressions(kernel_.body, [&](Expr& e) {
    const bool writes =
        e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && (e.op == Op::kAddressOf || e.op >= Op::kPreIncrement));
    if (writes && e.a->kind == ExprKind::kVariable && e.a->variable == &variable) changed = true;
  });
  return changed;
}

LimitFinder::Id LimitFinder::idOf(const Expr& expression, int depth) const {
  const Expr* e = &expression;
  while ((e->kind == ExprKind::kConvert || e->kind == ExprKind::kCast) && e->type->isInteger() && sizeOf(e->type) >= 4)
    e = e->a;
  if (!e->type->isInteger() || sizeOf(e->type) < 4) return {};
  if (e->kind == ExprKind::kVariable) {
    if (auto at = ids_.find(e->variable); at != ids_.end()) return at->second;
    if (plan_.storage(*e->variable) == Storage::kRecomputed && sizeOf(e->variable->type) >= 4)
      return depth > 8 ? Id() : idOf(*e->variable->initializer, depth + 1);
    return {};
  }
  if (e->kind == ExprKind::kBinary && e->op == Op::kAdd) {
    if (depth > 8) return {};
    const bool constant_left = constantOf(*e->a).has_value();
    const std::optional<int64_t> more = constantOf(constant_left ? *e->a : *e->b);
    if (!more || *more < 0 || *more > static_cast<int64_t>(kMostMore)) return {};
    Id id = idOf(constant_left ? *e->b : *e->a, depth + 1);
    id.more += static_cast<uint64_t>(*more);
    return id.dimension >= 0 && id.more <= kMostMore ? id : Id();
  }
  if (e->kind != ExprKind::kBuiltinCall || e->arguments.empty()) return {};
  const bool local = e->builtin->work_item == WorkItem::kLocalId;
  if (!local && e->builtin->work_item != WorkItem::kGlobalId) return {};
  const Expr* dimension = e->arguments[0];
  while (dimension->kind == ExprKind::kConvert) dimension = dimension->a;
  if (dimension->kind != ExprKind::kLiteral || dimension->integer > 2) return {};
  return {static_cast<int>(dimension->integer), local};
}

LimitFinder::Id LimitFinder::bareIdOf(const Expr& expression) const {
  const Id id = idOf(expression);
  return id.more == 0 ? id : Id();
}

// The id in a condition that only the item with the id 0 fulfils, or that all others fulfil: id == 0, !id; id != 0, id > 0, id.
LimitFinder::Id LimitFinder::comparedWithZero(const Expr& e, bool others) const {
  if (e.kind == ExprKind::kUnary && e.op == Op::kLogicalNot) return comparedWithZero(*e.a, !others);
  if (const Id id = bareIdOf(e); id.dimension >= 0) return others ? id : Id();
  if (e.kind != ExprKind::kBinary || !e.a->type->isInteger()) return {};
  const auto is = [](const Expr& side, uint64_t value) {
    const Expr& inner = behindConversions(side);
    return inner.kind == ExprKind::kLiteral && inner.type->isInteger() && inner.integer == value;
  };
  const auto fits = [&](Op zero_right, Op one_right, Op zero_left, Op one_left) {
    if ((e.op == zero_right && is(*e.b, 0)) || (e.op == one_right && is(*e.b, 1))) return bareIdOf(*e.a);
    if ((e.op == zero_left && is(*e.a, 0)) || (e.op == one_left && is(*e.a, 1))) return bareIdOf(*e.b);
    return Id();
  };
  if (e.op == Op::kEqual || e.op == Op::kNotEqual) {
    if ((e.op == Op::kNotEqual) != others) return {};
    return is(*e.b, 0) ? bareIdOf(*e.a) : is(*e.a, 0) ? bareIdOf(*e.b) : Id();
  }
  return others ? fits(Op::kGreater, Op::kGreaterEqual, Op::kLess, Op::kLessEqual)
                : fits(Op::kLessEqual, Op::kLess, Op::kGreaterEqual, Op::kGreater);
}

// `leaves`: items for which the condition holds do nothing; else those for which it does not.
bool LimitFinder::limit(const Expr& e, bool leaves, std::vector<ItemLimit>* limits) const {
  if (e.kind == ExprKind::kBinary && e.op == (leaves ? Op::kLogicalOr : Op::kLogicalAnd)) {
    return limit(*e.a, leaves, limits) && limit(*e.b, leaves, limits);
  }
  if (const Id first = comparedWithZero(e, leaves); first.dimension >= 0) {
    limits->push_back({first.dimension, first.local, true, nullptr});
    return true;
  }
  if (const Id others = comparedWithZero(e, !leaves); lower_ && others.dimension >= 0) {
    limits->push_back({others.dimension, others.local, true, nullptr, true});
    return true;
  }
  if (e.kind != ExprKind::kBinary || e.op < Op::kLess || e.op > Op::kGreaterEqual || !e.a->type->isInteger()) return false;
  const bool id_left = idOf(*e.a).dimension >= 0;
  const Expr& bound = id_left ? *e.b : *e.a;
  const Id id = idOf(id_left ? *e.a : *e.b);
  if (id.dimension < 0 || !plan_.isUniform(bound) || readsMemory(bound)) return false;
  // as "id op bound", for those that stay
  static constexpr Op kMirrored[] = {Op::kGreater, Op::kLess, Op::kGreaterEqual, Op::kLessEqual};
  static constexpr Op kNegated[] = {Op::kGreaterEqual, Op::kLessEqual, Op::kGreater, Op::kLess};
  auto index = [](Op op) { return static_cast<int>(op) - static_cast<int>(Op::kLess); };
  Op op = id_left ? e.op : kMirrored[index(e.op)];
  if (leaves) op = kNegated[index(op)];
  const bool lower = op == Op::kGreater || op == Op::kGreaterEqual;
  if (lower && !lower_) return false;
  limits->push_back({id.dimension, id.local, op == Op::kLessEqual || op == Op::kGreaterEqual, &bound, lower, id.more});
  return true;
}

bool LimitFinder::passesOver(const Variable& variable) {
  if (variable.initializer == nullptr) return true;
  if (hasEffects(*variable.initializer) || readsMemory(*variable.initializer)) return false;
  const Id id = idOf(*variable.initializer);
  if (id.dimension >= 0 && variable.type->isInteger() && sizeOf(variable.type) >= 4 && !isChanged(variable))
    ids_[&variable] = id;
  return true;
}

bool LimitFinder::takeOne(std::vector<Stmt*>* statements, size_t* at, std::vector<ItemLimit>* limits) {
  Stmt* s = (*statements)[*at];
  if (s->kind != StmtKind::kIf || s->second != nullptr || hasEffects(*s->a)) return false;
  const Stmt* inside = s->first;
  while (inside->kind == StmtKind::kCompound && inside->body.size() == 1) inside = inside->body[0];
  const bool leaves = inside->kind == StmtKind::kReturn;
  const bool is_last = *at + 1 == statements->size();
  std::vector<ItemLimit> found;
  if ((!leaves && !is_last) || !limit(*s->a, leaves, &found)) return false;
  limits->insert(limits->end(), found.begin(), found.end());
  const auto place = statements->begin() + static_cast<ptrdiff_t>(*at);
  if (leaves) {
    statements->erase(place);
    --*at;  // the loop goes on with the next
    return true;
  }
  Stmt* only = s->first;
  if (only->kind != StmtKind::kCompound) {
    *place = only;
  } else {
    const std::vector<Stmt*> body = only->body;  // names are unique: the braces have no meaning any more
    statements->erase(place);
    statements->insert(statements->end(), body.begin(), body.end());
  }
  return false;  // what stands inside is not looked at again
}

std::vector<ItemLimit> takeLimits(const GroupPlan& plan, const Function& kernel, std::vector<Stmt*>* statements) {
  const auto must_run = [&](const Variable& variable) {
    const Storage storage = plan.storage(variable);
    return storage == Storage::kArray || storage == Storage::kInPlace;
  };
  return LimitFinder(plan, kernel, true).take(statements, must_run);
}

}  // namespace manyrt::compiler
