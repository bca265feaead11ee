// Statements for vectors of work-items: masks, loops that lanes leave one by one, and what crosses from region to region.
#include "compiler/lowering/cpu/lanes/lane_text.h"

#include <algorithm>
#include <utility>

#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

bool isLocal(const Variable& variable) { return variable.type.space == AddressSpace::kLocal; }

}  // namespace

std::string LaneText::temporary(const std::string& text) {
  const std::string name = fresh("mrt_t");
  put("const auto " + name + " = " + text + ";\n");
  return name;
}

std::string LaneText::body(const std::vector<Stmt*>& list, const std::vector<const Variable*>& recomputed,
                           const std::vector<Crossing>& crossing, bool all, bool asks_alive, uint32_t vectors) {
  std::string text;
  std::string* const outside = out_;
  start(list, &text);
  if (!all || asks_alive) mask_ = "mrt_on";
  bool returns = false;
  for (const Stmt* s : list) returns = returns || containsReturn(*s);
  put("const long mrt_l = (mrt_l2 * mrt_n1 + mrt_l1) * mrt_n0 + mrt_l0; (void)mrt_l;\n");
  begin(vectors);
  if (all && asks_alive) put("mrt_L::m mrt_on = mrt_L::every();\n");
  if (asks_alive) {
    put(std::string("if (mrt_masked) { mrt_on = mrt_on & (mrt_L::near(mrt_alive + mrt_l") + (all ? "" : ", mrt_on") +
        ") != mrt_L::v<unsigned int>{}); if (!mrt_L::any(mrt_on)) return; }\n");
  }
  if (returns) {
    left_ = "mrt_left";
    put("mrt_L::m mrt_left = {};\n");
    if (mask_.empty()) {
      mask_ = "mrt_on";
      put("mrt_L::m mrt_on = mrt_L::every();\n");
    }
  }
  for (const Crossing& each : crossing) {
    const Type* type = each.variable->type.type;
    forEachVector([&] {
      Parts initial;
      if (each.loads) initial = loadParts(crossingPlace(*each.variable), type);
      declareParts(*each.variable, initial);
      kept_[each.variable] = mask_;
    });
  }
  for (const Variable* variable : recomputed) declare(*variable);
  statements(list, 0);
  for (const Crossing& each : crossing) {
    if (!each.stores) continue;
    const Type* type = each.variable->type.type;
    const std::string own = text_.name(*each.variable);
    mask_ = mask_.empty() ? "" : "mrt_on";
    forEachVector([&] {
      if (type->isVector()) {
        storeParts(crossingPlace(*each.variable), type, partNames(*each.variable));
      } else {
        store(crossingPlace(*each.variable), type, own, false);
      }
    });
  }
  if (asks_alive && returns) {
    put("if (mrt_L::any(mrt_left)) mrt_L::put_near(mrt_alive + mrt_l, mrt_L::v<unsigned int>{}, mrt_left);\n");
  }
  out_ = outside;
  return text;
}

void LaneText::start(const std::vector<Stmt*>& list, std::string* out) {
  out_ = out;
  next_ = 0;
  loops_.clear();
  refusal_.clear();
  kept_.clear();
  depths_.clear();
  aliases_.clear();
  scope_ = list;
  mask_.clear();
  left_.clear();
}

// An element of the array for a variable that crosses regions.
LaneText::Place LaneText::crossingPlace(const Variable& variable) {
  const std::string name = text_.name(variable);
  const auto bytes = static_cast<int64_t>(sizeOf(variable.type));
  Place at;
  at.kind = Place::Kind::kStep;
  at.pointer = "(mrt_x_" + name + " + mrt_l)";
  at.step = "1l";
  at.scale = "(long)sizeof *mrt_x_" + name;
  at.apart = bytes;
  return at;
}

// --- statements

bool LaneText::leaves(const Stmt& s) const {
  if (containsReturn(s)) return true;
  if (loops_.empty()) return false;
  const Loop& loop = loops_.back();
  return (!loop.continued.empty() && continuesOut(s)) || (!loop.broken.empty() && breaksOut(s));
}

// Behind a statement that some lanes left: the mask loses them.
void LaneText::refresh(const Stmt& s) {
  std::string gone;
  if (containsReturn(s)) gone = left_;
  if (!loops_.empty()) {
    const Loop& loop = loops_.back();
    if (!loop.broken.empty() && breaksOut(s)) gone += (gone.empty() ? "" : " | ") + loop.broken;
    if (!loop.continued.empty() && continuesOut(s)) gone += (gone.empty() ? "" : " | ") + loop.continued;
  }
  if (!gone.empty()) put(mask_ + " = " + mask_ + " & ~(" + gone + ");\n");
}

