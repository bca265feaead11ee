// Expressions that have one value for a whole group; see the header.
#include "compiler/lowering/cpu/same_value.h"

#include <algorithm>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {

void SameValues::choose(const std::vector<Candidate>& candidates, const std::vector<Conditions>& choices) {
  same_.clear();
  for (const Candidate& candidate : candidates) same_.insert(candidate.variable);
  std::vector<bool> differs(choices.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < choices.size(); ++i) {
      if (differs[i] || areSame(choices[i])) continue;
      differs[i] = changed = true;
    }
    for (const Candidate& candidate : candidates) {
      if (same_.count(candidate.variable) == 0) continue;
      bool stays = areSame(candidate.assigned_by);
      for (const size_t choice : candidate.choices) stays = stays && !differs[choice];
      if (stays) continue;
      same_.erase(candidate.variable);
      changed = true;
    }
  }
}

bool SameValues::areSame(const std::vector<const Expr*>& expressions) const {
  for (const Expr* expression : expressions) {
    if (!isSame(*expression)) return false;
  }
  return true;
}

bool SameValues::isSame(const Expr& root) const {
  // A value is the same for all items where every operand is. Effects are allowed only on variables that are the same
  // themselves, because all items then make the same change. Reads of memory count as the same too, because one work-item then
  // answers for the group.
  bool same = true;
  visit(const_cast<Expr*>(&root), [&](Expr& e) {
    switch (e.kind) {
      case ExprKind::kVariable: {
        const Variable& v = *e.variable;
        const bool shared = v.is_parameter || v.type.space == AddressSpace::kLocal || v.type.space == AddressSpace::kConstant;
        same = same && (shared || same_.count(&v) != 0 || plan_.storage(v) == Storage::kUniform);
        break;
      }
      case ExprKind::kAssign:
        same = same && e.a->kind == ExprKind::kVariable && same_.count(e.a->variable) != 0;
        break;
      case ExprKind::kUnary:
        if (e.op >= Op::kPreIncrement) same = same && e.a->kind == ExprKind::kVariable && same_.count(e.a->variable) != 0;
        break;
      case ExprKind::kString:
      case ExprKind::kInitializer:
        same = false;
        break;
      case ExprKind::kCall:
        same = same && isSameCall(*e.function);
        break;
      case ExprKind::kBuiltinCall:
        same = same && isSameBuiltin(*e.builtin);
        break;
      default:
        break;
    }
  });
  return same;
}

bool SameValues::isSameCall(const Function& helper) const {
  return !anyReached(helper, [&](const Function& each) {
    return each.body == nullptr || !std::all_of(each.builtins.begin(), each.builtins.end(),
                                                [&](const Builtin* builtin) { return isSameBuiltin(*builtin); });
  });
}

bool SameValues::isSameBuiltin(const Builtin& builtin) const {
  if (builtin.kind == BuiltinKind::kPure || builtin.kind == BuiltinKind::kMemory) return true;
  if (builtin.kind != BuiltinKind::kWorkItem) return false;
  const WorkItem which = builtin.work_item;
  return which != WorkItem::kGlobalId && which != WorkItem::kLocalId && which != WorkItem::kGlobalLinearId &&
         which != WorkItem::kLocalLinearId;
}

}  // namespace manyrt::compiler
