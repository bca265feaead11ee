// Kernels as C++ functions of a work-group. Item loops count in signed 64 bits, and the text states the ranges of base and
// size. The compiler then knows that `uint i = get_global_id(0)` does not wrap.
#include "compiler/lowering/cpu/kernel.h"

#include <algorithm>
#include <set>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/item_limits.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/lowering/cpu/user_names.h"
#include "compiler/lowering/cpu/work_items.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/parser/visit.h"
#include "compiler/unit.h"

namespace manyrt::compiler {
namespace {

constexpr uint64_t roundUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

std::string text(uint64_t value) { return std::to_string(value); }

constexpr char kLinkage[] = "extern \"C\"";

bool endOnlyRows(const std::vector<ItemLimit>& limits) {
  return std::all_of(limits.begin(), limits.end(), [](const ItemLimit& limit) { return limit.dimension == 0; });
}

}  // namespace

KernelText::KernelText(CppText& text, const Function& kernel, const BuildOptions& options)
    : text_(text), kernel_(kernel), options_(options) {
  text_.may_jump = kernel.has_goto;
  for (int d = 0; d < 3; ++d) {
    fixed_[d] = kernel.required_group_size[0] != 0 ? kernel.required_group_size[d] : options.group_size[d];
  }
}

void KernelText::start(CpuKernel* kernel) {
  kernel->entry = "k_" + text_.name(kernel_);
  for (uint32_t d = 0; d < 3; ++d) kernel->required_group_size[d] = fixed_[d];
  if (changesGlobalMemoryAtomically(kernel_)) kernel->traits = kSharesAtomics;
}

// Ids, sizes and arguments, each read once: nothing that the kernel writes can change them. A name without a use is not
// free: compilers look at it in every pass.
void KernelText::prologue(const std::string& rest, std::string* out) {
  if (joins_) {
    *out += "const unsigned int* const mrt_h = mrt_g->worker & " + text(kJoinedGroups) +
            " ? (unsigned int*)mrt_g->local_memory : 0;\n";
  }
  for (int d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d);
    const auto uses = [&](const char* name) { return rest.find(name + n) != std::string::npos; };
    const bool base = uses("mrt_b");
    const std::string at = "[" + n + "]";
    const std::string size = "mrt_g->group_size" + at, id = "mrt_g->group_id" + at, count = "mrt_g->group_count" + at,
                      offset = "mrt_g->global_offset" + at;
    if (uses("mrt_z")) *out += "const long mrt_z" + n + " = " + offset + ";\n";
    if (joins_) {  // JoinedGroups of unit.h, where there are any
      *out += "const long mrt_n" + n + " = " + size + ";\n";
      if (base)
        *out += "const long mrt_b" + n + " = mrt_h ? mrt_h[" + n + "] : (long)" + id + " * mrt_n" + n + " + " + offset + ";\n";
      if (uses("mrt_k")) {
        *out += "const unsigned long mrt_k" + n + " = mrt_h ? mrt_h[3 + " + n + "] : (unsigned long)" + count + " * mrt_n" + n +
                ";\n";
      }
    } else {
      *out += "const long mrt_n" + n + " = " + (fixed_[0] != 0 ? text(fixed_[d]) : size) + ";\n";
      if (base || uses("mrt_w")) *out += "const unsigned long mrt_w" + n + " = " + id + ";\n";
      if (uses("mrt_k")) *out += "const unsigned long mrt_k" + n + " = " + count + ";\n";
      if (base) *out += "const long mrt_b" + n + " = (long)mrt_w" + n + " * mrt_n" + n + " + " + offset + ";\n";
    }
  }
  if (rest.find("mrt_rows") != std::string::npos) *out += "const long mrt_rows = mrt_n1 * mrt_n2;\n";
  if (rest.find("mrt_items") != std::string::npos) *out += "const long mrt_items = mrt_n0 * mrt_n1 * mrt_n2;\n";
  for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const Variable& parameter = *kernel_.parameters[i];
    const std::string own = text_.name(parameter);
    QualType type = parameter.type;
    type.is_volatile = false;  // of the copy, which no other item sees
    *out += text_.declare(type, own) + "; __builtin_memcpy((void*)&" + own + ", mrt_a[" + text(i) + "], sizeof " + own + ");\n";
  }
}

