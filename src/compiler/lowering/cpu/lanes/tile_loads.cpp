// Which loops have tiles, and for which loads. All lanes go through such a loop together, its counter grows by one, and no turn
// is left early: whatever a turn loads is loaded in each of them, so that no tile reads what the program would not have read.
// Nothing that the loop writes may be what a tile has read before.
#include "compiler/lowering/cpu/lanes/tile_loads.h"

#include <algorithm>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr size_t kMostLoads = 4;  // tiles have as many vectors as lanes, and there are 32 registers at most
constexpr uint32_t kShortNodes = 48;

bool isStep(const Expr& e) { return e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement; }

bool reads(const Expr& e) { return e.kind == ExprKind::kSubscript || (e.kind == ExprKind::kUnary && e.op == Op::kDereference); }

bool isWhole(const QualType& type) { return type->isInteger() && type->isScalar() && type->scalar != Scalar::kBool; }

}  // namespace

class TileFinder {
 public:
  TileFinder(const LaneShapes& shapes, const GroupPlan& plan, const Stmt& loop) : shapes_(shapes), plan_(plan), loop_(loop) {}

  bool find(TileLoop* found) {
    const bool plain = loop_.kind == StmtKind::kFor && !shapes_.diverges(loop_) && loop_.a != nullptr && loop_.b != nullptr;
    if (!plain || containsReturn(loop_) || breaksOut(*loop_.first) || continuesOut(*loop_.first)) return false;
    if (!findCounter() || !findEffects() || !findBound(found)) return false;
    look(*loop_.first, &found->loads);
    if (found->loads.empty()) return false;
    bool has_loops = false;
    uint32_t nodes = 0;
    visitStatements(loop_.first, [&](Stmt& s) {
      has_loops = has_loops || isLoop(s);
      for (const Variable* variable : s.variables) {
        if (needed_.count(variable) != 0) found->declared.push_back(variable);
      }
    });
    visitExpressions(loop_.first, [&](Expr& e) { nodes += e.type->components(); });
    found->is_short = !has_loops && nodes <= kShortNodes;
    return true;
  }

 private:
  struct Store {
    const Expr* place;
    const Variable* through;  // a parameter of the kernel; null: some other pointer
  };

  bool findCounter() {
    const Expr& step = *loop_.b;
    counter_ = assignedVariable(step);
    if (counter_ == nullptr || !isWhole(counter_->type) || sizeOf(counter_->type) < 4) return false;
    if (shapes_.changed(step) != counter_ || !shapes_.of(*counter_).isUniform()) return false;
    if (step.kind == ExprKind::kUnary) return step.op == Op::kPreIncrement || step.op == Op::kPostIncrement;
    return step.op == Op::kAdd && constantOf(*step.b) == 1;
  }

  // What the body changes, and whether it does something that has no place here.
  bool findEffects() {
    bool fine = !hasEffects(*loop_.a);
    visitStatements(loop_.first, [&](Stmt& s) {
      for (const Variable* variable : s.variables) inner_.insert(variable);
      for (const Variable* variable : s.variables) fine = fine && variable->type.space != AddressSpace::kLocal;
    });
    visitExpressions(loop_.first, [&](Expr& e) {
      if (e.kind == ExprKind::kCall) {
        const auto at = shapes_.alike_.find(e.function);
        fine = fine && at != shapes_.alike_.end() && at->second;
      }
      if (e.kind == ExprKind::kBuiltinCall) {
        const bool loads = e.builtin->kind == BuiltinKind::kMemory && e.builtin->name == "vload";
        fine = fine && (loads || e.builtin->kind == BuiltinKind::kPure || e.builtin->kind == BuiltinKind::kWorkItem);
        // sincos and its like write through their pointers.
        for (const Expr* argument : e.arguments) fine = fine && (loads || !argument->type->isPointer());
      }
      if (e.kind != ExprKind::kAssign && !isStep(e)) return;
      const Variable* variable = shapes_.changed(e);
      if (variable != nullptr) {
        changed_.insert(variable);
      } else if (!shapes_.isOwn(*e.a)) {
        stores_.push_back({e.a, pointerOf(*e.a)});
      } else {
        writes_own_ = true;
      }
    });
    return fine && changed_.count(counter_) == 0 && inner_.count(counter_) == 0;
  }

