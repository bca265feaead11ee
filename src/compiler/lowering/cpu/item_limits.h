// Conditions such as `if (i >= n) return;`, which compare an id, or the sum of an id and a small constant, with a value that is
// uniform in the group, and `if (i == 0)`.
// The loops over the items begin or end there, and no item tests the condition again.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

class GroupPlan;

// Work-items do nothing whose id in `dimension` is at least `bound`, or beyond it, if that is inclusive. Of a lower limit,
// those whose id is below it, or at most as large, if it is not inclusive.
struct ItemLimit {
  int dimension = 0;
  bool local = false;  // the local id, else the global one
  bool inclusive = false;
  const Expr* bound = nullptr;  // null: all but the item with the id 0 do nothing; of a lower limit, that item alone
  bool lower = false;
  uint64_t more = 0;  // what is added to the id
};

class LimitFinder {
 public:
  // `lower`: also limits below which items do nothing.
  LimitFinder(const GroupPlan& plan, const Function& kernel, bool lower) : plan_(plan), kernel_(kernel), lower_(lower) {}

  // Takes the conditions at the head of a list of statements out of it, and the one around its last statement. Stops before
  // anything that has effects or reads memory. `must_run`: variables whose declaration every item has to reach.
  template <class MustRun>
  std::vector<ItemLimit> take(std::vector<Stmt*>* statements, MustRun must_run) {
    std::vector<ItemLimit> limits;
    for (size_t i = 0; i < statements->size(); ++i) {
      Stmt* s = (*statements)[i];
      if (s->kind == StmtKind::kDeclare) {
        bool passes = true;
        for (const Variable* variable : s->variables) passes = passes && !must_run(*variable) && passesOver(*variable);
        if (!passes) return limits;
      } else if (!takeOne(statements, &i, &limits)) {
        return limits;
      }
    }
    return limits;
  }

 private:
  struct Id {  // of a dimension; -1: none
    int dimension = -1;
    bool local = false;
    uint64_t more = 0;  // a constant that is added
  };
  bool passesOver(const Variable& variable);
  bool takeOne(std::vector<Stmt*>* statements, size_t* at, std::vector<ItemLimit>* limits);
  Id comparedWithZero(const Expr& condition, bool others) const;
  bool limit(const Expr& condition, bool leaves, std::vector<ItemLimit>* limits) const;
  Id idOf(const Expr& expression, int depth = 0) const;
  Id bareIdOf(const Expr& expression) const;  // without a sum
  bool isChanged(const Variable& variable) const;

  const GroupPlan& plan_;
  const Function& kernel_;
  const bool lower_;
  std::map<const Variable*, Id> ids_;  // variables that are an id, or its sum with a constant
};

// The limits of a region, taken out of its statements.
std::vector<ItemLimit> takeLimits(const GroupPlan& plan, const Function& kernel, std::vector<Stmt*>* statements);

}  // namespace manyrt::compiler