void LaneText::statements(const std::vector<Stmt*>& list, size_t from) {
  for (size_t i = from; i < list.size(); ++i) {
    const Stmt& s = *list[i];
    if (!statement(s)) return;
    if (!leaves(s)) continue;
    refresh(s);
    if (i + 1 == list.size()) return;
    // What follows may read memory that only a lane that is still here may read.
    put("if (mrt_L::any(" + mask_ + ")) {\n");
    statements(list, i + 1);
    put("}\n");
    return;
  }
}

void LaneText::declare(const Variable& variable) {
  if (isLocal(variable) || plan_.storage(variable) == Storage::kUniform) return;
  if (!shapes_.of(variable).isUniform() || shapes_.isAlias(variable)) {
    forEachVector([&] { declareOwn(variable); });
  } else {
    declareOwn(variable);
  }
}

void LaneText::declareOwn(const Variable& variable) {
  const std::string own = text_.name(variable);
  if (shapes_.isObject(variable)) {
    if (plan_.storage(variable) != Storage::kInPlace) declareObject(variable);
    if (variable.initializer == nullptr) return;
    if (variable.initializer->kind == ExprKind::kInitializer) clear(variable);
    initialize(object(variable), variable.type.type, *variable.initializer);
    return;
  }
  if (shapes_.isAlias(variable)) {
    aliases_[&variable] = fixed(pointer(*variable.initializer));
    return;
  }
  const Shape shape = shapes_.of(variable);
  if (!shape.isVarying()) {
    QualType type = variable.type;
    type.is_restrict = false;
    if (!shape.isUniform()) own_names_.insert(own);
    if (variable.initializer == nullptr) {
      put(text_.declare(type, own) + ";\n");
    } else {
      const std::string first = scalar(*variable.initializer);
      put(text_.declare(type, own) + " = " + first + ";\n");
    }
    return;
  }
  if (kept_.count(&variable) != 0) {  // it crosses regions, and has been declared at the head
    if (variable.initializer == nullptr) return;
    const Parts values = parts(*variable.initializer), names = partNames(variable);
    for (size_t k = 0; k < names.size(); ++k) put(store(variable, names[k], values[k]));
    return;
  }
  declareParts(variable, variable.initializer != nullptr ? parts(*variable.initializer) : Parts());
  kept_[&variable] = mask_;
}

// A variable without its value.
void LaneText::declareEmpty(const Variable& variable) {
  if (isLocal(variable) || plan_.storage(variable) == Storage::kUniform || kept_.count(&variable) != 0) return;
  const std::string own = text_.name(variable);
  if (shapes_.isObject(variable)) {
    if (plan_.storage(variable) != Storage::kInPlace) declareObject(variable);
  } else if (shapes_.isAlias(variable)) {
    refuse("it declares the pointer " + variable.name + " in a switch");
  } else if (shapes_.of(variable).isVarying()) {
    declareParts(variable, Parts());
  } else {
    QualType type = variable.type;
    type.is_restrict = type.is_const = false;
    if (!shapes_.of(variable).isUniform()) own_names_.insert(own);
    put(text_.declare(type, own) + ";\n");
  }
}

// The value of a variable that has been declared without it.
void LaneText::begin(const Variable& variable) {
  if (variable.initializer == nullptr || isLocal(variable) || plan_.storage(variable) == Storage::kUniform) return;
  const std::string own = text_.name(variable);
  if (shapes_.isObject(variable)) {
    if (variable.initializer->kind == ExprKind::kInitializer) clear(variable);
    initialize(object(variable), variable.type.type, *variable.initializer);
  } else if (shapes_.of(variable).isVarying()) {
    const Parts values = parts(*variable.initializer), names = partNames(variable);
    for (size_t k = 0; k < names.size(); ++k) put(store(variable, names[k], values[k]));
  } else {
    put(own + " = " + scalar(*variable.initializer) + ";\n");
  }
}