  bool findBound(TileLoop* found) {
    static constexpr Op kMirrored[] = {Op::kGreater, Op::kLess, Op::kGreaterEqual, Op::kLessEqual, Op::kEqual, Op::kNotEqual};
    const Expr& e = *loop_.a;
    if (e.kind != ExprKind::kBinary || e.op < Op::kLess || e.op > Op::kNotEqual || !isWhole(e.a->type)) return false;
    const bool left = isCounter(*e.a);
    if (!left && !isCounter(*e.b)) return false;
    found->left = left ? e.a : e.b;
    found->right = left ? e.b : e.a;
    found->op = left ? e.op : kMirrored[static_cast<int>(e.op) - static_cast<int>(Op::kLess)];
    const bool counts_up = found->op == Op::kLess || found->op == Op::kLessEqual || found->op == Op::kNotEqual;
    return counts_up && isFixed(*found->right) && needed_.empty();
  }

  // Behind conversions that keep its value, or its value as a number without sign.
  bool isCounter(const Expr& e) const {
    const Expr* at = &e;
    for (; isConversion(*at); at = at->a) {
      if (!isWhole(at->type) || !isWhole(at->a->type) || sizeOf(at->type) < sizeOf(at->a->type)) return false;
      if (sizeOf(at->type) == sizeOf(at->a->type) && at->type->isSigned() && !at->a->type->isSigned()) return false;
    }
    return at->kind == ExprKind::kVariable && at->variable == counter_;
  }

  // The parameter of a kernel that an address comes from; null: none, or one that may change.
  const Variable* pointerOf(const Expr& lvalue) const {
    const Expr* at = &lvalue;
    while (at != nullptr && at->kind != ExprKind::kVariable) {
      const bool sums = at->kind == ExprKind::kBinary && at->type->isPointer() && (at->op == Op::kAdd || at->op == Op::kSub);
      if (sums && !at->a->type->isPointer()) {
        at = at->b;
      } else if (sums || reads(*at) || isConversion(*at) || at->kind == ExprKind::kMember || at->kind == ExprKind::kSwizzle) {
        at = at->a;
      } else {
        return nullptr;
      }
    }
    const bool is_parameter = at != nullptr && at->variable->is_parameter && at->variable->function->is_kernel;
    return is_parameter && shapes_.moved_.count(at->variable) == 0 && !shapes_.isObject(*at->variable) ? at->variable : nullptr;
  }

  static AddressSpace spaceOf(const Expr& lvalue) {
    const Expr* at = &lvalue;
    while (at->kind == ExprKind::kMember || at->kind == ExprKind::kSwizzle) at = at->a;
    return reads(*at) ? at->a->type->inner.space : at->type.space;
  }

  // Objects in different memories are different. Else `restrict` has to say that of one of the two pointers.
  bool mayBeWritten(const Expr& load) const {
    const AddressSpace space = spaceOf(load);
    const Variable* from = pointerOf(load);
    return std::any_of(stores_.begin(), stores_.end(), [&](const Store& store) {
      if (spaceOf(*store.place) != space) return false;
      if (from == nullptr || store.through == nullptr || from == store.through) return true;
      return !from->type.is_restrict && !store.through->type.is_restrict;
    });
  }

