// Statements for vectors of work-items: masks, loops that lanes leave one by one, and what crosses from region to region.
#include "compiler/lowering/cpu/lanes/lane_text.h"

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
                           const std::vector<Crossing>& crossing, bool all, bool asks_alive) {
  std::string text;
  out_ = &text;
  next_ = 0;
  loops_.clear();
  kept_.clear();
  mask_ = all && !asks_alive ? "" : "mrt_on";
  left_.clear();
  bool returns = false;
  for (const Stmt* s : list) returns = returns || containsReturn(*s);
  put("const long mrt_l = (mrt_l2 * mrt_n1 + mrt_l1) * mrt_n0 + mrt_l0; (void)mrt_l;\n");
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
    const std::string own = text_.name(*each.variable);
    put(lane(each.variable->type.type) + " " + own);
    if (each.loads) put(" = mrt_L::near(mrt_x_" + own + " + mrt_l" + (mask_.empty() ? "" : ", " + mask_) + ")");
    put(";\n");
    kept_[each.variable] = mask_;
  }
  for (const Variable* variable : recomputed) declare(*variable);
  statements(list, 0);
  for (const Crossing& each : crossing) {
    if (!each.stores) continue;
    const std::string own = text_.name(*each.variable);
    put("mrt_L::put_near(mrt_x_" + own + " + mrt_l, " + own + (mask_.empty() ? "" : ", mrt_on") + ");\n");
  }
  if (asks_alive && returns) {
    put("if (mrt_L::any(mrt_left)) mrt_L::put_near(mrt_alive + mrt_l, mrt_L::v<unsigned int>{}, mrt_left);\n");
  }
  out_ = nullptr;
  return text;
}

// --- statements

bool LaneText::leaves(const Stmt& s) const {
  if (containsReturn(s)) return true;
  if (loops_.empty() || !loops_.back().masked) return false;
  return continuesOut(s) || breaksOut(s);
}

// Behind a statement that some lanes left: the mask loses them.
void LaneText::refresh(const Stmt& s) {
  std::string gone;
  if (containsReturn(s)) gone = left_;
  if (!loops_.empty() && loops_.back().masked) {
    const Loop& loop = loops_.back();
    if (breaksOut(s)) gone += (gone.empty() ? "" : " | ") + loop.broken;
    if (continuesOut(s)) gone += (gone.empty() ? "" : " | ") + loop.continued;
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
  const std::string own = text_.name(variable);
  const Shape shape = shapes_.of(variable);
  if (!shape.isVarying()) {
    QualType type = variable.type;
    type.is_restrict = false;
    if (variable.initializer == nullptr) {
      put(text_.declare(type, own) + ";\n");
    } else {
      const std::string first = scalar(*variable.initializer);
      put(text_.declare(type, own) + " = " + first + ";\n");
    }
    return;
  }
  if (kept_.count(&variable) != 0) {  // it crosses regions, and has been declared at the head
    if (variable.initializer != nullptr) put(store(variable, value(*variable.initializer)));
    return;
  }
  const std::string initial = variable.initializer != nullptr ? value(*variable.initializer) : lane(variable.type.type) + "{}";
  put(lane(variable.type.type) + " " + own + " = " + initial + ";\n");
  kept_[&variable] = mask_;
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
      effect(*s.a);
      return true;
    case StmtKind::kIf:
      choose(s);
      return true;
    case StmtKind::kFor:
    case StmtKind::kWhile:
    case StmtKind::kDo:
      if (shapes_.diverges(s) || containsReturn(s)) {
        loop(s);
      } else {
        plainLoop(s);
      }
      return true;
    case StmtKind::kBreak:
      if (loops_.back().masked) {
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
    case StmtKind::kReturn:
      put(left_ + " = " + left_ + " | " + mask_ + ";\n");
      return false;
    default:
      return true;
  }
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
  const std::string chosen = temporary(condition(*s.a));
  const auto under = [&](const Stmt& inner, const std::string& lanes) {
    const std::string own = fresh("mrt_m");
    put("{ mrt_L::m " + own + " = " + (outer.empty() ? lanes : outer + " & " + lanes) + ";\nif (mrt_L::any(" + own + "))\n");
    mask_ = own;
    part(inner);
    mask_ = outer;
    put("}\n");
  };
  under(*s.first, chosen);
  if (s.second != nullptr) under(*s.second, "~" + chosen);
}

void LaneText::plainLoop(const Stmt& s) {
  put("{\n");
  if (s.init != nullptr) statement(*s.init);
  Loop own;
  own.label = fresh("mrt_u");
  loops_.push_back(own);
  const bool simple = s.b == nullptr || (shapes_.of(*s.b).isUniform() && assignedVariable(*s.b) != nullptr);
  const std::string asks = s.a != nullptr ? scalar(*s.a) : "true";
  if (s.unroll >= 0) put("\n#pragma GCC unroll " + (s.unroll == 0 ? std::string("16") : std::to_string(s.unroll)) + "\n");
  if (s.kind == StmtKind::kDo) {
    put("do {\n");
  } else {
    put("for (; " + asks + "; " + (simple && s.b != nullptr ? text_.expression(*s.b) : std::string()) + ") {\n");
  }
  put("{\n");
  statements({s.first}, 0);
  put("}\n");
  if (loops_.back().uses_label) put(loops_.back().label + ": ;\n");
  if (!simple) effect(*s.b);
  put(s.kind == StmtKind::kDo ? "} while (" + asks + ");\n" : "}\n");
  loops_.pop_back();
  put("}\n");
}

// A loop that lanes leave one by one: it runs while any lane does.
void LaneText::loop(const Stmt& s) {
  const std::string outer = mask_;
  const std::string own = fresh("mrt_m");
  Loop state;
  state.masked = true;
  state.broken = fresh("mrt_k");
  state.continued = fresh("mrt_k");
  const bool breaks = breaksOut(*s.first), continues = continuesOut(*s.first), returns = containsReturn(s);
  put("{ mrt_L::m " + own + " = " + mask() + ";\n");
  if (breaks) put("mrt_L::m " + state.broken + " = {};\n");
  mask_ = own;
  if (s.init != nullptr) statement(*s.init);
  put("for (;;) {\n");
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
  put("{\n");
  if (continues) put("mrt_L::m " + state.continued + " = {};\n");
  if (inside != own) put("mrt_L::m " + inside + " = " + own + ";\n");
  mask_ = inside;
  statements({s.first}, 0);
  mask_ = own;
  put("}\n");
  if (breaks) put(own + " = " + own + " & ~" + state.broken + ";\n");
  if (returns) put(own + " = " + own + " & ~" + left_ + ";\n");
  if (breaks || returns) put("if (!mrt_L::any(" + own + ")) break;\n");
  if (s.kind == StmtKind::kDo) ask();
  if (s.b != nullptr) effect(*s.b);
  loops_.pop_back();
  put("}\n}\n");
  mask_ = outer;
}

}  // namespace manyrt::compiler
