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
#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/lowering/cpu/lanes/shapes.h"
#include "compiler/lowering/cpu/live_ranges.h"
#include "compiler/lowering/cpu/loop_counters.h"
#include "compiler/lowering/cpu/second_result.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/lowering/cpu/turn.h"
#include "compiler/lowering/cpu/user_names.h"
#include "compiler/lowering/cpu/wide_locals.h"
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

// Whether a plan is for lanes: all regions have a form, and together they pay. Regions of one item count for nothing.
bool isForLanes(const GroupPlan& plan, const Function& kernel) {
  double alone = 0, together = 0;
  const std::function<bool(const Node&, double)> add = [&](const Node& at, double weight) {
    std::vector<Stmt*> statements = at.statements;
    if (at.kind == NodeKind::kRegion && !leavesOne(takeLimits(plan, kernel, &statements))) {
      LaneShapes shapes(plan, 0);
      std::string why_not;
      if (!shapes.find(at.statements, &why_not) && !shapes.hasForm()) return false;
      alone += weight * shapes.alone();
      together += weight * shapes.together();
    }
    const double inner = at.kind == NodeKind::kLoop ? weight * LaneShapes::kLoopRuns : weight;
    return std::all_of(at.children.begin(), at.children.end(), [&](const auto& child) { return add(*child, inner); });
  };
  return add(plan.root(), 1) && together <= alone;
}

// What an item of a kernel costs where the items along a dimension are lanes; nothing: it has no such form. `empty`: how much
// more than in full vectors (emptyLanes).
std::optional<double> costAlong(uint32_t dimension, const GroupPlan& plan, double empty = 1) {
  const std::function<std::optional<double>(const Node&, double)> sum = [&](const Node& at, double weight) {
    std::optional<double> all = 0;
    if (at.kind == NodeKind::kRegion) {
      LaneShapes shapes(plan, dimension);
      std::string why_not;
      const bool pays = shapes.find(at.statements, &why_not);
      if (!pays && !shapes.hasForm()) return std::optional<double>();
      all = weight * (pays ? empty * (shapes.together() + shapes.uniformTogether()) : shapes.alone() + shapes.uniformAlone());
    }
    const double inner = at.kind == NodeKind::kLoop ? weight * LaneShapes::kLoopRuns : weight;
    for (const auto& child : at.children) {
      const std::optional<double> more = sum(*child, inner);
      if (!more) return more;
      *all += *more;
    }
    return all;
  };
  return sum(plan.root(), 1);
}

bool turnsItems(const Node& at, const GroupPlan& plan) {
  if (at.kind == NodeKind::kRegion) {
    LaneShapes shapes(plan, plan.laneDimension());
    std::string why_not;
    if (shapes.find(at.statements, &why_not) && shapes.itemTiles() != nullptr) return true;
  }
  return std::any_of(at.children.begin(), at.children.end(), [&](const auto& child) { return turnsItems(*child, plan); });
}

// Lanes along dimension 1 where that is worth another order of the groups: many programs call their rows dimension 0.
void chooseLanes(GroupPlan& plan, const Function& kernel) {
  constexpr double kWorth = 0.8;
  const auto isKept = [&](const Variable* v) {
    return plan.storage(*v) == Storage::kArray || plan.storage(*v) == Storage::kInPlace;
  };
  if (!joinsGroups(kernel) || std::any_of(plan.variables().begin(), plan.variables().end(), isKept)) return;
  if (callsWorkItem(kernel, WorkItem::kGlobalLinearId)) return;  // it grows by an item along dimension 0
  const uint32_t ids = idDimensions(kernel);
  if ((ids & 2) == 0 || (ids & 8) != 0) return;
  const std::optional<double> down = costAlong(1, plan), across = costAlong(0, plan);
  if (down && across && *down < kWorth * *across) plan.setLaneDimension(1);
  plan.setTurnsItems(turnsItems(plan.root(), plan));
}

// A kernel whose lanes go along dimension 1, beside the kernel itself: for launches of which nothing is known.
struct Twin {
  Function* kernel = nullptr;  // null: there is none
  std::unique_ptr<GroupPlan> plan;
  std::string pays;  // in which groups, in C++
};