void KernelText::locals(CpuKernel* kernel, std::string* out) {
  if (!kernel_.locals.empty()) *out += "char* const mrt_m = (char*)mrt_g->local_memory;\n";
  uint64_t offset = 0;
  for (const Variable* variable : kernel_.locals) {
    offset = roundUp(offset, std::max<uint64_t>({alignmentOf(variable->type), variable->alignment, 16}));
    *out += text_.reference(variable->type, text_.name(*variable)) + " = *(" + text_.declare(variable->type, "(*)") +
            ")(mrt_m + " + text(offset) + ");\n";
    offset += sizeOf(variable->type);
  }
  kernel->local_bytes = roundUp(offset, 64);
}

// Arrays over the items for what crosses regions, behind the local variables.
void KernelText::storage(CpuKernel* kernel, std::string* out) {
  std::string arrays;
  auto add = [&](const std::string& declared, const std::string& cast, uint64_t size) {
    arrays += declared + " = (" + cast + ")mrt_s; mrt_s += (" + text(size) + " * mrt_items + 63) & ~63l;\n";
    kernel->scratch_bytes += 64;
    kernel->scratch_bytes_per_item += size;
  };
  for (const Variable* variable : plan_->variables()) {
    const Storage storage = plan_->storage(*variable);
    QualType type = variable->type;
    type.is_restrict = false;
    const std::string own = text_.name(*variable);
    if (storage == Storage::kUniform) top_ += text_.declare(type, own) + ";\n";
    if (storage == Storage::kArray || storage == Storage::kInPlace) {
      type.is_volatile = false;
      add(text_.declare(type, "(*const mrt_x_" + own + ")"), text_.declare(type, "(*)"), sizeOf(type));
    }
  }
  if (plan_->hasMasks()) {
    add("unsigned int* const mrt_alive", "unsigned int*", 4);
    arrays +=
        "bool mrt_masked = false; long mrt_first = 0;\n"
        "for (long mrt_l = 0; mrt_l < mrt_items; ++mrt_l) mrt_alive[mrt_l] = 0;\n"
        "for (long z = 0; z < mrt_e2; ++z) for (long y = 0; y < mrt_e1; ++y) for (long x = 0; x < mrt_e0; ++x)\n"
        "mrt_alive[(z * mrt_n1 + y) * mrt_n0 + x] = 1;\n";
  }
  if (arrays.empty()) return;
  *out += "char* mrt_s = (char*)mrt_g->local_memory + " + text(kernel->local_bytes) + ";\n" + arrays;
}

