// One kernel as C++ for a work-group: loops over the work-items of each region, control flow between them, storage for
// variables that live across regions. A kernel that cannot be split becomes a function of one work-item for fibers.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/unit_table.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/group_plan.h"
#include "compiler/lowering/cpu/item_limits.h"
#include "compiler/lowering/cpu/program.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler {

class KernelText {
 public:
  KernelText(CppText& text, const Function& kernel, const BuildOptions& options);

  // `plan`: of this kernel. The function that the table names is extern "C": the table may stand in another text.
  CpuKernel split(const GroupPlan& plan, std::string* out);
  CpuKernel onFibers(std::string* out);

 private:
  // A loop over the work-items of the group, or a look at one of them.
  struct Items {
    std::vector<Stmt*> statements;
    const Expr* value = nullptr;  // instead of statements: what `result` receives, of the last item or the one looked at
    std::string result;
    bool truth = false;         // of the value: 0 or 1
    bool one = false;           // only the first that is still there
    bool mask = false;          // the value says whether the item leaves
    bool limited = false;       // the loops end at mrt_f0, ..., else at mrt_e0, ...
    bool begins_later = false;  // they begin at mrt_o0, ..., else at 0
    bool rows = true;           // they end nowhere sooner in dimensions 1 and 2
  };

  void start(CpuKernel* kernel);
  void prologue(const std::string& rest, std::string* out);  // of the names above it, those that the rest uses
  void locals(CpuKernel* kernel, std::string* out);
  void storage(CpuKernel* kernel, std::string* out);

  void node(const Node& at, std::string* out);
  void children(const Node& at, std::string* out);
  void region(const Node& at, std::string* out);
  void loop(const Node& at, std::string* out);
  std::string condition(const Expr& expression, bool truth, std::string* out);
  bool assignsUniform(const Expr& e) const;

  void items(const Items& work, std::string* out);
  static std::string firstOf(int d, const Items& work);   // where the loop over the items of a dimension begins
  static std::string loopOver(int d, const Items& work);  // its head
  void plainLoops(const Items& work, std::string* out);
  void noteLoop(const Items& work, const std::string& no_lanes);
  void body(const Items& work, std::string* out);
  struct Uses {  // variables of the statements, with those that the recomputed ones are made of
    std::set<const Variable*> used, declared, changed;
  };
  Uses usesOf(const Items& work) const;
  std::string heads(const Items& work, std::string* stores);
  void hoist(const std::vector<Stmt*>& statements, std::string* out);
  void afterLeaving(std::string* out);

  void limit(const ItemLimit& end, const std::string& ends, std::string* out);

  CppText& text_;
  const Function& kernel_;
  const BuildOptions& options_;
  const GroupPlan* plan_ = nullptr;
  uint32_t fixed_[3] = {0, 0, 0};
  bool joins_ = false;
  bool all_agree_ = false;  // its work-items: one stands for all
  CpuKernel made_;          // how its loops over the work-items run, as far as they are written
  uint32_t next_ = 0;
  std::string top_;                           // declarations that stand before everything else
  std::vector<std::string> continue_labels_;  // of the loops around
};

}  // namespace manyrt::compiler
