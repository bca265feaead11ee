// The C++ source of a whole unit: prelude, records, constants, helpers, kernels, and the table that the loader reads.
#include "compiler/lowering/cpu/program.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "compiler/builtins/library.h"
#include "compiler/builtins/prelude.h"
#include "compiler/emit/unit_table.h"
#include "compiler/lowering/cpu/group_plan.h"
#include "compiler/lowering/cpu/item_limits.h"
#include "compiler/lowering/cpu/kernel.h"
#include "compiler/lowering/cpu/live_ranges.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/lowering/cpu/user_names.h"
#include "compiler/lowering/cpu/work_items.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {

namespace {

// Functions that generated kernels call, each behind those that it needs. Only those that a unit uses are printed.
struct Support {
  const char* name;
  const char* text;
};
constexpr Support kSupport[] = {
    {"mrt_limit_s(",
     "static inline long mrt_limit_s(long e, long r, long b, int more) {\n"
     "return r < 0 ? 0 : mrt_limit_u(e, (unsigned long)r, b, more); }\n"},
    {"mrt_limit_u(",
     "static inline long mrt_limit_u(long e, unsigned long r, long b, int more) {\n"
     "unsigned long s = r + more;\n"
     "if (more && s == 0) return e;\n"
     "if (s <= (unsigned long)b) return 0;\n"
     "s -= (unsigned long)b;\n"
     "return s < (unsigned long)e ? (long)s : e; }\n"},
    {"mrt_begin_s(",
     "static inline long mrt_begin_s(long o, long r, long b, int more) {\n"
     "return r < 0 ? o : mrt_begin_u(o, (unsigned long)r, b, more); }\n"},
    {"mrt_begin_u(",
     "static inline long mrt_begin_u(long o, unsigned long r, long b, int more) {\n"
     "unsigned long s = r + more;\n"
     "s = more && s == 0 ? ~0ul : s <= (unsigned long)b ? 0 : s - (unsigned long)b;\n"
     "const long first = s < (1ul << 40) ? (long)s : 1l << 40;\n"  // beyond every group
     "return first > o ? first : o; }\n"},
    {"mrt_find(",
     "static inline long mrt_find(const unsigned int* alive, long n) {\n"
     "for (long i = 0; i < n; ++i) if (alive[i]) return i;\n"
     "return -1; }\n"},
    {"mrt_at(",
     "static inline unsigned long mrt_at(unsigned int d, unsigned long a, unsigned long b, unsigned long c,\n"
     "unsigned long o) { return d == 0 ? a : d == 1 ? b : d == 2 ? c : o; }\n"},
    {"mrt_item", kItemStruct},
};

std::string supportOf(const std::string& text) {
  std::string all;
  for (const Support& support : kSupport) {
    if (text.find(support.name) != std::string::npos || all.find(support.name) != std::string::npos) {
      all.insert(0, support.text);
    }
  }
  return all;
}

// How each kernel is split, in the order of the program; null: it runs on fibers.
std::string placeOf(const Sources& sources, Location where) {
  return sources.name(where.file) + ":" + std::to_string(where.line);
}

using Plans = std::vector<std::unique_ptr<GroupPlan>>;

// The plan of each kernel; null: it runs on fibers. Changes the kernels' trees. `rows`: one for each kernel, with the reason of
// those that run on fibers.
void makePlans(Plans* plans, Program& program, const Sources& sources, const BuildOptions& options,
               std::vector<std::string>* remarks, std::vector<CpuKernel>* rows) {
  const auto separate = [&](Function& function) {  // this makes several variables of one
    if (!options.users_names) splitLiveRanges(program, function);
  };
  for (const Declaration& declaration : program.declarations) {
    if (declaration.kind == Declaration::Kind::kFunction && !declaration.function->is_kernel) separate(*declaration.function);
  }
  for (Function* kernel : program.kernels) {
    std::string why;
    std::unique_ptr<GroupPlan> plan;
    if (callsSubGroups(*kernel)) {
      why = "it has sub-group functions";
    } else if (inlineHelpers(program, *kernel, &why)) {
      separateParameters(program, *kernel);
      separate(*kernel);
      plan = GroupPlan::make(program, *kernel, &why);
    }
    rows->emplace_back();
    if (plan == nullptr) {
      rows->back().fibers = why;
      remarks->push_back(placeOf(sources, kernel->where) + ": remark: The kernel \"" + kernel->name +
                         "\" runs its work-items on fibers, which is slower: " + why + ".");
    }
    plans->push_back(std::move(plan));
  }
}

// One text, with some of the kernels: all helpers that they call, and what these need.
class UnitText {
 public:
  UnitText(Program& program, const Plans& plans, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics,
           uint32_t first_made)
      : first_made_(first_made),
        program_(program),
        plans_(plans),
        options_(options),
        prelude_(program.types, Dialect::kHostQuick),
        text_(program, sources, prelude_, diagnostics) {
    text_.quick = true;
    text_.lines = options.exact_lines || options.repeats_lines;
    prelude_.relaxed = options.relaxed_math;
  }

