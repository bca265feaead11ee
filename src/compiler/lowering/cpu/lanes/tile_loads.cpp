// Which loops have tiles, and for which loads. All lanes go through such a loop together, its counter grows by one, and no turn
// is left early: whatever a turn loads is loaded in each of them, so that no tile reads what the program would not have read.
// Nothing that the loop writes may be what a tile has read before. Items as turns are in no order: only what an item itself has
// written before it reads counts there.
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
constexpr uint32_t kMostNodes = 160;  // of items that are turns: their text is there once more

bool isStep(const Expr& e) { return e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement; }

bool reads(const Expr& e) { return e.kind == ExprKind::kSubscript || (e.kind == ExprKind::kUnary && e.op == Op::kDereference); }

bool isWhole(const QualType& type) { return type->isInteger() && type->isScalar() && type->scalar != Scalar::kBool; }

}  // namespace

class TileFinder {
 public:
  TileFinder(const LaneShapes& shapes, const GroupPlan& plan) : shapes_(shapes), plan_(plan) {}

  bool findIn(const Stmt& loop, TileLoop* found) {
    const bool plain = loop.kind == StmtKind::kFor && !shapes_.diverges(loop) && loop.a != nullptr && loop.b != nullptr;
    if (!plain || containsReturn(loop) || breaksOut(*loop.first) || continuesOut(*loop.first)) return false;
    if (hasEffects(*loop.a) || !findCounter(*loop.b) || !findEffects(*loop.first) || !findBound(*loop.a, found)) return false;
    findStores(loop.first);
    look(*loop.first, &found->loads);
    measure(*loop.first, found);
    return !found->loads.empty();
  }

  // The items of a region along a dimension.
  bool findIn(const std::vector<Stmt*>& region, int64_t dimension, TurnTiles* found) {
    dimension_ = dimension;
    for (const Variable* variable : plan_.variables()) {
      if (plan_.storage(*variable) == Storage::kRecomputed) inner_.insert(variable);
    }
    for (const Stmt* s : region) {
      if (containsReturn(*s) || !findEffects(*s)) return false;
    }
    for (const Stmt* s : region) look(*s, &found->loads);
    for (const Stmt* s : region) measure(*s, found);
    return !found->loads.empty() && !has_loops_ && nodes_ <= kMostNodes;
  }

 private:
  struct Store {
    const Expr* place;
    const Variable* through;  // a parameter of the kernel; null: some other pointer
  };

  bool findCounter(const Expr& step) {
    counter_ = assignedVariable(step);
    if (counter_ == nullptr || !isWhole(counter_->type) || sizeOf(counter_->type) < 4) return false;
    if (shapes_.changed(step) != counter_ || !shapes_.of(*counter_).isUniform()) return false;
    if (step.kind == ExprKind::kUnary) return step.op == Op::kPreIncrement || step.op == Op::kPostIncrement;
    return step.op == Op::kAdd && constantOf(*step.b) == 1;
  }

  // Which variables a turn changes, and whether it does something that has no place here.
  bool findEffects(const Stmt& turn) {
    bool fine = true;
    visitStatements(const_cast<Stmt*>(&turn), [&](Stmt& s) {
      for (const Variable* variable : s.variables) inner_.insert(variable);
      for (const Variable* variable : s.variables) fine = fine && variable->type.space != AddressSpace::kLocal;
    });
    visitExpressions(const_cast<Stmt*>(&turn), [&](Expr& e) {
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
      if (const Variable* variable = shapes_.changed(e); variable != nullptr) changed_.insert(variable);
    });
    return fine && changed_.count(counter_) == 0 && inner_.count(counter_) == 0;
  }

  void addStore(const Expr& e) {
    if ((e.kind != ExprKind::kAssign && !isStep(e)) || shapes_.changed(e) != nullptr) return;
    if (shapes_.isOwn(*e.a)) {
      writes_own_ = true;
    } else {
      stores_.push_back({e.a, pointerOf(*e.a)});
    }
  }
  void findStores(const Stmt* s) {
    visitExpressions(const_cast<Stmt*>(s), [&](Expr& e) { addStore(e); });
  }

  void measure(const Stmt& turn, TurnTiles* found) {
    visitStatements(const_cast<Stmt*>(&turn), [&](Stmt& s) {
      has_loops_ = has_loops_ || isLoop(s);
      for (const Variable* variable : s.variables) {
        if (needed_.count(variable) != 0) found->declared.push_back(variable);
      }
    });
    visitExpressions(const_cast<Stmt*>(&turn), [&](Expr& e) { nodes_ += e.type->components(); });
    found->is_short = !has_loops_ && nodes_ <= kShortNodes;
  }

