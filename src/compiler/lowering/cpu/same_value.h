// Whether all work-items of a group find the same value in an expression. Weaker than GroupPlan::isUniform: memory may be read,
// at a place that is the same for all. The planner asks before it lets one work-item answer for the group; nothing is
// computed from it.
#pragma once

#include <set>

#include "compiler/lowering/cpu/group_plan.h"

namespace manyrt::compiler {

class SameValues {
 public:
  explicit SameValues(const GroupPlan& plan) : plan_(plan) {}

  // Private variables that the group assigns together; those with a value that differs are found out and left away.
  struct Candidate {
    const Variable* variable;
    std::vector<const Expr*> assigned_by;  // assignments, increments, initialisers
    std::vector<size_t> choices;           // that must go the same way: indices
  };
  using Conditions = std::vector<const Expr*>;
  void choose(const std::vector<Candidate>& candidates, const std::vector<Conditions>& choices);

  bool isSame(const Expr& expression) const;

 private:
  bool areSame(const std::vector<const Expr*>& expressions) const;
  bool isSameCall(const Function& helper) const;
  bool isSameBuiltin(const Builtin& builtin) const;

  const GroupPlan& plan_;
  std::set<const Variable*> same_;
};

// Calls `function` with each assignment and increment of a whole variable that is sure to happen when the expression is
// evaluated.
template <class F>
void visitSureAssignments(const Expr* e, F&& function) {
  if (e == nullptr) return;
  const bool writes = e->kind == ExprKind::kAssign || (e->kind == ExprKind::kUnary && e->op >= Op::kPreIncrement);
  if (writes && e->a->kind == ExprKind::kVariable) function(*e);
  visitSureAssignments(e->a, function);
  const bool lazy = e->kind == ExprKind::kConditional ||
                    (e->kind == ExprKind::kBinary && (e->op == Op::kLogicalAnd || e->op == Op::kLogicalOr));
  if (lazy) return;
  visitSureAssignments(e->b, function);
  visitSureAssignments(e->c, function);
  for (const Expr* argument : e->arguments) visitSureAssignments(argument, function);
}

}  // namespace manyrt::compiler