  // Whether an expression has the same value in all turns. Variables of the body that nothing changes are what they begin with.
  bool isFixed(const Expr& expression) {
    bool fixed = true;
    visit(const_cast<Expr*>(&expression), [&](Expr& e) {
      if (!fixed) return;
      switch (e.kind) {
        case ExprKind::kVariable:
          if (inner_.count(e.variable) != 0) {
            fixed = isDerived(*e.variable) && isFixed(*e.variable->initializer);
          } else {
            fixed = e.variable != counter_ && changed_.count(e.variable) == 0 && !shapes_.isObject(*e.variable) &&
                    (e.type.space != AddressSpace::kLocal || e.type->isArray() || stores_.empty());
          }
          return;
        case ExprKind::kAssign:
        case ExprKind::kCall:
          fixed = false;
          return;
        case ExprKind::kUnary:
          fixed = !isStep(e) && (e.op != Op::kDereference || (stores_.empty() && !writes_own_));
          return;
        case ExprKind::kSubscript:
          fixed = stores_.empty() && !writes_own_;
          return;
        case ExprKind::kBuiltinCall:
          fixed = e.builtin->kind == BuiltinKind::kPure || e.builtin->kind == BuiltinKind::kWorkItem;
          return;
        default:
          return;
      }
    });
    return fixed;
  }

  // An integer of the body that has one value in a turn.
  bool isDerived(const Variable& variable) {
    if (!isWhole(variable.type) || variable.initializer == nullptr || changed_.count(&variable) != 0) return false;
    if (shapes_.isObject(variable) || plan_.storage(variable) != Storage::kRegion) return false;
    needed_.insert(&variable);
    return true;
  }

  // Whether an integer grows by one from turn to turn.
  bool grows(const Expr& e, TileLoad* load) {
    if (!isWhole(e.type) || sizeOf(e.type) < 4) return false;
    bool found = false;
    if (e.kind == ExprKind::kVariable) {
      if (e.variable == counter_) return true;
      return inner_.count(e.variable) != 0 && isDerived(*e.variable) && grows(*e.variable->initializer, load);
    }
    if (isConversion(e) && isWhole(e.a->type)) {
      const bool loses = sizeOf(e.type) < sizeOf(e.a->type);
      const bool turns_negative = sizeOf(e.type) == 4 && e.type->isSigned() && (loses || !e.a->type->isSigned());
      found = !turns_negative && grows(*e.a, load);
    } else if (e.kind == ExprKind::kBinary && e.op == Op::kAdd) {
      found = isFixed(*e.a) ? grows(*e.b, load) : isFixed(*e.b) && grows(*e.a, load);
    } else if (e.kind == ExprKind::kBinary && e.op == Op::kSub) {
      found = isFixed(*e.b) && grows(*e.a, load);
    }
    if (found && isUnsigned32(e)) load->wrapping.push_back(&e);
    return found;
  }

  // Whether a pointer moves on by one element of its type.
  bool advances(const Expr& e, TileLoad* load) {
    if (e.kind != ExprKind::kBinary || e.op != Op::kAdd || !e.type->isPointer()) return false;
    const Expr &pointer = e.a->type->isPointer() ? *e.a : *e.b, &index = e.a->type->isPointer() ? *e.b : *e.a;
    if (isFixed(pointer)) return grows(index, load);
    return isFixed(index) && advances(pointer, load);
  }

  // Neither one place nor neighbours.
  bool isApart(const Expr& e) const {
    const Shape pointer = e.kind == ExprKind::kSubscript ? shapes_.of(*e.a) : Shape::uniform();
    const Shape index = shapes_.of(e.kind == ExprKind::kSubscript ? *e.b : *e.a);
    if (pointer.isVarying() || index.isVarying()) return true;
    const int64_t stride = (pointer.isLinear() ? pointer.stride : 0) + (index.isLinear() ? index.stride : 0);
    return stride > 1 || stride < -1;
  }

