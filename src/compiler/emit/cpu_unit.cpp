// The parts of a text: what it begins with, the constants and helpers that its kernels reach, the kernels, the table.
#include "compiler/emit/cpu_unit.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/builtins/lane_call.h"
#include "compiler/builtins/library.h"
#include "compiler/emit/cpp_operations.h"
#include "compiler/emit/function_text.h"
#include "compiler/emit/kernel_text.h"
#include "compiler/emit/user_names.h"
#include "compiler/emit/work_items.h"
#include "compiler/lowering/cpp/text.h"

namespace manyrt::compiler::emit {
namespace {

using ir::Instruction;

// Chooses the id or size for a dimension that is no constant.
constexpr char kAnyDimension[] =
    "static inline unsigned long mrt_at(unsigned int d, unsigned long a, unsigned long b, unsigned long c,\n"
    "unsigned long o) { return d == 0 ? a : d == 1 ? b : d == 2 ? c : o; }\n";

std::string objectText(const ir::Object& object) {
  const uint64_t size = std::max<uint64_t>(object.size, 1);
  std::string text = "alignas(" + std::to_string(std::max(object.alignment, 1u)) + ") static unsigned char " +
                     objectName(object) + "[" + std::to_string(size) + "]";
  if (!object.bytes.empty()) {
    text += " = {";
    for (const uint8_t byte : object.bytes) text += std::to_string(byte) + ",";
    text += "}";
  }
  return text + ";\n";
}

using Functions = std::set<const ir::Function*>;

// All functions that a function calls, directly or not.
void reach(const ir::Function& function, Functions* reached) {
  ir::forEach(*function.body, [&](const Instruction& i) {
    if (i.callee != nullptr && reached->insert(i.callee).second) reach(*i.callee, reached);
  });
}

bool usesConstants(const ir::Function& function) {
  bool found = false;
  ir::forEach(*function.body, [&](const Instruction& i) {
    found = found || (i.object != nullptr && i.object->space == AddressSpace::kConstant);
  });
  return found;
}

uint32_t instructions(const ir::Function& function) {
  uint32_t count = 0;
  ir::forEach(*function.body, [&](const Instruction&) { ++count; });
  return count;
}

constexpr size_t kMinInstructions = 100;  // below it, a compiler takes longer to start than to compile

// Kernels, by their index in the program, in groups of about the same size.
std::vector<std::vector<size_t>> spread(const std::vector<const ir::Function*>& kernels, uint32_t most_texts) {
  std::vector<std::pair<size_t, size_t>> sizes;
  size_t total = 0;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const size_t size = instructions(*kernels[k]);
    sizes.emplace_back(size, k);
    total += size;
  }
  std::sort(sizes.rbegin(), sizes.rend());
  const size_t count = std::clamp<size_t>(total / kMinInstructions, 1, std::max(most_texts, 1u));
  std::vector<std::vector<size_t>> groups(std::min(count, std::max<size_t>(sizes.size(), 1)));
  std::vector<size_t> filled(groups.size(), 0);
  for (const auto& [size, kernel] : sizes) {
    const auto least = static_cast<size_t>(std::min_element(filled.begin(), filled.end()) - filled.begin());
    groups[least].push_back(kernel);
    filled[least] += size;
  }
  for (std::vector<size_t>& group : groups) std::sort(group.begin(), group.end());
  return groups;
}

class UnitWriter {
 public:
  UnitWriter(const ir::Module& module, Program& program, const Sources& sources, const BuildOptions& options)
      : module_(module), program_(program), sources_(sources), options_(options), facts_(module) {
    for (const Function& function : program.functions()) {
      if (function.body != nullptr) places_[function.name] = function.where;
    }
    for (const Function* kernel : program.kernels) kernels_.push_back(module.find(kernel->name));
    rows_.resize(kernels_.size());
    Functions called;
    for (const ir::Function* function : module.functions) reach(*function, &called);
    for (const ir::Function* function : module.functions) {
      if (called.contains(function)) facts_.share(*function);
    }
    for (const ir::Object* object : module.objects) {
      if (object->space == AddressSpace::kConstant && object->is_exported)
        globals_.push_back({object->name, objectName(*object)});
    }
  }

  void write(UnitText* unit, uint32_t most_texts) {
    const auto groups = spread(kernels_, most_texts);
    unit->texts.resize(groups.size());
    for (size_t g = groups.size(); g-- > 0;) unit->texts[g] = text(groups[g], g == 0);  // the table last: it tells of all
    unit->kernels = rows_;
    unit->has_fibers = has_fibers_;
    for (const ir::Function* kernel : kernels_) unit->instructions = std::max(unit->instructions, instructions(*kernel));
  }

