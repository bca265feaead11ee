// The C++ source of a whole unit: prelude, records, constants, helpers, kernels, and the table that the loader reads.
#include "kernels/lower/cpu.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/lower/cpu_kernel.h"
#include "kernels/lower/group_plan.h"
#include "kernels/lower/prelude.h"
#include "kernels/lower/program_facts.h"
#include "kernels/lower/visit.h"

namespace manyrt::kernels {

void setWorkItemText(CppText& text, bool in_kernel);  // cpu_kernel.cpp

namespace {

// The same structs as rtHostGroup_t and rtHostModule_t of rt.h and FiberCalls of unit.h.
constexpr char kHead[] = R"(struct mrt_group {
unsigned int group_id[3], group_count[3], group_size[3], worker; unsigned long local_bytes; void* local_memory; };
struct mrt_item { long b0, b1, b2, l0, l1, l2, n0, n1, n2; unsigned long w0, w1, w2, k0, k1, k2; };
struct mrt_arg { unsigned int size; int kind; const char* name; const char* type_name; };
struct mrt_kernel { const char* name; void (*function)(const mrt_group*, void* const*); const mrt_arg* args;
unsigned int arg_count, flags, max_group_items, required_group_size[3];
unsigned long local_bytes, scratch_bytes, scratch_bytes_per_item; };
struct mrt_global { const char* name; void* address; unsigned long size; };
struct mrt_module { unsigned int struct_size, kernel_count; const mrt_kernel* kernels; const mrt_global* globals;
unsigned int global_count, flags; };
struct mrt_fibers { void (*run)(void (*)(void*, unsigned int), void*, unsigned int); void (*wait)(); };
)";

constexpr char kAt[] = R"(static inline unsigned long mrt_at(unsigned int d, unsigned long a, unsigned long b, unsigned long c,
unsigned long o) { return d == 0 ? a : d == 1 ? b : d == 2 ? c : o; }
static inline long mrt_find(const unsigned int* alive, long n) {
for (long i = 0; i < n; ++i) if (alive[i]) return i;
return -1; }
static inline long mrt_limit_u(long e, unsigned long r, long b, int more) {
unsigned long s = r + more;
if (more && s == 0) return e;
if (s <= (unsigned long)b) return 0;
s -= (unsigned long)b;
return s < (unsigned long)e ? (long)s : e; }
static inline long mrt_limit_s(long e, long r, long b, int more) {
return r < 0 && !(more && r == -1) ? 0 : mrt_limit_u(e, (unsigned long)r, b, more); }
)";

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

class Unit {
 public:
  Unit(CpuUnit* unit, Program& program, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics)
      : unit_(*unit),
        program_(program),
        sources_(sources),
        options_(options),
        prelude_(program.types),
        text_(program, sources, prelude_, diagnostics) {}