// Braces leave out what is zero.
void LaneText::clear(const Variable& variable) {
  const Place at = object(variable);
  const std::string bytes = std::to_string(sizeOf(variable.type));
  if (at.kind == Place::Kind::kOwn && (mask_.empty() || at.whole)) {
    put("__builtin_memset(" + at.pointer + ", 0, " + bytes + " * mrt_L::n);\n");
  } else if (at.kind == Place::Kind::kOwn) {
    put("__builtin_memset(" + at.pointer + ", 0, sizeof " + at.pointer + ");\n");
  } else if (shapes_.isContiguous(variable) && plan_.storage(variable) != Storage::kInPlace) {
    put("__builtin_memset(" + text_.name(variable) + ", 0, " + bytes + " * mrt_L::n);\n");  // no lane has a value in it yet
  } else {
    put("mrt_L::each_on<int>(" + mask() + ", [&](int mrt_i) { __builtin_memset(" + at.pointer + " + mrt_i, 0, " + bytes +
        "); return 0; });\n");
  }
}

LaneText::Parts LaneText::partNames(const Variable& variable) const {
  const std::string own = text_.name(variable);
  if (!variable.type->isVector()) return {own};
  Parts result;
  for (uint32_t k = 0; k < variable.type->count; ++k) result.push_back(own + "_" + "0123456789ABCDEF"[k]);
  return result;
}

void LaneText::declareParts(const Variable& variable, const Parts& values) {
  const Type* type = variable.type.type;
  const std::string own = lane(type->isVector() ? type->element : type);
  const Parts names = partNames(variable);
  depths_[&variable] = loops_.size();
  own_names_.insert(names.begin(), names.end());
  for (size_t k = 0; k < names.size(); ++k)
    put(own + " " + names[k] + " = " + (values.empty() ? own + "{}" : values[k]) + ";\n");
}

bool LaneText::statement(const Stmt& s) {
  if (s.kind != StmtKind::kCompound) text_.line(s.where, out_);
  switch (s.kind) {
    case StmtKind::kCompound:
      put("{\n");
      statements(s.body, 0);
      put("}\n");
      return true;
    case StmtKind::kDeclare:
      for (const Variable* variable : s.variables) declare(*variable);
      return true;
    case StmtKind::kExpr:
      if (isForAll(*s.a)) {
        effect(*s.a);
      } else {
        forEachVector([&] { effect(*s.a); });
      }
      return true;
    case StmtKind::kIf:
      if (shapes_.diverges(s)) {
        forEachVector([&] { choose(s); });
      } else {
        choose(s);
      }
      return true;
    // A return inside needs the masks of loop() even where all lanes take it alike: the code behind the loop has to know.
    case StmtKind::kFor:
    case StmtKind::kWhile:
    case StmtKind::kDo:
      if (shapes_.diverges(s) || containsReturn(s)) {
        loop(s);
      } else {
        plainLoop(s);
      }
      return true;
    case StmtKind::kSwitch:
      select(s);
      return true;
    // The lanes that are here leave; the code behind runs without them, or not at all (false).
    case StmtKind::kBreak:
      if (loops_.back().masked || loops_.back().is_switch) {
        put(loops_.back().broken + " = " + loops_.back().broken + " | " + mask_ + ";\n");
      } else {
        put("break;\n");
      }
      return false;
    case StmtKind::kContinue:
      if (loops_.back().masked) {
        put(loops_.back().continued + " = " + loops_.back().continued + " | " + mask_ + ";\n");
      } else {
        loops_.back().uses_label = true;
        put("goto " + loops_.back().label + ";\n");
      }
      return false;
    // A helper's result is a variable of the code around. Lanes that returned before keep what they gave it.
    case StmtKind::kReturn:
      if (result_ != nullptr && s.a != nullptr && s.a->type->isRecord()) {
        Place to;
        to.kind = Place::Kind::kOwn;
        to.pointer = (*result_)[0];
        to.step = "0l";
        to.whole = left_.empty();
        copy(to, fixed(recordPlace(*s.a)), s.a->type.type);
      } else if (result_ != nullptr && s.a != nullptr) {
        const Parts values = parts(*s.a);
        const bool whole = left_.empty();
        for (size_t k = 0; k < result_->size(); ++k) {
          const std::string& own = (*result_)[k];
          put(own + " = " + (whole ? values[k] : "mrt_L::pick(" + mask() + ", " + values[k] + ", " + own + ")") + ";\n");
        }
      } else if (s.a != nullptr) {
        effect(*s.a);
      }
      if (!left_.empty()) put(left_ + " = " + left_ + " | " + mask() + ";\n");
      return false;
    default:
      return true;
  }
}

