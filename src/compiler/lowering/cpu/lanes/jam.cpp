// Unroll and jam: several vectors of lanes go through the loops of a region together. A sum over a loop waits for its own last
// step, four cycles for a fused product; sums of other lanes fill that time, and what all lanes share is read once for all of
// them. Each statement is written once for each vector, under names of its own, and the control around them once.
#include <algorithm>
#include <set>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

bool changes(const Expr& e) { return e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement); }

// Whether a statement may be written once for each vector: it changes one thing, and that last.
bool changesOnce(const Expr& e) {
  const Expr* outer = &e;
  while ((outer->kind == ExprKind::kConvert || outer->kind == ExprKind::kCast) && outer->type->isVoid()) outer = outer->a;
  bool once = true;
  visit(const_cast<Expr*>(&e), [&](Expr& each) {
    once = once && (!changes(each) || &each == outer);
    if (each.kind == ExprKind::kBuiltinCall) once = once && each.builtin->kind != BuiltinKind::kAtomic;
  });
  return once;
}

// A branch that each vector takes by itself: what it does is neither a loop nor a way out of one.
bool isOwnChoice(const Stmt& choice) {
  bool own = choice.kind == StmtKind::kIf;
  visitStatements(const_cast<Stmt*>(&choice), [&](Stmt& s) {
    own = own &&
          (s.kind == StmtKind::kIf || s.kind == StmtKind::kCompound || s.kind == StmtKind::kExpr || s.kind == StmtKind::kEmpty);
    if (s.kind == StmtKind::kIf) visit(s.a, [&](Expr& e) { own = own && !changes(e); });
    if (s.kind == StmtKind::kExpr) own = own && changesOnce(*s.a);
  });
  return own;
}

}  // namespace

bool isShort(const Builtin& builtin) {
  static const std::set<std::string> kShort = {"mad",        "fma",       "fabs",           "abs",           "min",
                                               "max",        "fmin",      "fmax",           "clamp",         "mul24",
                                               "mad24",      "dot",       "convert_",       "as_",           "select",
                                               "vload",      "rotate",    "mul_hi",         "mad_hi",        "popcount",
                                               "all",        "any",       "bitselect",      "isnan",         "isinf",
                                               "isfinite",   "signbit",   "isless",         "islessequal",   "isequal",
                                               "isnotequal", "isgreater", "isgreaterequal", "islessgreater", "sqrt",
                                               "floor",      "ceil",      "trunc",          "rint",          "mix",
                                               "step"};
  return builtin.kind == BuiltinKind::kWorkItem || kShort.count(builtin.name) != 0;
}