CpuKernel KernelText::split(const GroupPlan& plan, std::string* out) {
  CpuKernel kernel;
  start(&kernel);
  made_ = CpuKernel();
  joins_ = joinsGroups(kernel_);
  all_agree_ = allItemsAgree(kernel_) && !options_.exact_lines;  // which are asked for where a sanitizer watches each item
  plan_ = &plan;
  setWorkItemText(text_, true, joins_);
  text_.barrier_call = nullptr;
  text_.is_bound = [this](const Variable& variable) { return plan_->storage(variable) == Storage::kInPlace; };
  std::string rest;
  locals(&kernel, &rest);
  rest += "long mrt_e0 = mrt_n0, mrt_e1 = mrt_n1, mrt_e2 = mrt_n2;\n";  // where the loops end
  for (const ItemLimit& end : plan.limits()) limit(end, "mrt_e", &rest);
  if (!plan.limits().empty()) rest += "if (mrt_e0 == 0 || mrt_e1 == 0 || mrt_e2 == 0) return;\n";
  storage(&kernel, &rest);
  std::string inside;
  children(plan.root(), &inside);
  kernel.lanes = made_.lanes;
  kernel.dimension = made_.dimension;
  kernel.loops = made_.loops;
  kernel.lane_loops = made_.lane_loops;
  kernel.no_lanes = made_.no_lanes;
  kernel.barriers = plan.hasBarrier() ? kSplitAtBarriers : kNoBarriers;
  if (joins_ && kernel.scratch_bytes == 0) {
    kernel.traits |= kJoinsAlong0;
    if (!mayLoop(kernel_)) kernel.traits |= kJoinsMany;
  }
  rest += top_ + "{\n" + inside + "\n}\n";
  if (rest.find("goto mrt_done;") != std::string::npos) rest += "mrt_done: ;\n";
  const bool named = options_.users_names && isFreeName(kernel_.name);  // for a debugger, the entry calls it by its name
  const std::string parameters = "(const mrt_group* mrt_g, void* const* mrt_a) {\n";
  *out += text_.place(kernel_);
  *out += (named ? "namespace kernels { static void " + kernel_.name : std::string(kLinkage) + " void " + kernel.entry) +
          parameters;
  prologue(rest, out);
  *out += rest + "}\n";
  if (named)
    *out += "}\n" + text_.place(kernel_) + std::string(kLinkage) + " void " + kernel.entry + parameters +
            "kernels::" + kernel_.name + "(mrt_g, mrt_a);\n}\n";
  text_.is_bound = nullptr;
  text_.return_statement = nullptr;
  return kernel;
}

CpuKernel KernelText::onFibers(std::string* out) {
  CpuKernel kernel;
  start(&kernel);
  kernel.barriers = kOnFibers;
  setWorkItemText(text_, true, false);
  text_.barrier_call = [] { return std::string("rtHostFibers->wait()"); };
  text_.return_statement = nullptr;
  text_.is_bound = [](const Variable& variable) { return variable.type.space == AddressSpace::kLocal; };
  const std::string frame = "mrt_frame_" + kernel.entry;
  *out += text_.place(kernel_) + "struct " + frame + " { const mrt_group* g; void* const* a; };\n";
  const bool named = options_.users_names && isFreeName(kernel_.name);
  const std::string item = named ? "kernels::" + kernel_.name : "i_" + kernel.entry;
  *out += (named ? "namespace kernels { static void " + kernel_.name : "static void " + item) +
          "(void* mrt_u, unsigned int mrt_x) {\n";
  *out +=
      "const mrt_group* const mrt_g = ((" + frame + "*)mrt_u)->g;\nvoid* const* const mrt_a = ((" + frame + "*)mrt_u)->a;\n";
  std::string rest =
      "const long mrt_l0 = mrt_x % mrt_n0, mrt_l1 = mrt_x / mrt_n0 % mrt_n1, mrt_l2 = mrt_x / mrt_n0 / mrt_n1;\n";
  locals(&kernel, &rest);
  text_.inBody(kernel_, &rest);
  prologue(rest, out);
  *out += rest + (named ? "}\n}\n" + text_.place(kernel_) : "}\n");
  *out += std::string(kLinkage) + " void " + kernel.entry + "(const mrt_group* mrt_g, void* const* mrt_a) {\n" + frame +
          " mrt_f{mrt_g, mrt_a};\n" + "rtHostFibers->" + (callsSubGroups(kernel_) ? "run_sub_groups" : "run") + "(" + item +
          ", &mrt_f, mrt_g->group_size[0] * mrt_g->group_size[1] * mrt_g->group_size[2]);\n}\n";
  text_.barrier_call = nullptr;
  text_.is_bound = nullptr;
  return kernel;
}

// --- the tree

void KernelText::children(const Node& at, std::string* out) {
  for (const auto& child : at.children) node(*child, out);
}

