// Indices of 32 bits without wrapping. As far as a compiler knows, `a[row * n + column]` with uint operands may wrap at 2^32.
// It then cannot see that neighbouring work-items access neighbouring elements. Each such index of a region gets a guard,
// computed once for a group from the ranges of its operands. Where the guard holds, the region runs with 64-bit indices, else
// as written. What the indices are never changes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/group_plan.h"

namespace manyrt::compiler {

class WideIndices {
 public:
  WideIndices(CppText& text, const GroupPlan& plan, const Function& kernel) : text_(text), plan_(plan), kernel_(kernel) {}

  // Looks at the subscripts of a region. True if any can be widened: then `guard` is code that sets `result` (a bool).
  bool find(const std::vector<Stmt*>& statements, const std::string& result, std::string* guard);
  // Whether an index of 32 unsigned bits cannot wrap from one work-item to the next: its guard was found, or it is an id.
  bool cannotWrap(const Expr& index) const;
  // Whether the guard says that a loop's body runs at least once.
  bool runs(const Stmt& loop) const { return running_.count(&loop) != 0; }
  // The 64-bit form of an index that was found; empty: not one of them.
  std::string wide(const Expr& index);

 private:
  struct Range {  // names or numbers of C++ unsigned longs
    std::string low, high;
    bool known = false;
  };
  struct Loop {  // of a variable that only its loop's head changes
    const Expr* first;
    const Expr* end;
    bool inclusive;
  };

  void findLoops(const std::vector<Stmt*>& statements);
  void findRunning(const Stmt& statement);
  Range range(const Expr& expression, uint32_t depth);
  Range binary(const Expr& expression, uint32_t depth);
  Range exact(const Expr& expression);
  Range number(const std::string& low, const std::string& high, bool check, const Type* type);
  std::string widen(const Expr& expression, uint32_t depth);
  const Expr* definition(const Variable& variable) const;

  CppText& text_;
  const GroupPlan& plan_;
  const Function& kernel_;
  std::map<const Variable*, Loop> loops_;
  std::map<const Variable*, const Expr*> definitions_;  // of variables that are assigned once, where they are declared
  std::set<const Expr*> found_;
  std::set<const Stmt*> running_;
  std::string code_;
  uint32_t next_ = 0;
  uint32_t steps_ = 0;
};

}  // namespace manyrt::compiler