// Whether a few selects cost less than a branch that is not foreseen: assignments of what every lane may compute.
bool LaneText::isCheap(const Stmt& s, uint32_t* nodes) const {
  constexpr uint32_t kFew = 12;
  if (s.kind == StmtKind::kCompound) {
    return std::all_of(s.body.begin(), s.body.end(), [&](const Stmt* each) { return isCheap(*each, nodes); });
  }
  if (s.kind == StmtKind::kEmpty) return true;
  if (s.kind != StmtKind::kExpr) return false;
  const Variable* variable = shapes_.changed(*s.a);
  if (variable == nullptr || !shapes_.of(*variable).isVarying() || s.a->a->type->isVector()) return false;
  if (s.a->b != nullptr && !isSafeForAllLanes(*s.a->b)) return false;
  visit(s.a, [&](Expr& e) { *nodes += e.kind == ExprKind::kBuiltinCall ? kFew : 1; });
  return *nodes <= kFew;
}

void LaneText::choose(const Stmt& s) {
  const auto part = [&](const Stmt& inner) {
    put("{\n");
    statements({const_cast<Stmt*>(&inner)}, 0);
    put("}\n");
  };
  if (!shapes_.diverges(s)) {
    put("if (" + scalar(*s.a) + ")\n");
    part(*s.first);
    if (s.second != nullptr) {
      put("else\n");
      part(*s.second);
    }
    return;
  }
  const std::string outer = mask_;
  // Where most vectors have lanes of one kind only, these go through a text without masks.
  const Agreement agrees = isWrittenTwice(s) ? agreement(*s.a) : Agreement();
  const auto whole = [&](const std::string& agreed, const Stmt* inner) {
    put("if (" + agreed + ") {\n");
    const std::map<const Variable*, std::string> kept = kept_;  // what is declared inside is declared once more below
    if (inner != nullptr) part(*inner);
    kept_ = kept;
    put("} else ");
  };
  if (!agrees.none.empty()) whole(agrees.none, s.second);
  if (!agrees.all.empty()) whole(agrees.all, s.first);
  put("{\n");
  const std::string chosen = temporary(condition(*s.a));
  const auto under = [&](const Stmt& inner, const std::string& lanes) {
    const std::string own = fresh("mrt_m");
    uint32_t nodes = 0;
    put("{ mrt_L::m " + own + " = " + (outer.empty() ? lanes : outer + " & " + lanes) + ";\n");
    if (!isCheap(inner, &nodes)) put("if (mrt_L::any(" + own + "))\n");
    mask_ = own;
    part(inner);
    mask_ = outer;
    put("}\n");
  };
  under(*s.first, chosen);
  if (s.second != nullptr) under(*s.second, "~" + chosen);
  put("}\n");
}

// The parts of a switch, each with its labels, where all of them end with a break: no lane takes two then.
struct LaneText::Part {
  std::vector<const Stmt*> labels;
  std::vector<Stmt*> statements;
};

bool LaneText::isApart(const std::vector<const Stmt*>& list, std::vector<Part>* parts) const {
  bool ended = true;
  for (const Stmt* each : list) {
    if (each->kind == StmtKind::kCase || each->kind == StmtKind::kDefault) {
      if (ended) parts->emplace_back();
      if (!parts->back().statements.empty()) return false;  // the part before falls into this one
      parts->back().labels.push_back(each);
      ended = false;
    } else if (ended) {
      return false;  // no lane comes here
    } else if (each->kind == StmtKind::kBreak) {
      ended = true;
    } else if (each->kind == StmtKind::kCompound && !each->body.empty() && each->body.back()->kind == StmtKind::kBreak) {
      std::vector<Stmt*>& into = parts->back().statements;
      into.insert(into.end(), each->body.begin(), each->body.end() - 1);
      ended = true;
    } else {
      if (each->kind == StmtKind::kDeclare) return false;
      parts->back().statements.push_back(const_cast<Stmt*>(each));
      ended = each->kind == StmtKind::kReturn || each->kind == StmtKind::kContinue;
    }
  }
  return std::all_of(parts->begin(), parts->end(), [](const Part& part) {
    return std::none_of(part.statements.begin(), part.statements.end(), [](const Stmt* each) { return breaksOut(*each); });
  });
}