using Plans = std::vector<std::unique_ptr<GroupPlan>>;

// The plan of a kernel for optimised code. Null: it runs on fibers.
std::unique_ptr<GroupPlan> bestPlan(Program& program, Function& kernel, const BuildOptions& options, std::string* why) {
  auto made = GroupPlan::make(program, kernel, why);
  if (made == nullptr) return made;
  made->setGathers(options.gathers, options.scatters);
  made->setTurned(kernel.turned != 0);
  if (!options.optimize) return made;
  // Lanes need no loop around the items of a loop's body: what such a loop keeps stays in registers.
  auto whole = GroupPlan::make(program, kernel, why, GroupPlan::Split::kBarriers);
  if (whole != nullptr) {
    whole->setGathers(options.gathers, options.scatters);
    whole->setTurned(kernel.turned != 0);
  }
  return whole != nullptr && isForLanes(*whole, kernel) ? std::move(whole) : std::move(made);
}

// Groups such as 2 x 16 x 3 leave most lanes along dimension 0 empty: where their size is known, lanes go along the dimension
// that costs least. The plan is made anew in the other order.
void turnForGroups(Program& program, Function& kernel, const BuildOptions& options, std::unique_ptr<GroupPlan>* plan) {
  constexpr double kWorth = 0.9;
  constexpr uint32_t kLeastRow = 4;  // items: fewer are no vectors
  const GroupSize size = knownGroupSize(kernel, options);
  if (!size.isKnown() || !isTurnable(program, kernel)) return;
  std::optional<double> least = costAlong(0, **plan, emptyLanes(size.items[0], options.lanes));
  if (!least) return;
  *least *= kWorth;
  uint32_t best = 0;
  std::string why;
  for (uint32_t d = 1; d < 3; ++d) {
    if (size.items[d] < kLeastRow) continue;
    turn(program, kernel, d);
    const auto turned = bestPlan(program, kernel, options, &why);
    const auto cost = turned != nullptr ? costAlong(0, *turned, emptyLanes(size.items[d], options.lanes)) : std::nullopt;
    if (cost && *cost < *least) best = d, least = cost;
    turn(program, kernel, d);
  }
  if (best == 0) return;
  turn(program, kernel, best);
  *plan = bestPlan(program, kernel, options, &why);
}

// Where the size of groups is not known, the launch decides between two texts. Compilers have twice as much to read.
Twin twinOf(Program& program, const Function& kernel, const GroupPlan& plan, const BuildOptions& options) {
  constexpr double kMostApart = 8;
  Twin twin;
  const bool has_rows = (idDimensions(kernel) & 2) != 0;
  if (knownGroupSize(kernel, options).isKnown() || !has_rows || kernelSize(kernel) > kMostForms) return twin;
  if (!isTurnable(program, kernel)) return twin;
  const std::optional<double> across = costAlong(0, plan);
  if (!across) return twin;
  std::string why;
  Function* const copy = copyOf(program, kernel);
  turn(program, *copy, 1);
  auto turned = bestPlan(program, *copy, options, &why);
  const std::optional<double> down = turned != nullptr ? costAlong(0, *turned) : std::nullopt;
  if (!down || *down > kMostApart * *across) return twin;
  twin.kernel = copy;
  twin.plan = std::move(turned);
  twin.pays = turnsPay(*across, *down, options.lanes);
  return twin;
}