  // `chosen`: indices of kernels. `made` says of them what the table has to. A table names all kernels of the program.
  std::string write(const std::vector<size_t>& chosen, std::vector<CpuKernel>* made, bool with_table) {
    std::string kernels;
    bool fibers = false;
    if (options_.users_names) nameAsUser();
    for (size_t i : chosen) {
      KernelText text(text_, *program_.kernels[i], options_);
      const CpuKernel own = plans_[i] != nullptr ? text.split(*plans_[i], &kernels) : text.onFibers(&kernels);
      (*made)[i].takeIn(own);
      fibers = fibers || plans_[i] == nullptr;
      reach(*program_.kernels[i]->body);
    }
    std::string body = text_.forwards();
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind == Declaration::Kind::kRecord) body += text_.record(*declaration.record);
      if (declaration.kind == Declaration::Kind::kVariable) body += text_.constant(*declaration.variable);
    }
    setWorkItemText(text_, false, false);
    text_.barrier_call = [] { return std::string("rtHostFibers->wait()"); };
    std::string definitions;
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind != Declaration::Kind::kFunction || reached_.count(declaration.function) == 0) continue;
      body += text_.signature(*declaration.function) + ";\n";
      definitions += text_.definition(*declaration.function);
    }
    body += definitions + kernels;
    if (options_.exact_lines || options_.repeats_lines) body = withExactLines(body);
    std::string all = kUnitHead;
    if (fibers) all += kUnitFibers;
    if (with_table) all += kUnitTableHead;
    all += supportOf(body) + prelude_.text() + body;
    if (!with_table) return all;
    const std::vector<CpuGlobal> globals = this->globals();
    for (size_t i = 0; i < made->size(); ++i) {
      if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) {
        all += "extern \"C\" void " + (*made)[i].entry + "(const mrt_group*, void* const*);\n";
      }
    }
    return all + unitRows(program_, *made, globals) + unitTable(*made, globals);
  }

 private:
  void nameAsUser() {
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind != Declaration::Kind::kFunction || declaration.function->body == nullptr) continue;
      if (!declaration.function->is_kernel) addUsersNames(&text_.users_names, *declaration.function, nullptr, first_made_);
    }
    for (size_t i = 0; i < program_.kernels.size(); ++i)
      addUsersNames(&text_.users_names, *program_.kernels[i], plans_[i].get(), first_made_);
  }

  void reach(Stmt& statement) {
    visitExpressions(&statement, [&](Expr& e) {
      if (e.kind != ExprKind::kCall || e.function->body == nullptr || !reached_.insert(e.function).second) return;
      reach(*e.function->body);
    });
  }

  std::vector<CpuGlobal> globals() const {
    std::vector<CpuGlobal> all;
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind == Declaration::Kind::kVariable)
        all.push_back({declaration.variable->name, text_.name(*declaration.variable)});
    }
    return all;
  }

  const uint32_t first_made_;  // the first id of a variable that the source does not have
  Program& program_;
  const Plans& plans_;
  const BuildOptions& options_;
  Prelude prelude_;
  CppText text_;
  std::set<const Function*> reached_;
};

void addSize(const Function& function, std::set<const Function*>* seen, uint32_t* size) {
  if (function.body == nullptr || !seen->insert(&function).second) return;
  visitExpressions(function.body, [&](Expr& e) {
    *size += e.type->components();
    if (e.kind == ExprKind::kCall) addSize(*e.function, seen, size);
  });
}

constexpr uint32_t kMinNodes = 60;  // of expressions: below it, a compiler takes longer to start than to compile

// Kernels in groups of about the same size, the largest first.
std::vector<std::vector<size_t>> spread(const Program& program, uint32_t most_texts) {
  std::vector<std::pair<uint32_t, size_t>> sizes;
  uint32_t total = 0;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    uint32_t nodes = 0;
    visitExpressions(program.kernels[i]->body, [&](Expr&) { ++nodes; });
    sizes.emplace_back(nodes, i);
    total += nodes;
  }
  std::sort(sizes.rbegin(), sizes.rend());
  const size_t count = std::clamp<size_t>(total / kMinNodes, 1, std::max(most_texts, 1u));
  std::vector<std::vector<size_t>> groups(std::min(count, std::max<size_t>(sizes.size(), 1)));
  std::vector<uint32_t> filled(groups.size(), 0);
  for (const auto& [nodes, kernel] : sizes) {
    const size_t least = static_cast<size_t>(std::min_element(filled.begin(), filled.end()) - filled.begin());
    groups[least].push_back(kernel);
    filled[least] += nodes;
  }
  for (std::vector<size_t>& group : groups) std::sort(group.begin(), group.end());
  return groups;
}

}  // namespace

uint32_t kernelSize(const Function& kernel) {
  std::set<const Function*> seen;
  uint32_t size = 0;
  addSize(kernel, &seen, &size);
  return size;
}

bool lowerToCpu(CpuUnit* unit, uint32_t most_texts, Program& program, const Sources& sources, const BuildOptions& options,
                Diagnostics& diagnostics) {
  if (!checkCallDepth(program, diagnostics)) return false;
  const uint32_t first_made = program.next_id;
  Plans plans;
  std::vector<CpuKernel> made;
  makePlans(&plans, program, sources, options, &unit->remarks, &made);
  if (diagnostics.failed()) return false;
  for (const Function* kernel : program.kernels) unit->largest = std::max(unit->largest, kernelSize(*kernel));
  unit->fibers = std::any_of(plans.begin(), plans.end(), [](const auto& plan) { return plan == nullptr; });
  const auto groups = spread(program, most_texts);
  unit->texts.resize(groups.size());
  for (size_t i = groups.size(); i-- > 0;) {  // the table last: it tells of all
    unit->texts[i] = UnitText(program, plans, sources, options, diagnostics, first_made).write(groups[i], &made, i == 0);
  }
  return !diagnostics.failed();
}

}  // namespace manyrt::compiler