void KernelText::node(const Node& at, std::string* out) {
  // This is control flow of the group: the text runs once for the group, and only regions, masks and varying conditions loop
  // over the items. The tree keeps the order of the statements, so that the text between two loops is a barrier.
  switch (at.kind) {
    case NodeKind::kRegion:
      region(at, out);
      break;
    case NodeKind::kUniform:
      for (const Stmt* s : at.statements) {
        text_.line(s->where, out);
        *out += text_.expression(*s->a) + ";\n";
      }
      break;
    case NodeKind::kMask: {
      Items work;
      work.value = at.statement->a;
      work.mask = true;
      items(work, out);
      afterLeaving(out);
      break;
    }
    case NodeKind::kSequence:
      *out += "{\n";
      children(at, out);
      *out += "}\n";
      break;
    case NodeKind::kIf: {
      const std::string chosen = condition(*at.statement->a, true, out);
      *out += "if (" + chosen + ")\n";
      node(*at.children[0], out);
      if (at.children.size() > 1) {
        *out += "else\n";
        node(*at.children[1], out);
      }
      break;
    }
    case NodeKind::kLoop:
      loop(at, out);
      break;
    case NodeKind::kSwitch: {
      const std::string chosen = condition(*at.statement->a, false, out);
      *out += "switch (" + chosen + ")\n";
      node(*at.children[0], out);
      break;
    }
    case NodeKind::kCase:
      if (at.statement->kind == StmtKind::kCase) {
        *out += "case " + std::to_string(static_cast<int64_t>(at.statement->integer)) + "l: ;\n";
      } else {
        *out += "default: ;\n";
      }
      break;
    case NodeKind::kBreak:
      *out += "break;\n";
      break;
    case NodeKind::kContinue:
      *out += "goto " + continue_labels_.back() + ";\n";
      break;
    case NodeKind::kReturn:
      *out += "goto mrt_done;\n";
      break;
  }
}

void KernelText::region(const Node& at, std::string* out) {
  Items work;
  work.one = all_agree_;
  work.statements = at.statements;
  const bool only_names = std::all_of(at.statements.begin(), at.statements.end(), [](const Stmt* s) {
    return s->kind == StmtKind::kDeclare &&
           std::all_of(s->variables.begin(), s->variables.end(), [](const Variable* v) { return v->initializer == nullptr; });
  });
  if (only_names) return;  // nothing happens here
  if (plan_->hasBarrier()) hoist(work.statements, out);
  bool leaves = false;
  for (const Stmt* s : work.statements) leaves = leaves || containsReturn(*s);
  if (!(plan_->hasMasks() && leaves)) {
    const std::vector<ItemLimit> ends = takeLimits(*plan_, kernel_, &work.statements);
    work.limited = !ends.empty();
    work.begins_later = std::any_of(ends.begin(), ends.end(), [](const ItemLimit& limit) { return limit.lower; });
    work.rows = endOnlyRows(ends);
    if (work.limited) {
      *out += "{ long mrt_f0 = mrt_e0, mrt_f1 = mrt_e1, mrt_f2 = mrt_e2;\n";
      if (work.begins_later) *out += "long mrt_o0 = 0, mrt_o1 = 0, mrt_o2 = 0;\n";
      for (const ItemLimit& end : ends) limit(end, "mrt_f", out);
    }
  }
  items(work, out);
  if (work.limited) *out += "}\n";
  if (leaves && plan_->hasMasks()) afterLeaving(out);
}

