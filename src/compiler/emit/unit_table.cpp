// The table's text. Its structs are UnitGroup, FiberCalls and UnitForm of unit.h and rtHostModule_t of rt.h; a test compares
// them.
#include "compiler/emit/unit_table.h"

#include <algorithm>

#include "compiler/lowering/program_facts.h"
#include "compiler/unit.h"

namespace manyrt::compiler {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

std::string arguments(const Function& kernel) {
  std::string out;
  for (const Variable* parameter : kernel.parameters) {
    const ArgumentFacts facts = argumentFacts(*parameter);
    out += "{" + std::to_string(facts.size) + ", " + std::to_string(facts.kind) + ", " + quoted(parameter->name) + ", " +
           quoted(facts.type_name) + "}, ";
  }
  return out;
}

std::string formOf(const CpuKernel& kernel) {
  const auto reason = [](const std::string& why) { return why.empty() ? "0" : quoted(why); };
  std::string row = "{";
  for (uint32_t number :
       {kernel.lanes, kernel.dimension, kernel.loops, kernel.lane_loops, kernel.barriers, kernel.no_lanes_code})
    row += std::to_string(number) + ", ";
  return row + reason(kernel.no_lanes) + ", " + reason(kernel.fibers) + "},\n";
}

}  // namespace

const char kUnitHead[] = R"(struct mrt_group {
unsigned int group_id[3], group_count[3], group_size[3], worker; unsigned long local_bytes; void* local_memory;
unsigned int global_offset[3]; mutable volatile unsigned int item[3]; };
struct mrt_sub_group { unsigned long values[16]; unsigned int members; };
struct mrt_fibers { void (*run)(void (*)(void*, unsigned int), void*, unsigned int); void (*wait)();
void (*run_sub_groups)(void (*)(void*, unsigned int), void*, unsigned int);
const mrt_sub_group* (*exchange)(unsigned long); unsigned int (*subGroupItem)(); };
)";

// Weak: each text with such kernels has it, and the linker keeps one.
const char kUnitFibers[] =
    "extern \"C\" { __attribute__((visibility(\"default\"), weak)) const mrt_fibers* rtHostFibers = 0; }\n";

const char kUnitTableHead[] = R"(struct mrt_arg { unsigned int size; int kind; const char* name; const char* type_name; };
struct mrt_kernel { const char* name; void (*function)(const mrt_group*, void* const*); const mrt_arg* args;
unsigned int arg_count, flags, max_group_items, required_group_size[3];
unsigned long local_bytes, scratch_bytes, scratch_bytes_per_item; };
struct mrt_global { const char* name; void* address; unsigned long size; };
struct mrt_module { unsigned int struct_size, kernel_count; const mrt_kernel* kernels; const mrt_global* globals;
unsigned int global_count, flags; };
struct mrt_form { unsigned int lanes, dimension, loops, lane_loops, barriers, no_lanes_code; const char *no_lanes, *fibers; };
)";

// ArgumentBytes of unit.h, which has three characters.
static std::string argumentBytes(const Program& program) {
  std::string rows;
  for (const Function* kernel : program.kernels) {
    for (const Variable* parameter : kernel->parameters) {
      const ArgumentUse& use = parameter->use;
      rows += std::to_string(use.qualifiers) + ", " + std::to_string(use.space) + ", " + std::to_string(use.access) + ", ";
    }
  }
  return rows;
}

std::string withExactLines(const std::string& text) {
  std::string out;
  std::string_view place;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.starts_with("#line ")) place = line;
    if (line[0] != '#') out += place;
    out += line;
    at = end;
  }
  return out;
}

std::string unitRows(const Program& program, const std::vector<CpuKernel>& kernels, const std::vector<CpuGlobal>& globals) {
  std::string out, rows, global_rows;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Function& kernel = *program.kernels[i];
    const std::string args = "mrt_args_" + std::to_string(i);
    if (!kernel.parameters.empty()) out += "const mrt_arg " + args + "[] = {" + arguments(kernel) + "};\n";
    const CpuKernel& m = kernels[i];
    rows += "{" + quoted(kernel.name) + ", " + m.entry + ", " + (kernel.parameters.empty() ? "0" : args) + ", " +
            std::to_string(kernel.parameters.size()) + ", 0, 0, {" + std::to_string(m.required_group_size[0]) + ", " +
            std::to_string(m.required_group_size[1]) + ", " + std::to_string(m.required_group_size[2]) + "}, " +
            std::to_string(m.local_bytes) + ", " + std::to_string(m.scratch_bytes) + ", " +
            std::to_string(m.scratch_bytes_per_item) + "},\n";
  }
  for (const CpuGlobal& global : globals)
    global_rows += "{" + quoted(global.name) + ", (void*)&" + global.object + ", sizeof " + global.object + "},\n";
  if (!rows.empty()) out += "const mrt_kernel mrt_kernels[] = {\n" + rows + "};\n";
  if (!globals.empty()) out += "const mrt_global mrt_globals[] = {\n" + global_rows + "};\n";
  return out;
}

std::string unitTable(const Program& program, const std::vector<CpuKernel>& kernels, const std::vector<CpuGlobal>& globals) {
  std::string out = "extern \"C\" { extern const mrt_module rtHostModule __attribute__((visibility(\"default\")));\n";
  out += "const mrt_module rtHostModule = {sizeof(mrt_module), " + std::to_string(kernels.size()) + ", " +
         (kernels.empty() ? "0" : "mrt_kernels") + ", " + (globals.empty() ? "0" : "mrt_globals") + ", " +
         std::to_string(globals.size()) + ", 0}; }\n";
  if (std::any_of(kernels.begin(), kernels.end(), [](const CpuKernel& kernel) { return kernel.traits != 0; })) {
    out +=
        "extern \"C\" { extern const unsigned char rtHostTraits[] __attribute__((visibility(\"default\")));\n"
        "const unsigned char rtHostTraits[] = {";
    for (const CpuKernel& kernel : kernels) out += std::to_string(kernel.traits) + ", ";
    out += "}; }\n";
  }
  if (const std::string rows = argumentBytes(program); !rows.empty()) {
    out +=
        "extern \"C\" { extern const unsigned char rtHostArguments[] __attribute__((visibility(\"default\")));\n"
        "const unsigned char rtHostArguments[] = {" +
        rows + "}; }\n";
  }
  if (kernels.empty()) return out;
  out +=
      "extern \"C\" { extern const mrt_form rtHostForms[] __attribute__((visibility(\"default\")));\n"
      "const mrt_form rtHostForms[] = {\n";
  for (const CpuKernel& kernel : kernels) out += formOf(kernel);
  return out + "}; }\n";
}

}  // namespace manyrt::compiler
