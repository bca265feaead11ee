// The CUDA C++ of a whole unit: prelude, records, constants, helpers, and an entry for each kernel. Ids are CUDA's own
// variables and the launch's offset, the last parameter of kernels that ask for global ids and of helpers that do. Memory of
// __local arguments is cut from one dynamic array by offsets.
#include "compiler/lowering/cuda/program.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/builtins/builtins.h"
#include "compiler/builtins/prelude.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cuda/names.h"
#include "compiler/lowering/cuda/print.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr uint64_t kMaxConstantBytes = 64 << 10;  // of __constant__ variables; what is beyond is in global memory
constexpr uint64_t kMaxLocalBytes = 48 << 10;     // of a kernel's __shared__ variables

constexpr char kAt[] = R"(static __device__ __forceinline__ unsigned long mrt_at(unsigned int d, unsigned long a,
unsigned long b, unsigned long c, unsigned long o) { return d == 0 ? a : d == 1 ? b : d == 2 ? c : o; }
)";
static_assert(kCudaSharedAlignment == 128);
constexpr char kItem[] = "struct mrt_item { unsigned int x, y, z; };\n";  // the global offset: CudaKernel::takes_offset
constexpr char kShared[] = "alignas(128) extern __shared__ unsigned char mrt_shared[];\n";

std::string constantOf(const char* variable, int dimension) { return std::string(variable) + "." + "xyz"[dimension]; }

// The text of a work-item function. `sizes`: of a work-group that is known, else zeros. `dimension`: the argument, if it is a
// constant; else it is negative, and `expression` is evaluated once, by a function that chooses.
std::string workItem(const uint32_t (&sizes)[3], WorkItem which, int dimension, const std::string& expression) {
  const auto size = [&](int d) { return sizes[0] != 0 ? std::to_string(sizes[d]) + "u" : constantOf("blockDim", d); };
  const auto at = [&](auto one, const char* beyond) {
    const auto of = [&](int d) { return "((unsigned long)" + one(d) + ")"; };
    if (dimension >= 0 && dimension < 3) return of(dimension);
    if (dimension >= 3) return std::string(beyond);
    return "mrt_at(" + expression + ", " + of(0) + ", " + of(1) + ", " + of(2) + ", " + beyond + ")";
  };
  const auto global = [&](int d) { return constantOf("blockIdx", d) + " * " + size(d) + " + " + constantOf("threadIdx", d); };
  const auto count = [&](int d) { return constantOf("gridDim", d) + " * " + size(d); };
  const auto offset = [](int d) { return constantOf("mrt_i", d); };
  switch (which) {
    case WorkItem::kGlobalId:
      return at([&](int d) { return "(" + global(d) + " + " + offset(d) + ")"; }, "0ul");
    case WorkItem::kGlobalOffset:
      return at(offset, "0ul");
    case WorkItem::kLocalId:
      return at([](int d) { return constantOf("threadIdx", d); }, "0ul");
    case WorkItem::kGroupId:
      return at([](int d) { return constantOf("blockIdx", d); }, "0ul");
    case WorkItem::kGlobalSize:
      return at(count, "1ul");
    case WorkItem::kLocalSize:
      return at(size, "1ul");
    case WorkItem::kNumGroups:
      return at([](int d) { return constantOf("gridDim", d); }, "1ul");
    case WorkItem::kWorkDim:
      return "(" + count(2) + " > 1 ? 3u : " + count(1) + " > 1 ? 2u : 1u)";
    case WorkItem::kLocalLinearId:
      return "((unsigned long)((threadIdx.z * " + size(1) + " + threadIdx.y) * " + size(0) + " + threadIdx.x))";
    case WorkItem::kGlobalLinearId:
      return "((((unsigned long)" + global(2) + ") * ((unsigned long)" + count(1) + ") + ((unsigned long)" + global(1) +
             ")) * ((unsigned long)" + count(0) + ") + ((unsigned long)" + global(0) + "))";
    default:
      return "0ul";
  }
}

bool isConstantStorage(const Variable& variable) {
  return variable.type.space == AddressSpace::kConstant && !variable.type->isPointer();
}

class Unit {
 public:
  Unit(CudaUnit* unit, Program& program, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics)
      : unit_(*unit),
        program_(program),
        options_(options),
        diagnostics_(diagnostics),
        prelude_(program.types, Dialect::kCuda),
        text_(program, sources, prelude_, diagnostics) {}