  bool findBound(const Expr& e, TileLoop* found) {
    static constexpr Op kMirrored[] = {Op::kGreater, Op::kLess, Op::kGreaterEqual, Op::kLessEqual, Op::kEqual, Op::kNotEqual};
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

  bool areTurns() const { return dimension_ >= 0; }  // the items

  // The id of an item along the dimension, which the next item has one more of.
  bool isId(const Expr& e) const {
    if (!areTurns() || e.kind != ExprKind::kBuiltinCall || e.builtin->kind != BuiltinKind::kWorkItem) return false;
    const WorkItem which = e.builtin->work_item;
    return (which == WorkItem::kGlobalId || which == WorkItem::kLocalId) && constantOf(*e.arguments[0]) == dimension_;
  }

  bool isFixedCall(const Expr& e) const {
    if (e.builtin->kind == BuiltinKind::kPure) return true;
    if (e.builtin->kind != BuiltinKind::kWorkItem) return false;
    if (!areTurns()) return true;
    switch (e.builtin->work_item) {
      case WorkItem::kGlobalId:
      case WorkItem::kLocalId:
        return constantOf(*e.arguments[0]).has_value() && !isId(e);
      case WorkItem::kGroupId:
      case WorkItem::kGlobalSize:
      case WorkItem::kLocalSize:
      case WorkItem::kEnqueuedLocalSize:
      case WorkItem::kNumGroups:
      case WorkItem::kGlobalOffset:
      case WorkItem::kWorkDim:
        return true;
      default:
        return false;
    }
  }

  // Of a variable that no turn declares.
  bool isFixedOutside(const Variable& variable) const {
    const Storage storage = plan_.storage(variable);
    if (areTurns() && (storage == Storage::kArray || storage == Storage::kInPlace)) return false;
    return &variable != counter_ && changed_.count(&variable) == 0 && !shapes_.isObject(variable) &&
           (variable.type.space != AddressSpace::kLocal || variable.type->isArray() || stores_.empty());
  }

  // Whether an expression has the same value in all turns. Variables of the body that nothing changes are what they begin with.
  bool isFixed(const Expr& expression) {
    bool fixed = true;
    visit(const_cast<Expr*>(&expression), [&](Expr& e) {
      if (!fixed) return;
      switch (e.kind) {
        case ExprKind::kVariable:
          fixed = inner_.count(e.variable) != 0 ? isDerived(*e.variable) && isFixed(*e.variable->initializer)
                                                : isFixedOutside(*e.variable);
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
          fixed = isFixedCall(e);
          return;
        default:
          return;
      }
    });
    return fixed;
  }

  // An integer of the body that has one value in a turn; where items are the turns, a pointer too.
  bool isDerived(const Variable& variable) {
    const bool is_pointer = areTurns() && variable.type->isPointer() && shapes_.moved_.count(&variable) == 0;
    if (!isWhole(variable.type) && !is_pointer) return false;
    if (variable.initializer == nullptr || changed_.count(&variable) != 0) return false;
    const Storage storage = plan_.storage(variable);
    if (shapes_.isObject(variable) || (storage != Storage::kRegion && storage != Storage::kRecomputed)) return false;
    needed_.insert(&variable);
    return true;
  }

  // Whether an integer grows by one from turn to turn.
  bool grows(const Expr& e, TileLoad* load) {
    if (!isWhole(e.type) || sizeOf(e.type) < 4) return false;
    bool found = false;
    if (isId(e)) return true;
    if (isConversion(e) && isId(*e.a)) return true;  // no id is 2^31 or more
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
    const Shape pointer = shapes_.of(*e.a), index = e.kind == ExprKind::kSubscript ? shapes_.of(*e.b) : Shape::uniform();
    if (pointer.isVarying() || index.isVarying()) return true;
    const auto size = static_cast<int64_t>(sizeOf(e.type));
    const int64_t bytes = (pointer.isLinear() ? pointer.stride : 0) + (index.isLinear() ? index.stride * size : 0);
    return bytes > size || bytes < -size;
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

  // An expression as a whole: items see what they have written themselves, also in another part of it.
  void lookAt(const Expr* e, std::vector<TileLoad>* loads) {
    const auto writes = [&](bool outermost) {
      if (e == nullptr || !areTurns()) return;
      visit(const_cast<Expr*>(e), [&](Expr& each) {
        if ((&each == e) == outermost) addStore(each);
      });
    };
    writes(false);
    look(e, loads);
    writes(true);
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
        for (const Variable* variable : s.variables) lookAt(variable->initializer, loads);
        return;
      case StmtKind::kExpr:
      case StmtKind::kIf:
        lookAt(s.a, loads);
        break;
      default:
        break;
    }
    if (areTurns() && s.kind != StmtKind::kExpr) findStores(&s);
  }

  const LaneShapes& shapes_;
  const GroupPlan& plan_;
  const Variable* counter_ = nullptr;          // of a loop
  int64_t dimension_ = -1;                     // of the items, where they are the turns
  std::set<const Variable*> inner_, changed_;  // declared in the body; assigned there
  std::set<const Variable*> needed_;           // of inner_, for addresses
  std::vector<Store> stores_;
  bool writes_own_ = false;  // private arrays
  bool has_loops_ = false;
  uint32_t nodes_ = 0;
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
    if (is_around || !TileFinder(*this, plan_).findIn(*loops[i], &found)) continue;
    for (const TileLoad& load : found.loads) tile_loads_.insert(load.element);
    tiles_.emplace(loops[i], std::move(found));
  }
  if (plan_.hasMasks() || !TileFinder(*this, plan_).findIn(statements, 1 - along_, &item_tiles_)) {
    item_tiles_ = TurnTiles();
    return;
  }
  for (const TileLoad& load : item_tiles_.loads) tile_loads_.insert(load.element);
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