  void consider(const Expr& e, std::vector<TileLoad>* loads) {
    if (loads->size() == kMostLoads || !e.type->isScalar() || !isLaneType(e.type.type)) return;
    if (e.type->scalar == Scalar::kBool || !e.a->type->isPointer()) return;
    if (e.a->type->inner.space == AddressSpace::kPrivate || shapes_.isOwn(e) || !isApart(e) || mayBeWritten(e)) return;
    TileLoad load;
    load.element = &e;
    const std::set<const Variable*> before = needed_;
    const bool found = e.kind == ExprKind::kUnary ? advances(*e.a, &load)
                       : isFixed(*e.a)            ? grows(*e.b, &load)
                                                  : isFixed(*e.b) && advances(*e.a, &load);
    if (found) {
      loads->push_back(load);
    } else {
      needed_ = before;
    }
  }

  // What each turn evaluates, whatever the conditions in it say.
  void look(const Expr* e, std::vector<TileLoad>* loads) {
    if (e == nullptr) return;
    const bool lazy = e->kind == ExprKind::kBinary && (e->op == Op::kLogicalAnd || e->op == Op::kLogicalOr);
    if (e->kind == ExprKind::kUnary && e->op == Op::kAddressOf) return;
    if (e->kind == ExprKind::kAssign || isStep(*e)) {
      // The place that is written is not loaded as a tile, but its index is evaluated.
      const Expr* target = e->a;
      while (target->kind == ExprKind::kMember || target->kind == ExprKind::kSwizzle) target = target->a;
      if (target->kind == ExprKind::kSubscript) look(target->b, loads);
      look(e->b, loads);
      return;
    }
    if (reads(*e)) consider(*e, loads);
    look(e->a, loads);
    if (e->kind == ExprKind::kConditional || lazy) return;
    look(e->b, loads);
    for (const Expr* argument : e->arguments) look(argument, loads);
  }

  void look(const Stmt& s, std::vector<TileLoad>* loads) {
    switch (s.kind) {
      case StmtKind::kCompound:
        for (const Stmt* each : s.body) look(*each, loads);
        return;
      case StmtKind::kDeclare:
        for (const Variable* variable : s.variables) look(variable->initializer, loads);
        return;
      case StmtKind::kExpr:
      case StmtKind::kIf:
        look(s.a, loads);
        return;
      default:
        return;
    }
  }

  const LaneShapes& shapes_;
  const GroupPlan& plan_;
  const Stmt& loop_;
  const Variable* counter_ = nullptr;
  std::set<const Variable*> inner_, changed_;  // declared in the body; assigned there
  std::set<const Variable*> needed_;           // of inner_, for addresses
  std::vector<Store> stores_;
  bool writes_own_ = false;  // private arrays
};

void LaneShapes::findTiles(const std::vector<Stmt*>& statements) {
  // Of loops in each other the innermost: each would double the text of those inside it.
  std::vector<const Stmt*> loops;
  const auto each = [&](Stmt& s) {
    if (isLoop(s)) loops.push_back(&s);
  };
  for (const Stmt* s : statements) visitStatements(const_cast<Stmt*>(s), each);
  for (const auto& [function, shape] : results_) visitStatements(function->body, each);
  for (size_t i = loops.size(); i-- > 0;) {
    bool is_around = false;
    visitStatements(loops[i]->first, [&](Stmt& s) { is_around = is_around || tiles_.count(&s) != 0; });
    TileLoop found;
    if (is_around || !TileFinder(*this, plan_, *loops[i]).find(&found)) continue;
    for (const TileLoad& load : found.loads) tile_loads_.insert(load.element);
    tiles_.emplace(loops[i], std::move(found));
  }
}

std::vector<const Stmt*> LaneShapes::tiledLoops() const {
  std::vector<const Stmt*> result;
  for (const auto& [loop, tiles] : tiles_) result.push_back(loop);
  std::sort(result.begin(), result.end(), [](const Stmt* a, const Stmt* b) {
    return std::make_pair(a->where.line, a->where.column) < std::make_pair(b->where.line, b->where.column);
  });
  return result;
}

const TileLoop* LaneShapes::tiles(const Stmt& loop) const {
  const auto at = tiles_.find(&loop);
  return at == tiles_.end() ? nullptr : &at->second;
}

}  // namespace manyrt::compiler