 private:
  std::string text(const std::vector<size_t>& chosen, bool has_table) {
    Prelude prelude(program_.types, module_.vector_bytes != 0 ? Dialect::kHost : Dialect::kHostQuick);
    prelude.relaxed = options_.relaxed_math;
    CppOperations operations(program_.types, prelude);
    CppLanes lanes(operations, prelude);
    Diagnostics unused(sources_);
    const CppText types(program_, sources_, prelude, unused);
    UserNames names(types);
    const bool has_lines = options_.exact_lines || options_.repeats_lines;
    const Unit unit{
        operations, lanes, facts_, sources_, module_.vector_bytes != 0, has_lines, options_.users_names ? &names : nullptr};

    std::string kernels;
    bool fibers = false, constants = has_table;
    Functions reached;
    for (const size_t k : chosen) {
      KernelCpp kernel = kernelText(unit, *kernels_[k], *program_.kernels[k], options_);
      kernels += kernel.text;
      rows_[k] = kernel.row;
      fibers = fibers || kernel.on_fibers;
      reach(*kernels_[k], &reached);
      constants = constants || usesConstants(*kernels_[k]);
    }
    std::string signatures, definitions, objects;
    for (const ir::Function* function : reached) constants = constants || usesConstants(*function);
    if (constants && module_.constants != nullptr) {
      reach(*module_.constants, &reached);
      definitions += constructor(*module_.constants, unit);
    }
    for (const ir::Object* object : module_.objects) {
      if (constants && object->space == AddressSpace::kConstant) objects += objectText(*object);
    }
    for (const ir::Function* function : module_.functions) {
      if (!reached.contains(function)) continue;
      signatures += helperSignature(unit, *function) + ";\n";
      definitions += helperText(unit, *function, placeOf(*function));
      fibers = fibers || facts_.waits(*function);
    }
    has_fibers_ = has_fibers_ || fibers;
    if (options_.users_names) signatures = records(types) + signatures;

    // gcc 12 breaks down over loops with several ends where it threads jumps early ("compute_live_loop_exits").
    std::string all = lanes.isUsed() ? "#pragma GCC optimize(\"no-thread-jumps\")\n" : "";
    all +=
        kUnitHead + (fibers ? std::string(kUnitFibers) : "") + (has_table ? kUnitTableHead : "") + kItemStruct + kAnyDimension;
    for (const char* file : {"types", "conversion", "gather", "masked", "integer", "product", "lanes", "math"}) {
      if (lanes.isUsed()) all += libraryBody("lanes/" + std::string(file) + ".h");
    }
    if (lanes.hasRare()) all += libraryBody("lanes/rare.h");
    if (lanes.usesApart()) all += libraryBody("lanes/apart.h");
    if (lanes.usesTiles()) all += libraryBody("lanes/tile.h");
    all += prelude.text();
    if (prelude.text().empty()) all += "#define mrt_fn static inline\n";
    all += operations.text() + objects + signatures;
    all += has_lines ? withExactLines(definitions + kernels) + "\n#line 1 \"table\"\n" : definitions + kernels;
    return has_table ? all + table(chosen) : all;
  }

  std::string records(const CppText& types) const {
    std::string text = types.forwards();
    for (const Declaration& declaration : program_.declarations) {
      if (declaration.kind == Declaration::Kind::kRecord) text += types.record(*declaration.record);
    }
    return text;
  }

  std::string table(const std::vector<size_t>& own) const {
    std::string text;
    for (size_t k = 0; k < rows_.size(); ++k) {
      if (std::find(own.begin(), own.end(), k) == own.end())
        text += "extern \"C\" void " + rows_[k].entry + "(const mrt_group*, void* const*);\n";
    }
    return text + unitRows(program_, rows_, globals_) + unitTable(program_, rows_, globals_);
  }

  Location placeOf(const ir::Function& function) const {
    const auto at = places_.find(function.name);
    return at == places_.end() ? Location() : at->second;
  }

  const ir::Module& module_;
  Program& program_;
  const Sources& sources_;
  const BuildOptions& options_;
  Facts facts_;
  std::map<std::string, Location> places_;    // of functions of the source
  std::vector<const ir::Function*> kernels_;  // in the order of the program
  std::vector<CpuKernel> rows_;
  std::vector<CpuGlobal> globals_;
  bool has_fibers_ = false;
};

}  // namespace

void cpuUnit(UnitText* unit, const ir::Module& module, uint32_t most_texts, Program& program, const Sources& sources,
             const BuildOptions& options) {
  UnitWriter(module, program, sources, options).write(unit, most_texts);
}

}  // namespace manyrt::compiler::emit