  void make() {
    prepareText();
    for (const Function* kernel : program_.kernels) reach(*kernel->body);
    std::string records = text_.forwards();
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind == Declaration::Kind::kRecord) records += text_.record(*declaration.record);
      if (declaration.kind == Declaration::Kind::kVariable) addGlobal(*declaration.variable);
    }
    for (const Function* function : in_order_) addConstants(*function);
    for (const Function* kernel : program_.kernels) addConstants(*kernel);
    addHelpers();
    std::string kernels;
    for (const Function* kernel : program_.kernels) addKernel(*kernel, &kernels);
    const std::string body =
        prelude_.text() + records + "extern \"C\" {\n" + constants_ + "}\n" + prints_ + declarations_ + definitions_ + kernels;
    unit_.text = std::string(kAt) + (uses_item_ ? kItem : "") + (uses_shared_ ? kShared : "") + cudaText(body, &unit_.unknown);
  }

 private:
  void prepareText() {
    text_.asks_item = [](const Builtin& builtin) {
      return builtin.work_item == WorkItem::kGlobalId || builtin.work_item == WorkItem::kGlobalOffset;
    };
    text_.sub_group_items = 32;  // a warp
    text_.helper_words = "static __device__ ";
    text_.inline_words = "__forceinline__ ";
    text_.unroll_words = "unroll ";
    text_.unroll_freely = "";
    text_.barrier_call = [] { return std::string("__syncthreads()"); };
    text_.is_bound = [](const Variable& variable) { return isConstantStorage(variable); };
    text_.builtin_text = [this](const Expr& call) {
      if (call.builtin->kind == BuiltinKind::kGroupCopy) return groupCopy(call);
      return call.builtin->kind == BuiltinKind::kPrint ? print(call) : std::string();
    };
    setSizes({});
  }

  void setSizes(const uint32_t (&sizes)[3]) {
    std::copy(sizes, sizes + 3, sizes_);
    text_.work_item = [this](WorkItem which, int dimension, const std::string& expression) {
      return workItem(sizes_, which, dimension, expression);
    };
  }

  // Functions that kernels call, each after those that it calls.
  void reach(Stmt& statement) {
    visitExpressions(&statement, [&](Expr& e) {
      if (e.kind != ExprKind::kCall || e.function->body == nullptr || !reached_.insert(e.function).second) return;
      reach(*e.function->body);
      in_order_.push_back(e.function);
    });
  }

  // Where it is: with C linkage, so that its symbol is its name here, and seen from outside of the code.
  void placeConstant(const Variable& variable) {
    const uint64_t bytes = sizeOf(variable.type);
    const uint64_t alignment = std::max<uint64_t>(alignmentOf(variable.type), variable.alignment);
    const uint64_t end = (constant_bytes_ + alignment - 1) / alignment * alignment + bytes;
    const bool fits = end <= kMaxConstantBytes;
    if (fits) constant_bytes_ = end;
    text_.constant_words = fits ? "extern __constant__ const " : "extern __device__ const ";
    constants_ += text_.constant(variable);
  }

  void addGlobal(const Variable& variable) {
    placeConstant(variable);
    unit_.globals.push_back({variable.name, text_.name(variable), sizeOf(variable.type)});
  }

  // Constants of functions, which in CUDA become constants of the program.
  void addConstants(const Function& function) {
    if (!with_constants_.insert(&function).second) return;
    visitStatements(function.body, [&](Stmt& statement) {
      for (const Variable* variable : statement.variables) {
        if (statement.kind == StmtKind::kDeclare && isConstantStorage(*variable)) placeConstant(*variable);
      }
    });
  }

  void addHelpers() {
    for (const Function* function : in_order_) {
      declarations_ += text_.signature(*function) + ";\n";
      if (!function->is_kernel) {
        definitions_ += text_.definition(*function);
        continue;
      }
      definitions_ += text_.place(*function) + text_.signature(*function) + " {\n" + locals(*function, nullptr);
      text_.inBody(*function, &definitions_);
      definitions_ += "}\n";
    }
  }

  std::string locals(const Function& kernel, CudaKernel* facts) {
    std::string out;
    uint64_t bytes = 0;
    for (const Variable* variable : kernel.locals) {
      const uint64_t alignment = std::max<uint64_t>(alignmentOf(variable->type), variable->alignment);
      bytes = (bytes + alignment - 1) / alignment * alignment + sizeOf(variable->type);
      if (variable->alignment > alignmentOf(variable->type)) out += "alignas(" + std::to_string(variable->alignment) + ") ";
      out += "__shared__ " + text_.declare(variable->type, text_.name(*variable)) + ";\n";
      if (bytes > kMaxLocalBytes) {
        diagnostics_.error(variable->where,
                           "The __local variables of \"%s\" take more than the %llu bytes that CUDA has for them: take a "
                           "__local pointer as an argument instead.",
                           kernel.name.c_str(), static_cast<unsigned long long>(kMaxLocalBytes));
        break;
      }
    }
    if (facts != nullptr) facts->local_bytes = bytes;
    return out;
  }

  void addKernel(const Function& kernel, std::string* out) {
    CudaKernel facts;
    facts.name = kernel.name;
    facts.symbol = kernel.name + "_kernel";  // no other name here ends so, nor does one of CUDA's
    for (int d = 0; d < 3; ++d) {
      facts.required_group[d] = kernel.required_group_size[0] != 0 ? kernel.required_group_size[d] : options_.group_size[d];
    }
    setSizes(facts.required_group);
    const uint64_t items = uint64_t{facts.required_group[0]} * facts.required_group[1] * facts.required_group[2];
    std::string head;
    std::string parameters;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      parameters += i == 0 ? "" : ", ";
      parameters += parameter(*kernel.parameters[i], i, &facts, &head);
    }
    facts.takes_offset = text_.usesItem(kernel);
    if (facts.takes_offset) {
      parameters += parameters.empty() ? "mrt_item mrt_i" : ", mrt_item mrt_i";
      uses_item_ = true;
    }
    *out += text_.place(kernel) + "extern \"C\" __global__ void ";
    if (items != 0) *out += "__launch_bounds__(" + std::to_string(items) + ") ";
    *out += facts.symbol + "(" + parameters + ") {\n" + head + locals(kernel, &facts);
    text_.inBody(kernel, out);
    *out += "}\n";
    setSizes({});
    unit_.kernels.push_back(std::move(facts));
  }

  std::string parameter(const Variable& variable, size_t index, CudaKernel* kernel, std::string* head) {
    const ArgumentFacts facts = argumentFacts(variable);
    CudaArgument argument{facts.size, facts.kind, variable.name, facts.type_name};
    argument.use = facts.use;
    const std::string own = text_.name(variable);
    const bool local = variable.type->isPointer() && variable.type->inner.space == AddressSpace::kLocal;
    if (!local) {
      kernel->arguments.push_back(std::move(argument));
      return text_.declare(variable.type, own);
    }
    argument.alignment = std::max(1u, alignmentOf(variable.type->inner));
    kernel->arguments.push_back(std::move(argument));
    uses_shared_ = true;
    const std::string offset = "mrt_o" + std::to_string(index);
    *head += text_.declare(variable.type, own) + " = (" + text_.typeName(variable.type.unqualified()) + ")(mrt_shared + " +
             offset + ");\n";
    return "unsigned int " + offset;
  }

  // All threads of the group copy, each every so manieth element; wait_group_events is a barrier.
  std::string groupCopy(const Expr& e) {
    const Expr& dst = *e.arguments[0];
    const std::string element = text_.typeName(dst.type->inner.unqualified());
    const bool strided = e.builtin->name.find("strided") != std::string::npos;
    const bool gather = dst.type->inner.space == AddressSpace::kLocal;
    const std::string stride = strided ? " * mrt_t" : "";
    constexpr uint32_t kAnySize[3] = {0, 0, 0};
    std::string text = "([](" + element + "* mrt_d, const " + element + "* mrt_f, unsigned long mrt_n" +
                       (strided ? ", unsigned long mrt_t" : "") +
                       ") { for (unsigned long mrt_k = " + workItem(kAnySize, WorkItem::kLocalLinearId, 0, "") +
                       "; mrt_k < mrt_n; mrt_k += blockDim.x * blockDim.y * blockDim.z) mrt_d[mrt_k" + (gather ? "" : stride) +
                       "] = mrt_f[mrt_k" + (gather ? stride : "") + "]; }((" + element + "*)(" + text_.expression(dst) +
                       "), (const " + element + "*)(" + text_.expression(*e.arguments[1]) + ")";
    for (size_t i = 2; i < e.arguments.size() - 1; ++i) text += ", " + text_.expression(*e.arguments[i]);
    return text + "), " + text_.expression(*e.arguments.back()) + ")";
  }

  std::string print(const Expr& call) {
    const std::string name = "mrt_printf_" + std::to_string(next_print_++);
    prints_ += cudaPrintFunction(name, call, prelude_, diagnostics_);
    std::string values;
    for (size_t i = 1; i < call.arguments.size(); ++i) values += (i == 1 ? "" : ", ") + text_.expression(*call.arguments[i]);
    return name + "(" + values + ")";
  }

  CudaUnit& unit_;
  Program& program_;
  const BuildOptions& options_;
  Diagnostics& diagnostics_;
  Prelude prelude_;
  CppText text_;
  std::set<const Function*> reached_;
  std::vector<Function*> in_order_;
  std::set<const Function*> with_constants_;
  uint32_t sizes_[3] = {0, 0, 0};
  uint64_t constant_bytes_ = 0;
  uint32_t next_print_ = 0;
  bool uses_shared_ = false, uses_item_ = false;
  std::string constants_, prints_, declarations_, definitions_;
};

}  // namespace

bool lowerToCuda(CudaUnit* unit, Program& program, const Sources& sources, const BuildOptions& options,
                 Diagnostics& diagnostics) {
  if (!checkCallDepth(program, diagnostics)) return false;
  unit->contract = !forbidsContraction(program);
  Unit(unit, program, sources, options, diagnostics).make();
  return !diagnostics.failed();
}

}  // namespace manyrt::compiler
