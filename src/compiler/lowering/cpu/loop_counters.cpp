// A counter is declared with a literal in the block of its loop, and nothing but steps of that loop changes it. The loop gets a
// copy, and gives the counter the copy's value behind each step; see the header.
#include "compiler/lowering/cpu/loop_counters.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

bool isLiteral(const Expr& e) { return behindConversions(e).kind == ExprKind::kLiteral; }

// The variable of ++v, v--, v += 3; null: it is no such step.
Variable* stepped(const Expr* e) {
  if (e == nullptr || assignedVariable(*e) == nullptr) return nullptr;
  if (e->kind == ExprKind::kUnary) return e->a->variable;
  return (e->op == Op::kAdd || e->op == Op::kSub) && isLiteral(*e->b) ? e->a->variable : nullptr;
}

// Of a comma's operands.
void collectSteps(const Expr* e, std::vector<Variable*>* steps) {
  if (e == nullptr) return;
  if (e->kind == ExprKind::kBinary && e->op == Op::kComma) {
    collectSteps(e->a, steps);
    collectSteps(e->b, steps);
  } else if (Variable* variable = stepped(e)) {
    steps->push_back(variable);
  }
}

class Counters {
 public:
  Counters(Program& program, Function& function) : program_(program) {
    visitExpressions(function.body, [&](Expr& e) {
      if (e.kind == ExprKind::kVariable) ++names_[e.variable];
      const bool addressed = e.kind == ExprKind::kUnary && e.op == Op::kAddressOf;
      const bool changes = e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement);
      if (!addressed && !changes) return;
      if (const Variable* root = rootVariable(*e.a)) ++changes_[root];
    });
    visitStatements(function.body, [&](Stmt& s) {
      if (s.kind == StmtKind::kCompound) blocks_.push_back(&s);
    });
    for (Stmt* block : blocks_) separate(block->body);
  }

 private:
  void separate(std::vector<Stmt*>& list) {
    std::map<Variable*, bool> declared;  // in this block, so far
    for (size_t i = 0; i < list.size(); ++i) {
      Stmt& s = *list[i];
      if (s.kind == StmtKind::kDeclare) {
        for (Variable* variable : s.variables) {
          const bool counts = variable->type->isInteger() && variable->type->isScalar() && !variable->type.is_volatile &&
                              variable->type.space == AddressSpace::kPrivate;
          if (counts && variable->initializer != nullptr && isLiteral(*variable->initializer)) declared[variable] = true;
        }
      }
      if (!isLoop(s) || declared.empty() || containsBarrier(s)) continue;
      std::map<Variable*, uint32_t> steps;
      std::vector<Variable*> found;
      if (s.kind == StmtKind::kFor) collectSteps(s.b, &found);
      if (!continuesOut(*s.first)) {
        for (Stmt* inner : bodyOf(s)) {
          if (inner->kind == StmtKind::kExpr) collectSteps(inner->a, &found);
        }
      }
      for (Variable* variable : found) ++steps[variable];
      for (const auto& [variable, count] : steps) {
        if (declared.count(variable) == 0 || changes_[variable] != count || namesIn(s, *variable) == names_[variable]) continue;
        if (hasPlace(s, *variable)) separateIn(s, variable);
      }
    }
  }

  // The copy is declared in the loop's head: lanes that have left do not read that again.
  static bool hasPlace(const Stmt& loop, const Variable& variable) {
    if (loop.kind == StmtKind::kWhile) return true;
    if (loop.kind != StmtKind::kFor) return false;
    const Stmt* init = loop.init;
    return init == nullptr ||
           (init->kind == StmtKind::kDeclare && !init->variables.empty() &&
            init->variables[0]->type.type == variable.type.type && init->variables[0]->type.space == AddressSpace::kPrivate);
  }

  static std::vector<Stmt*> bodyOf(Stmt& loop) {
    return loop.first->kind == StmtKind::kCompound ? loop.first->body : std::vector<Stmt*>{loop.first};
  }

  static uint32_t namesIn(Stmt& s, const Variable& variable) {
    uint32_t count = 0;
    visitExpressions(&s, [&](Expr& e) { count += e.kind == ExprKind::kVariable && e.variable == &variable ? 1 : 0; });
    return count;
  }

  Expr* copied(const Expr* literal) {
    Expr* made = program_.make(literal->kind);
    *made = *literal;
    if (literal->a != nullptr) made->a = copied(literal->a);
    return made;
  }

  // variable = own
  Expr* update(Variable* variable, Variable* own, Location where) {
    Expr* made = program_.make(ExprKind::kAssign);
    made->type = variable->type;
    made->where = where;
    made->a = program_.makeReference(variable, where);
    made->b = program_.makeReference(own, where);
    made->height = 2;
    return made;
  }

  void separateIn(Stmt& loop, Variable* variable) {
    Variable* own = program_.makeVariable();
    own->name = variable->name;
    own->type = variable->type.unqualified();
    own->where = variable->where;
    own->function = variable->function;
    own->initializer = copied(variable->initializer);
    visitExpressions(&loop, [&](Expr& e) {
      if (e.kind == ExprKind::kVariable && e.variable == variable) e.variable = own;
    });
    std::vector<Variable*> in_head;
    if (loop.kind == StmtKind::kFor) collectSteps(loop.b, &in_head);
    if (std::find(in_head.begin(), in_head.end(), own) != in_head.end()) {
      Expr* both = program_.make(ExprKind::kBinary);
      both->op = Op::kComma;
      both->type = variable->type.unqualified();
      both->where = loop.b->where;
      both->height = static_cast<uint16_t>(loop.b->height + 2);
      both->a = loop.b;
      both->b = update(variable, own, loop.b->where);
      loop.b = both;
    }
    std::vector<Stmt*> body;
    bool inside = false;
    for (Stmt* inner : bodyOf(loop)) {
      body.push_back(inner);
      std::vector<Variable*> here;
      if (inner->kind == StmtKind::kExpr) collectSteps(inner->a, &here);
      if (std::find(here.begin(), here.end(), own) == here.end()) continue;
      Stmt* after = program_.make(StmtKind::kExpr);
      after->where = inner->where;
      after->a = update(variable, own, inner->where);
      body.push_back(after);
      inside = true;
    }
    if (inside && loop.first->kind != StmtKind::kCompound) {
      Stmt* block = program_.make(StmtKind::kCompound);
      block->where = loop.first->where;
      loop.first = block;
    }
    if (inside) loop.first->body = body;
    if (loop.init == nullptr) {
      loop.init = program_.make(StmtKind::kDeclare);
      loop.init->where = loop.where;
    }
    loop.kind = StmtKind::kFor;
    loop.init->variables.push_back(own);
  }

  Program& program_;
  std::map<const Variable*, uint32_t> names_;    // how often each is named
  std::map<const Variable*, uint32_t> changes_;  // and changed, or given away
  std::vector<Stmt*> blocks_;
};

}  // namespace

void separateLoopCounters(Program& program, Function& function) {
  if (function.body != nullptr && !function.has_goto) Counters(program, function);
}

}  // namespace manyrt::compiler