// Either may be null: not wanted. Changes the kernels' trees, once for both. `rows`: one for each kernel, with the reason of
// those that run on fibers.
void makePlans(Plans* optimized, std::vector<Twin>* twins, Plans* quick, Program& program, const Sources& sources,
               const BuildOptions& options, std::vector<std::string>* remarks, std::vector<CpuKernel>* rows) {
  for (const Declaration& declaration : program.declarations) {
    const bool helper = declaration.kind == Declaration::Kind::kFunction && !declaration.function->is_kernel;
    if (helper && !options.users_names) {
      separateSecondResults(program, *declaration.function);
      separateLoopCounters(program, *declaration.function);
      splitLiveRanges(program, *declaration.function);
    }
  }
  for (Function* kernel : program.kernels) {
    std::string why;
    std::unique_ptr<GroupPlan> made, plain;
    Twin twin;
    if (callsSubGroups(*kernel)) {
      why = "it has sub-group functions";
    } else if (inlineHelpers(program, *kernel, &why)) {
      separateParameters(program, *kernel);
      if (!options.users_names) {  // these make several variables of one
        separateSecondResults(program, *kernel);
        separateLoopCounters(program, *kernel);
        splitLiveRanges(program, *kernel);
      }
      made = optimized != nullptr ? bestPlan(program, *kernel, options, &why)
                                  : GroupPlan::make(program, *kernel, &why, GroupPlan::Split::kBarriers);
      const bool alone = quick == nullptr;  // it tells at which item it is, in the order of the launch
      if (made != nullptr && optimized != nullptr && options.optimize && (alone || options.both_orders))
        twin = twinOf(program, *kernel, *made, options);
      if (made != nullptr && options.optimize && alone) turnForGroups(program, *kernel, options, &made);
      if (made != nullptr && optimized != nullptr && options.optimize) chooseLanes(*made, *kernel);
      if (optimized == nullptr) {
        plain = std::move(made);
      } else if (made != nullptr && quick != nullptr) {
        plain = GroupPlan::make(program, *kernel, &why, GroupPlan::Split::kBarriers);
        if (plain != nullptr) {  // the order of the groups is that of both
          plain->setLaneDimension(made->laneDimension());
          plain->setTurnsItems(made->turnsItems());
        }
      }
    }
    if (made != nullptr && optimized != nullptr && options.optimize && !options.users_names) {
      widenLocals(program, *kernel, *made, plain.get());
      if (twin.kernel != nullptr) widenLocals(program, *twin.kernel, *twin.plan, nullptr);
    }
    rows->emplace_back();
    const bool is_split = made != nullptr || plain != nullptr;
    if (!is_split) rows->back().fibers = why;
    twins->push_back(std::move(twin));
    if (quick != nullptr) quick->push_back(std::move(plain));
    if (!is_split) {
      remarks->push_back(placeOf(sources, kernel->where) + ": remark: The kernel \"" + kernel->name +
                         "\" runs its work-items on fibers, which is slower: " + why + ".");
    }
    if (optimized != nullptr) optimized->push_back(std::move(made));
  }
}

// One text, with some of the kernels: all helpers that they call, and what these need.
class UnitText {
 public:
  UnitText(CpuForm form, Program& program, const Plans& plans, const std::vector<Twin>& twins, const Sources& sources,
           const BuildOptions& options, Diagnostics& diagnostics, std::vector<std::string>* remarks, uint32_t first_made)
      : form_(form),
        first_made_(first_made),
        program_(program),
        plans_(plans),
        twins_(twins),
        sources_(sources),
        remarks_(remarks),
        options_(options),
        prelude_(program.types, form == CpuForm::kQuick ? Dialect::kHostQuick : Dialect::kHost),
        text_(program, sources, prelude_, diagnostics) {
    text_.quick = form == CpuForm::kQuick;
    text_.lines = !text_.quick || options.exact_lines || options.repeats_lines;
    prelude_.relaxed = options.relaxed_math;
  }