void LaneText::selectApart(const Stmt& s, const std::vector<Part>& parts) {
  const std::string outer = mask_, base = fresh("mrt_m"), type = prelude_.type(s.a->type.type);
  put("{\n");
  const std::string selected = temporary(value(*s.a));
  put("const mrt_L::m " + base + " = " + mask() + ";\n");
  std::string known;  // lanes that have a case
  for (const Part& part : parts) {
    for (const Stmt* label : part.labels) {
      if (label->kind == StmtKind::kCase) known += (known.empty() ? "" : " | ") + caseMask(*label, selected, type);
    }
  }
  for (const Part& part : parts) {
    std::string lanes;
    for (const Stmt* label : part.labels) {
      lanes += lanes.empty() ? "" : " | ";
      lanes += label->kind == StmtKind::kCase ? caseMask(*label, selected, type) : known.empty() ? base : "~(" + known + ")";
    }
    const std::string own = fresh("mrt_m");
    uint32_t nodes = 0;
    const bool cheap =
        std::all_of(part.statements.begin(), part.statements.end(), [&](Stmt* each) { return isCheap(*each, &nodes); });
    put("{ mrt_L::m " + own + " = " + base + " & (" + lanes + ");\n" + (cheap ? "" : "if (mrt_L::any(" + own + "))") + " {\n");
    mask_ = own;
    statements(part.statements, 0);
    put("}\n}\n");
  }
  mask_ = outer;
  put("}\n");
}

std::string LaneText::caseMask(const Stmt& label, const std::string& selected, const std::string& type) {
  return "mrt_L::mask(" + selected + " == mrt_L::all<" + type + ">((" + type + ")" +
         std::to_string(static_cast<int64_t>(label.integer)) + "l))";
}

// A switch goes through its statements once: each label adds the lanes that it is for, and a break takes lanes away.
void LaneText::select(const Stmt& s) {
  std::vector<const Stmt*> list;
  listSwitch(s, &list);
  if (std::vector<Part> parts; isApart(list, &parts)) return selectApart(s, parts);
  const std::string outer = mask_, own = fresh("mrt_m"), base = fresh("mrt_m"), type = prelude_.type(s.a->type.type);
  put("{\n");
  const std::string selected = temporary(value(*s.a));
  Loop state;
  if (!loops_.empty()) state = loops_.back();
  state.is_switch = true;
  state.broken = fresh("mrt_left");
  put("const mrt_L::m " + base + " = " + mask() + ";\nmrt_L::m " + own + " = {}, " + state.broken + " = {};\n");
  const auto equal = [&](const Stmt& label) { return caseMask(label, selected, type); };
  std::string known;  // lanes that have a case
  for (const Stmt* each : list) {
    if (each->kind == StmtKind::kCase) known += (known.empty() ? "" : " | ") + equal(*each);
  }
  loops_.push_back(state);
  for (const Stmt* each : list) {
    if (each->kind == StmtKind::kCase || each->kind == StmtKind::kDefault) {
      std::string added = base + " & " +
                          (each->kind == StmtKind::kCase ? equal(*each)
                           : known.empty()               ? base
                                                         : "~(" + known + ")");
      std::string gone = state.broken + (left_.empty() ? "" : " | " + left_);
      if (!state.continued.empty()) gone += " | " + state.continued;
      put(own + " = " + own + " | (" + added + " & ~(" + gone + "));\n");
      continue;
    }
    // What is declared here is there for all that follows, and begins with its value for the lanes that come by.
    mask_ = own;
    const bool declares = each->kind == StmtKind::kDeclare;
    if (declares) {
      for (const Variable* variable : each->variables) declareEmpty(*variable);
    }
    put("if (mrt_L::any(" + own + ")) {\n");
    if (declares) {
      for (const Variable* variable : each->variables) begin(*variable);
    } else {
      statement(*each);
      if (leaves(*each)) refresh(*each);
    }
    put("}\n");
  }
  loops_.back().uses_label = state.uses_label || loops_.back().uses_label;
  const bool uses_label = loops_.back().uses_label;
  loops_.pop_back();
  if (!loops_.empty()) loops_.back().uses_label = loops_.back().uses_label || uses_label;
  mask_ = outer;
  put("}\n");
}