  void make() {
    std::string kernels;
    std::vector<CpuKernel> made;
    std::vector<std::unique_ptr<GroupPlan>> plans;
    for (Function* kernel : program_.kernels) plans.push_back(plan(*kernel));
    for (size_t i = 0; i < program_.kernels.size(); ++i) {
      KernelText text(text_, *program_.kernels[i], options_);
      made.push_back(plans[i] != nullptr ? text.split(*plans[i], &kernels) : text.onFibers(&kernels));
      reach(*program_.kernels[i]->body);
    }
    std::string body;
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind == Declaration::Kind::kRecord) body += text_.record(*declaration.record);
      if (declaration.kind == Declaration::Kind::kVariable) body += text_.constant(*declaration.variable);
    }
    setWorkItemText(text_, false);
    text_.barrier_call = [] { return std::string("rtHostFibers->wait()"); };
    std::string definitions;
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind != Declaration::Kind::kFunction || reached_.count(declaration.function) == 0) continue;
      body += text_.signature(*declaration.function) + ";\n";
      definitions += text_.definition(*declaration.function);
    }
    unit_.text = kHead;
    unit_.fibers = fibers_;
    if (fibers_) {
      unit_.text += "extern \"C\" { __attribute__((visibility(\"default\"))) const mrt_fibers* rtHostFibers = 0; }\n";
    }
    const std::string ending = table(made);
    unit_.text += "namespace {\n";
    unit_.text += kAt;
    unit_.text += prelude_.text() + body + definitions + kernels + "\n#line 1 \"table\"\n" + ending;
  }

 private:
  std::unique_ptr<GroupPlan> plan(Function& kernel) {
    std::string why;
    std::unique_ptr<GroupPlan> made;
    if (inlineHelpers(program_, kernel, &why)) {
      separateParameters(program_, kernel);
      made = GroupPlan::make(program_, kernel, &why);
    }
    if (made == nullptr) {
      fibers_ = true;
      unit_.remarks.push_back(sources_.name(kernel.where.file) + ":" + std::to_string(kernel.where.line) +
                              ": remark: The kernel \"" + kernel.name +
                              "\" runs its work-items on fibers, which is slower: " + why + ".");
    }
    return made;
  }

  void reach(Stmt& statement) {
    visitExpressions(&statement, [&](Expr& e) {
      if (e.kind != ExprKind::kCall || e.function->body == nullptr || !reached_.insert(e.function).second) return;
      reach(*e.function->body);
    });
  }

  std::string table(const std::vector<CpuKernel>& made) {
    std::string out;
    std::string rows;
    for (size_t i = 0; i < made.size(); ++i) {
      const Function& kernel = *program_.kernels[i];
      const std::string args = "mrt_args_" + std::to_string(i);
      if (!kernel.parameters.empty()) out += "const mrt_arg " + args + "[] = {" + arguments(kernel) + "};\n";
      const CpuKernel& m = made[i];
      rows += "{" + quoted(kernel.name) + ", " + m.entry + ", " + (kernel.parameters.empty() ? "0" : args) + ", " +
              std::to_string(kernel.parameters.size()) + ", 0, 0, {" + std::to_string(m.required_group_size[0]) + ", " +
              std::to_string(m.required_group_size[1]) + ", " + std::to_string(m.required_group_size[2]) + "}, " +
              std::to_string(m.local_bytes) + ", " + std::to_string(m.scratch_bytes) + ", " +
              std::to_string(m.scratch_bytes_per_item) + "},\n";
    }
    uint32_t globals = 0;
    std::string global_rows;
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind != Declaration::Kind::kVariable) continue;
      const Variable& variable = *declaration.variable;
      global_rows +=
          "{" + quoted(variable.name) + ", (void*)&" + text_.name(variable) + ", sizeof " + text_.name(variable) + "},\n";
      ++globals;
    }
    if (!rows.empty()) out += "const mrt_kernel mrt_kernels[] = {\n" + rows + "};\n";
    if (globals != 0) out += "const mrt_global mrt_globals[] = {\n" + global_rows + "};\n";
    out += "}\nextern \"C\" { extern const mrt_module rtHostModule __attribute__((visibility(\"default\")));\n";
    out += "const mrt_module rtHostModule = {sizeof(mrt_module), " + std::to_string(made.size()) + ", " +
           (rows.empty() ? "0" : "mrt_kernels") + ", " + (globals == 0 ? "0" : "mrt_globals") + ", " + std::to_string(globals) +
           ", 0}; }\n";
    return out;
  }

  std::string arguments(const Function& kernel) const {
    std::string out;
    for (const Variable* parameter : kernel.parameters) {
      const ArgumentFacts facts = argumentFacts(*parameter);
      out += "{" + std::to_string(facts.size) + ", " + std::to_string(facts.kind) + ", " + quoted(parameter->name) + ", " +
             quoted(facts.type_name) + "}, ";
    }
    return out;
  }

  CpuUnit& unit_;
  Program& program_;
  const Sources& sources_;
  const BuildOptions& options_;
  Prelude prelude_;
  CppText text_;
  std::set<const Function*> reached_;
  bool fibers_ = false;
};

}  // namespace

bool lowerToCpu(CpuUnit* unit, Program& program, const Sources& sources, const BuildOptions& options,
                Diagnostics& diagnostics) {
  if (!checkCallDepth(program, diagnostics)) return false;
  if (forbidsContraction(program)) unit->contract = false;  // for the whole unit: compilers of C++ know no smaller scope
  Unit(unit, program, sources, options, diagnostics).make();
  return !diagnostics.failed();
}

}  // namespace manyrt::kernels