  // `chosen`: indices of kernels. `made` says of them what the table has to. A table names all kernels of the program.
  std::string write(const std::vector<size_t>& chosen, std::vector<CpuKernel>* made, bool with_table) {
    const bool shared = form_ == CpuForm::kQuick;  // functions that the table of another text may name
    std::string kernels;
    bool fibers = false;
    if (options_.users_names) nameAsUser();
    for (size_t i : chosen) {
      KernelText text(text_, *program_.kernels[i], options_, form_);
      if (remarks_ != nullptr) {
        text.remark = [&](Location where, const std::string& what) {
          remarks_->push_back(placeOf(sources_, where) + ": remark: " + what);
        };
      }
      const std::string linkage = shared ? "extern \"C\"" : "static";
      std::string instead;
      if (form_ == CpuForm::kOptimized && twins_[i].kernel != nullptr) {
        KernelText turned(text_, *twins_[i].kernel, options_, form_);
        const CpuKernel twin = turned.split(*twins_[i].plan, linkage, &kernels);
        (*made)[i].takeIn(twin);
        instead = "if (" + twins_[i].pays + ") return " + twin.entry + "(mrt_g, mrt_a);\n";
      }
      const CpuKernel own =
          plans_[i] != nullptr ? text.split(*plans_[i], linkage, &kernels, instead) : text.onFibers(linkage, &kernels);
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
    if (!shared) all += "namespace {\n";
    // The prelude may have functions for lanes of a region that then had no form.
    const bool has_wide_functions =
        prelude_.text().find("<class L>") != std::string::npos || body.find("mrt_w_") != std::string::npos;
    if (body.find("mrt_L::") != std::string::npos || has_wide_functions) {
      all += libraryBody("lanes/types.h");
      all += libraryBody("lanes/conversion.h");
      all += libraryBody("lanes/gather.h");
      if (body.find("mrt_i_") != std::string::npos) all += libraryBody("lanes/integer.h");
      if (body.find("_products<") != std::string::npos) all += libraryBody("lanes/product.h");
      all += libraryBody("lanes/lanes.h");
    }
    if (body.find("mrt_tiles<") != std::string::npos) all += libraryBody("lanes/tile.h");
    if (has_wide_functions) all += libraryBody("lanes/math.h");
    all += supportOf(body) + prelude_.text() + body;
    if (!with_table) return all;
    const std::vector<CpuGlobal> globals = this->globals();
    if (!shared) return all + "\n#line 1 \"table\"\n" + unitRows(program_, *made, globals) + "}\n" + unitTable(*made, globals);
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

  const CpuForm form_;
  const uint32_t first_made_;  // the first id of a variable that the source does not have
  Program& program_;
  const Plans& plans_;
  const std::vector<Twin>& twins_;
  const Sources& sources_;
  std::vector<std::string>* const remarks_;  // null: not asked for
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

bool lowerToCpu(CpuUnit* optimized, CpuUnit* quick, uint32_t most_texts, Program& program, const Sources& sources,
                const BuildOptions& options, Diagnostics& diagnostics) {
  if (!checkCallDepth(program, diagnostics)) return false;
  const uint32_t first_made = program.next_id;
  Plans plans[2];
  std::vector<Twin> twins;
  std::vector<CpuKernel> made;
  makePlans(optimized != nullptr ? &plans[0] : nullptr, &twins, quick != nullptr ? &plans[1] : nullptr, program, sources,
            options, &(optimized != nullptr ? optimized : quick)->remarks, &made);
  const auto write = [&](CpuForm form, const std::vector<size_t>& chosen, bool with_table) {
    const Plans& own = plans[form == CpuForm::kQuick];
    std::vector<std::string>* remarks = form == CpuForm::kQuick ? nullptr : &optimized->remarks;
    return UnitText(form, program, own, twins, sources, options, diagnostics, remarks, first_made)
        .write(chosen, &made, with_table);
  };
  for (CpuUnit* unit : {optimized, quick}) {  // in this order: the quick table has room for both
    if (unit == nullptr || diagnostics.failed()) continue;
    for (const Function* kernel : program.kernels) unit->largest = std::max(unit->largest, kernelSize(*kernel));
    const Plans& own = plans[unit == quick];
    unit->fibers = std::any_of(own.begin(), own.end(), [](const auto& plan) { return plan == nullptr; });
    const auto groups = spread(program, unit == quick ? most_texts : 1);
    unit->texts.resize(groups.size());
    for (size_t i = groups.size(); i-- > 0;) {  // the table last: it tells of all
      unit->texts[i] = write(unit == quick ? CpuForm::kQuick : CpuForm::kOptimized, groups[i], i == 0);
    }
  }
  return !diagnostics.failed();
}

}  // namespace manyrt::compiler