void LaneText::plainLoop(const Stmt& s) {
  put("{\n");
  if (s.init != nullptr) statement(*s.init);
  Loop own;
  own.label = fresh("mrt_u");
  loops_.push_back(own);
  if (const TileLoop* tiles = shapes_.tiles(s); tiles != nullptr && vectors_.size() <= 1) tiledTurns(s, *tiles);
  const bool simple = s.b == nullptr || (shapes_.of(*s.b).isUniform() && assignedVariable(*s.b) != nullptr);
  const std::string asks = s.a != nullptr ? scalar(*s.a) : "true";
  if (s.unroll >= 0) put("\n#pragma GCC unroll " + (s.unroll == 0 ? std::string("16") : std::to_string(s.unroll)) + "\n");
  if (s.kind == StmtKind::kDo) {
    put("do {\n");
  } else {
    put("for (; " + asks + "; " + (simple && s.b != nullptr ? text_.expression(*s.b) : std::string()) + ") {\n");
  }
  put(std::string(kKeepsBranches) + "{\n");
  statements({s.first}, 0);
  put("}\n");
  if (loops_.back().uses_label) put(loops_.back().label + ": ;\n");
  if (!simple) forEachVector([&] { effect(*s.b); });
  put(s.kind == StmtKind::kDo ? "} while (" + asks + ");\n" : "}\n");
  loops_.pop_back();
  put("}\n");
}

// Variables that the code behind a loop does not read. Lanes that have left the loop may go on with them, in numbers that mean
// nothing: what they were is not kept by a select, for which every turn would have to wait.
std::set<const Variable*> LaneText::readOnlyIn(const Stmt& loop) const {
  std::map<const Variable*, int> uses;  // outside of the loop
  bool is_short = true;
  const auto count = [&](int by) {
    return [&uses, by](Expr& e) {
      if (e.kind == ExprKind::kVariable) uses[e.variable] += by;
      if (e.kind == ExprKind::kAssign && e.op == Op::kNone && e.a->kind == ExprKind::kVariable) uses[e.a->variable] -= by;
    };
  };
  for (Stmt* s : scope_) visitExpressions(s, count(1));
  std::set<const Variable*> result;
  visitExpressions(const_cast<Stmt*>(&loop), count(-1));
  // Long functions have ways for rare arguments, which such numbers would take.
  visitExpressions(const_cast<Stmt*>(&loop), [&](Expr& e) {
    if (e.kind == ExprKind::kCall || (e.kind == ExprKind::kBuiltinCall && !isShort(*e.builtin))) is_short = false;
  });
  if (!is_short) return result;
  // Where a loop stands in another one, a turn of the outer one has to begin with a new value.
  for (const auto& [variable, count_outside] : uses) {
    const auto depth = depths_.find(variable);
    const bool is_here = depth != depths_.end() && depth->second == loops_.size() - 1;
    if (count_outside == 0 && is_here && plan_.storage(*variable) == Storage::kRegion) result.insert(variable);
  }
  return result;
}

// A loop that lanes leave one by one: it runs while any lane does.
void LaneText::loop(const Stmt& s) {
  const std::string outer = mask_;
  const std::string own = fresh("mrt_m");
  Loop state;
  state.masked = true;
  const bool breaks = breaksOut(*s.first), continues = continuesOut(*s.first), returns = containsReturn(s);
  if (breaks) state.broken = fresh("mrt_left");
  if (continues) state.continued = fresh("mrt_left");
  put("{ mrt_L::m " + own + " = " + mask() + ";\n");
  if (breaks) put("mrt_L::m " + state.broken + " = {};\n");
  mask_ = own;
  // Three masks: `own` has the lanes that are still in the loop, `inside` those that are in this turn of the body, and
  // `broken` and `continued` collect the ones that leave it.
  if (s.init != nullptr) statement(*s.init);
  put(std::string("for (;;) {\n") + kKeepsBranches);
  loops_.push_back(state);
  const auto ask = [&] {
    if (s.a == nullptr) return;
    if (shapes_.of(*s.a).isUniform()) {
      put("if (!(" + scalar(*s.a) + ")) break;\n");
      return;
    }
    const std::string goes_on = condition(*s.a);
    put(own + " = " + own + " & " + goes_on + ";\nif (!mrt_L::any(" + own + ")) break;\n");
  };
  if (s.kind != StmtKind::kDo) ask();
  const std::string inside = breaks || continues || returns ? fresh("mrt_m") : own;
  if (!continues) {
    loops_.back().inside = inside;
    loops_.back().own = readOnlyIn(s);
  }
  put("{\n");
  if (continues) put("mrt_L::m " + state.continued + " = {};\n");
  if (inside != own) put("mrt_L::m " + inside + " = " + own + ";\n");
  mask_ = inside;
  statements({s.first}, 0);
  mask_ = own;
  put("}\n");
  // Lanes that continued come back for the step and the condition. Those that broke or returned do not.
  if (breaks) put(own + " = " + own + " & ~" + state.broken + ";\n");
  if (returns) put(own + " = " + own + " & ~" + left_ + ";\n");
  if (breaks || returns) put("if (!mrt_L::any(" + own + ")) break;\n");
  if (s.kind == StmtKind::kDo) ask();
  if (s.b != nullptr) effect(*s.b);
  loops_.pop_back();
  put("}\n}\n");
  mask_ = outer;
}