uint32_t LaneShapes::jam(const std::vector<Stmt*>& statements) const {
  constexpr uint32_t kMostNodes = 160;      // each vector adds as many to what a compiler reads
  constexpr uint32_t kMany = 2, kSome = 5;  // sums that go on in four or two vectors without leaving the registers
  if (nodes_ > kMostNodes || !objects_.empty() || !tiles_.empty()) return 1;
  bool fine = true;
  std::set<const Variable*> sums, inner;  // what goes on from turn to turn of a loop, and what is declared in one
  uint32_t loops = 0;
  bool chosen = false;  // what some lanes do not change goes on
  const auto leaf = [&](const Expr* e) {
    if (e == nullptr || !fine) return;
    fine = changesOnce(*e);
    visit(const_cast<Expr*>(e), [&](Expr& each) {
      const bool reads = each.kind == ExprKind::kSubscript || (each.kind == ExprKind::kUnary && each.op == Op::kDereference);
      if (each.kind == ExprKind::kCall) fine = false;
      if (each.kind == ExprKind::kBuiltinCall && loops != 0) fine = fine && isShort(*each.builtin);
      if (each.kind == ExprKind::kBinary && loops != 0 && (each.op == Op::kDiv || each.op == Op::kRem))
        fine = fine && of(each).isUniform();
      if (reads && loops != 0 && !of(each).isUniform()) fine = fine && isNear(each);
    });
    const Variable* variable = changed(*e);
    if (variable == nullptr || loops == 0 || !of(*variable).isVarying() || inner.count(variable) != 0) return;
    bool goes_on = chosen || e->kind == ExprKind::kUnary || e->op != Op::kNone;
    visit(e->b, [&](Expr& each) { goes_on = goes_on || (each.kind == ExprKind::kVariable && each.variable == variable); });
    if (goes_on) sums.insert(variable);
  };
  // Outside of loops the text of a region is short, and what it does there is not looked at.
  const auto look = [&](const auto& self, const Stmt* s) -> void {
    if (s == nullptr || !fine) return;
    if (diverges(*s)) {
      fine = isOwnChoice(*s);
      leaf(s->a);
      chosen = true;
      visitExpressions(const_cast<Stmt*>(s), [&](Expr& e) {
        if (changes(e)) leaf(&e);
      });
      chosen = false;
      return;
    }
    switch (s->kind) {
      case StmtKind::kCompound:
        for (const Stmt* each : s->body) self(self, each);
        return;
      case StmtKind::kDeclare:
        for (const Variable* variable : s->variables) {
          if (loops != 0) inner.insert(variable);
          if (variable->initializer == nullptr) continue;
          visit(variable->initializer, [&](Expr& e) { fine = fine && !changes(e); });
          leaf(variable->initializer);
        }
        return;
      case StmtKind::kExpr:
        leaf(s->a);
        return;
      case StmtKind::kIf:
      case StmtKind::kFor:
      case StmtKind::kWhile:
      case StmtKind::kDo:
        loops += isLoop(*s) ? 1 : 0;
        fine = fine && (s->a == nullptr || of(*s->a).isUniform());
        self(self, s->init);
        leaf(s->b);
        self(self, s->first);
        self(self, s->second);
        loops -= isLoop(*s) ? 1 : 0;
        return;
      case StmtKind::kBreak:
      case StmtKind::kContinue:
      case StmtKind::kEmpty:
        return;
      default:
        fine = false;
    }
  };
  for (const Stmt* s : statements) look(look, s);
  uint32_t vectors = 0;
  for (const Variable* sum : sums) vectors += sum->type->components();
  if (!fine || vectors == 0 || vectors > kSome) return 1;
  return vectors <= kMany ? 4 : 2;
}

// --- the text

void LaneText::begin(uint32_t vectors) {
  vectors_.assign(vectors, {});
  const std::string lane = "mrt_l" + std::to_string(shapes_.along());
  own_names_ = {"mrt_l", lane};
  for (uint32_t i = 1; i < vectors; ++i) {
    const std::string by = " + " + std::to_string(i) + " * mrt_L::n";
    put("const long " + ownName(lane, i) + " = " + lane + by + ", " + ownName("mrt_l", i) + " = mrt_l" + by + ";\n");
  }
}

std::string LaneText::ownName(const std::string& name, uint32_t vector) {
  return vector == 0 ? name : name + "_j" + std::to_string(vector);
}

// A text of the first vector, with the names of another one.
std::string LaneText::renamed(const std::string& text, uint32_t vector) const {
  const auto in_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    result += own_names_.count(word) != 0 ? ownName(word, vector) : word;
    for (; end < text.size() && !in_name(text[end]); ++end) result += text[end];
    at = end;
  }
  return result;
}

// Whether all items change one thing, and in the same way: once is enough then.
bool LaneText::isForAll(const Expr& effect) const {
  const Variable* variable = shapes_.changed(effect);
  return variable != nullptr ? shapes_.of(*variable).isUniform() : shapes_.of(effect).isUniform();
}

void LaneText::forEachVector(const std::function<void()>& write) {
  if (vectors_.size() <= 1 || in_vector_) return write();
  in_vector_ = true;
  shared_.clear();
  std::string* const all = out_;
  for (uint32_t i = 0; i < vectors_.size(); ++i) {
    std::string own;
    out_ = &own;
    vector_ = i;
    next_shared_ = 0;
    std::swap(vectors_[i].aliases, aliases_);
    std::swap(vectors_[i].kept, kept_);
    write();
    std::swap(vectors_[i].aliases, aliases_);
    std::swap(vectors_[i].kept, kept_);
    *all += i == 0 ? own : renamed(own, i);
  }
  out_ = all;
  in_vector_ = false;
}

}  // namespace manyrt::compiler