void KernelText::limit(const ItemLimit& end, const std::string& ends, std::string* out) {
  const std::string n = std::to_string(end.dimension);
  std::string first = end.local ? "0" : "mrt_b" + n;  // what is compared, of the first item
  if (end.more != 0) first += " + " + text(end.more);
  if (end.lower) {
    const bool is_signed = end.bound != nullptr && end.bound->type->isSigned();
    *out += "mrt_o" + n + (is_signed ? " = mrt_begin_s(" : " = mrt_begin_u(") + "mrt_o" + n + ", " +
            (end.bound == nullptr ? "1" : text_.expression(*end.bound)) + ", " + first + ", " + (end.inclusive ? "0" : "1") +
            ");\n";
    return;
  }
  if (end.bound == nullptr) {
    *out += ends + n + " = mrt_limit_u(" + ends + n + ", 0, " + first + ", 1);\n";
    return;
  }
  *out += ends + n + (end.bound->type->isSigned() ? " = mrt_limit_s(" : " = mrt_limit_u(") + ends + n + ", " +
          text_.expression(*end.bound) + ", " + first + ", " + (end.inclusive ? "1" : "0") + ");\n";
}

// Uniform variables that a region declares get their value before it.
void KernelText::hoist(const std::vector<Stmt*>& statements, std::string* out) {
  for (const Stmt* s : statements) {
    if (s->kind != StmtKind::kDeclare) continue;
    for (const Variable* variable : s->variables) {
      if (plan_->storage(*variable) != Storage::kUniform || variable->initializer == nullptr) continue;
      text_.line(s->where, out);
      *out += text_.name(*variable) + " = " + text_.initializer(*variable->initializer) + ";\n";
    }
  }
}

// A loop's first or last expression that assigns a uniform variable runs once, not for each work-item.
bool KernelText::assignsUniform(const Expr& e) const {
  const bool assigns = e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement);
  return assigns && e.a->kind == ExprKind::kVariable && plan_->storage(*e.a->variable) == Storage::kUniform;
}

void KernelText::loop(const Node& at, std::string* out) {
  const Stmt& s = *at.statement;
  // The loop has an endless head and explicit exits, because its condition and step may themselves need loops over the items. A
  // `continue` goes to the label before the step. The condition of a do-while stands behind that label, since continue
  // evaluates it too.
  const std::string label = "mrt_t" + std::to_string(++next_);
  *out += "{\n";
  if (s.init != nullptr) {
    hoist({s.init}, out);
    const bool once = s.init->kind == StmtKind::kExpr && assignsUniform(*s.init->a);
    bool each = s.init->kind != StmtKind::kDeclare;
    for (const Variable* variable : s.init->variables) each = each || plan_->storage(*variable) != Storage::kUniform;
    if (once) {
      text_.line(s.init->where, out);
      *out += text_.expression(*s.init->a) + ";\n";
    } else if (each) {
      Items work;
      work.statements.push_back(s.init);
      items(work, out);
    }
  }
  *out += "for (;;) {\n";
  auto check = [&] {
    if (s.a == nullptr) return;
    const std::string goes_on = condition(*s.a, true, out);
    *out += "if (!(" + goes_on + ")) break;\n";
  };
  if (s.kind != StmtKind::kDo) check();
  continue_labels_.push_back(label);
  node(*at.children[0], out);
  continue_labels_.pop_back();
  *out += label + ": ;\n";
  if (s.kind == StmtKind::kDo) check();
  if (s.kind == StmtKind::kFor && s.b != nullptr) {
    const Expr& step = *s.b;
    if (assignsUniform(step)) {
      text_.line(step.where, out);
      *out += text_.expression(step) + ";\n";
    } else {
      Items work;
      work.value = &step;
      items(work, out);
    }
  }
  *out += "}\n}\n";
}

// Code that finds out, and the text of what it found.
std::string KernelText::condition(const Expr& expression, bool truth, std::string* out) {
  if (plan_->isUniform(expression)) {
    text_.line(expression.where, out);
    return text_.expression(expression);
  }
  Items work;
  work.value = &expression;
  work.result = "mrt_c" + std::to_string(++next_);
  work.truth = truth;
  work.one = !hasEffects(expression);
  top_ += "long " + work.result + " = 0;\n";
  items(work, out);
  return work.result;
}

void KernelText::afterLeaving(std::string* out) {
  *out += "mrt_masked = true; mrt_first = mrt_find(mrt_alive, mrt_items); if (mrt_first < 0) goto mrt_done;\n";
}