// The statements of a helper where it is called. What it is given has been computed before; where it may return early, masks
// of its own say which lanes have.
LaneText::Parts LaneText::inlined(const Expr& e) {
  const Function& function = *e.function;
  std::vector<Parts> given;
  std::map<size_t, Place> places;  // of pointers and records
  for (size_t i = 0; i < e.arguments.size(); ++i) {
    const Variable& parameter = *function.parameters[i];
    const Shape shape = shapes_.of(parameter);
    if (shapes_.isAlias(parameter)) {
      places[i] = fixed(pointer(*e.arguments[i]));
      given.push_back({});
    } else if (parameter.type->isRecord()) {
      places[i] = fixed(recordPlace(*e.arguments[i]));
      given.push_back({});
    } else if (shape.isVarying()) {
      given.push_back(parts(*e.arguments[i]));
      for (std::string& each : given.back()) each = temporary(each);
    } else {
      given.push_back({temporary(scalar(*e.arguments[i]))});
    }
  }
  Parts result;
  const Type* type = function.result.type;
  if (type->isRecord()) {
    result.push_back(fresh("mrt_r"));
    put("alignas(64) char " + result[0] + "[" + std::to_string(sizeOf(function.result)) + " * mrt_L::n];\n");
  } else if (!type->isVoid()) {
    const std::string own = lane(type->isVector() ? type->element : type);
    for (uint32_t k = 0; k < type->components(); ++k) {
      result.push_back(fresh("mrt_r"));
      put(own + " " + result.back() + " = {};\n");
    }
  }
  put("{\n");
  const std::string outer = mask_, outer_left = left_;
  const Parts* outer_result = std::exchange(result_, &result);
  std::vector<Loop> outer_loops = std::exchange(loops_, {});
  std::vector<Stmt*> outer_scope = std::exchange(scope_, {function.body});
  const std::vector<Stmt*>& body = function.body->body;
  uint32_t returns = 0;
  visitStatements(function.body, [&](Stmt& s) {
    returns += s.kind == StmtKind::kReturn ? 1 : 0;
    for (const Variable* variable : s.variables) kept_.erase(variable);  // of an earlier call
  });
  left_.clear();
  if (returns > 1 || (returns == 1 && (body.empty() || body.back()->kind != StmtKind::kReturn))) {
    const std::string own = fresh("mrt_m"), left = fresh("mrt_left");
    put("mrt_L::m " + own + " = " + mask() + ";\nmrt_L::m " + left + " = {};\n");
    mask_ = own;
    left_ = left;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const Variable& parameter = *function.parameters[i];
    if (shapes_.isObject(parameter)) {
      declareObject(parameter);
      if (parameter.type->isRecord()) {
        copy(object(parameter), places[i], parameter.type.type);
      } else if (parameter.type->isVector()) {
        storeParts(object(parameter), parameter.type.type, given[i]);
      } else {
        store(object(parameter), parameter.type.type, given[i][0], false);
      }
    } else if (shapes_.isAlias(parameter)) {
      aliases_[&parameter] = places[i];
    } else if (shapes_.of(parameter).isVarying()) {
      declareParts(parameter, given[i]);
      kept_[&parameter] = mask_;
    } else {
      QualType own = parameter.type;
      own.is_restrict = false;
      put(text_.declare(own, text_.name(parameter)) + " = " + given[i][0] + ";\n");
    }
  }
  statements(body, 0);
  put("}\n");
  mask_ = outer;
  left_ = outer_left;
  result_ = outer_result;
  loops_ = std::move(outer_loops);
  scope_ = std::move(outer_scope);
  return result;
}

}  // namespace manyrt::compiler