// --- loops over items

// The work of one item is a lambda. Structs declared in the loop itself would become arrays, which gcc cannot split into
// scalars again.
void KernelText::items(const Items& work, std::string* out) {
  const bool masks = plan_->hasMasks();
  *out += "{\n";
  if (work.one) {
    noteLoop(work, "one work-item stands for all");
    if (masks) {
      *out +=
          "const long mrt_l = mrt_first, mrt_l0 = mrt_l % mrt_n0, mrt_l1 = mrt_l / mrt_n0 % mrt_n1, "
          "mrt_l2 = mrt_l / mrt_n0 / mrt_n1;\n";
    } else {
      *out += "const long mrt_l = 0, mrt_l0 = 0, mrt_l1 = 0, mrt_l2 = 0;\n";
    }
    body(work, out);
    *out += "}\n";
    return;
  }
  const std::string leave = "goto mrt_r" + std::to_string(++next_) + "; ";
  text_.return_statement = [&](const Stmt&) { return masks ? "{ mrt_alive[mrt_l] = 0; " + leave + "} " : leave; };
  noteLoop(work, "quick code runs work-items one by one");
  plainLoops(work, out);
  text_.return_statement = nullptr;
  *out += "}\n";
}

std::string KernelText::firstOf(int d, const Items& work) { return work.begins_later ? "mrt_o" + std::to_string(d) : "0"; }

std::string KernelText::loopOver(int d, const Items& work) {
  const std::string at = "mrt_l" + std::to_string(d), end = (work.limited ? "mrt_f" : "mrt_e") + std::to_string(d);
  return "for (long " + at + " = " + firstOf(d, work) + "; " + at + " < " + end + "; ++" + at + ") ";
}

// Counts a loop over the work-items for UnitForm. Conditions are none: they belong to the loops around.
void KernelText::noteLoop(const Items& work, const std::string& no_lanes) {
  if (work.value != nullptr || work.statements.empty()) return;
  ++made_.loops;
  if (no_lanes.empty()) ++made_.lane_loops;
  if (made_.no_lanes.empty()) made_.no_lanes = no_lanes;
}

// Three loops and the body, once: what a compiler has to read decides how soon it is done.
void KernelText::plainLoops(const Items& work, std::string* out) {
  const std::string label = "mrt_r" + std::to_string(next_);
  const bool masks = plan_->hasMasks();
  std::string inside;
  if (masks) inside += "if (mrt_masked && mrt_alive[mrt_l] == 0) continue;\n";
  body(work, &inside);
  if (inside.find("goto " + label + ";") != std::string::npos) inside += label + ": ;\n";
  const auto uses = [&](const char* name) { return inside.find(name) != std::string::npos; };
  const bool numbered = uses("[mrt_l]");
  const std::string row = loopOver(0, work) + "{\n" + "mrt_g->item[0] = (unsigned int)mrt_l0;\n";
  const auto outer = [&](const char* first, const char* second) {
    *out += std::string("mrt_g->item[1] = (unsigned int)") + first + "; mrt_g->item[2] = (unsigned int)" + second + ";\n";
  };
  if (work.rows && endOnlyRows(plan_->limits()) && !uses("mrt_l1") && !uses("mrt_l2")) {
    *out += "for (long mrt_r = 0; mrt_r < mrt_rows; ++mrt_r) {\n";
    outer("mrt_r", "0");
    *out += row;
    if (numbered) *out += "const long mrt_l = mrt_r * mrt_n0 + mrt_l0;\n";
  } else {
    *out += loopOver(2, work) + loopOver(1, work) + "{\n";
    outer("mrt_l1", "mrt_l2");
    *out += row;
    if (numbered) *out += "const long mrt_l = (mrt_l2 * mrt_n1 + mrt_l1) * mrt_n0 + mrt_l0;\n";
  }
  *out += inside + "}\n}\n";
  *out += "mrt_g->item[0] = ~0u;\n";  // what comes now is the group's
}

void KernelText::body(const Items& work, std::string* out) {
  std::string stores;
  *out += "{\n" + heads(work, &stores);
  for (const Stmt* s : work.statements) {
    if (s->kind != StmtKind::kDeclare) {
      text_.statement(*s, out);
      continue;
    }
    text_.line(s->where, out);
    for (const Variable* variable : s->variables) {
      if (plan_->storage(*variable) == Storage::kUniform) continue;
      if (variable->type.space == AddressSpace::kLocal) continue;
      text_.declareVariable(*variable, out);
    }
  }
  if (work.value != nullptr) {
    text_.line(work.value->where, out);
    const std::string value = text_.expression(*work.value);
    if (work.mask) {
      *out += "if (" + value + ") mrt_alive[mrt_l] = 0;\n";
    } else if (work.result.empty()) {
      *out += value + ";\n";
    } else {
      *out += work.result + " = " + (work.truth ? "(" + value + ") ? 1 : 0" : "(long)(" + value + ")") + ";\n";
    }
  }
  *out += "\n" + stores + "}\n";
}

KernelText::Uses KernelText::usesOf(const Items& work) const {
  Uses uses;
  auto look = [&](Expr& e) {
    if (e.kind == ExprKind::kVariable) uses.used.insert(e.variable);
    const bool writes = e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement);
    if (!writes) return;
    if (const Variable* root = rootVariable(*e.a)) uses.changed.insert(root);
  };
  for (Stmt* s : work.statements) {
    visitExpressions(s, look);
    visitStatements(s, [&](Stmt& inner) {
      for (const Variable* variable : inner.variables) {
        uses.declared.insert(variable);
        if (variable->initializer != nullptr) uses.changed.insert(variable);
      }
    });
  }
  visit(const_cast<Expr*>(work.value), look);
  const std::vector<Variable*>& all = plan_->variables();
  for (size_t i = all.size(); i-- > 0;) {  // pure ones bring in what they are made of: declared earlier
    if (plan_->storage(*all[i]) != Storage::kRecomputed || uses.used.count(all[i]) == 0 || uses.declared.count(all[i]) != 0) {
      continue;
    }
    // Going backwards, an initialiser marks variables of earlier declarations, which this loop has still to reach.
    visit(all[i]->initializer, look);
  }
  return uses;
}

// Text around the statements of one item: variables are computed again, loaded or bound before them, and stored after them.
std::string KernelText::heads(const Items& work, std::string* stores) {
  // Each item gets the variables that its statements use under their own names. Values come from the arrays at the head and go
  // back at the end, so that between two regions the arrays are up to date. Storing only what changed is enough, and an array
  // may be stored where no load came before: the item then declares the variable itself.
  const auto [used, declared, changed] = usesOf(work);
  const std::vector<Variable*>& all = plan_->variables();
  std::string text;
  for (const Variable* variable : all) {
    const std::string own = text_.name(*variable);
    QualType type = variable->type;
    type.is_restrict = false;
    switch (plan_->storage(*variable)) {
      case Storage::kRecomputed:
        if (used.count(variable) != 0 && declared.count(variable) == 0) {
          text += text_.declare(type, own) + " = " + text_.initializer(*variable->initializer) + ";\n";
        }
        break;
      case Storage::kArray:
        if (used.count(variable) != 0 && declared.count(variable) == 0) {
          text += text_.declare(type, own) + " = mrt_x_" + own + "[mrt_l];\n";
        }
        if (changed.count(variable) != 0) *stores += "mrt_x_" + own + "[mrt_l] = " + own + ";\n";
        break;
      case Storage::kInPlace:
        if (used.count(variable) != 0 || declared.count(variable) != 0) {
          text += text_.reference(type, own) + " = mrt_x_" + own + "[mrt_l];\n";
        }
        break;
      default:
        break;
    }
  }
  return text;
}

}  // namespace manyrt::compiler
