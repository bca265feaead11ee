// The way of a program through the IR, verified after the tree has been read and after each pass.
#include "compiler/pipeline/ir_unit.h"

#include <algorithm>

#include "compiler/emit/cpu_unit.h"
#include "compiler/ir/from_tree/from_tree.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/passes/passes.h"

namespace manyrt::compiler {

namespace {

bool make(ir::Module* module, bool lanes, std::string* why_not, Program& program, const BuildOptions& options,
          Diagnostics& diagnostics) {
  if (!checkCallDepth(program, diagnostics)) return false;
  if (lanes && options.optimize) module->vector_bytes = 4 * options.lanes;
  if (!ir::fromTree(module, program, why_not) || !ir::verify(*module, why_not)) return false;
  for (ir::Function* function : module->functions) {
    const auto launched = options.launched_groups.find(function->name);
    const bool is_required = function->group_size[0] != 0;
    for (size_t d = 0; d < 3; ++d)
      function->likely_group[d] = is_required                                 ? function->group_size[d]
                                  : launched != options.launched_groups.end() ? launched->second[d]
                                                                              : 0;
  }
  return passes::run(module, "all", why_not);
}

}  // namespace

bool irAfterPasses(std::string* text, std::string* why_not, Program& program, const BuildOptions& options,
                   Diagnostics& diagnostics) {
  ir::Module module;
  if (!make(&module, true, why_not, program, options, diagnostics)) return false;
  *text = ir::print(module);
  return true;
}

bool unitFromIr(CpuUnit* unit, bool lanes, std::string* why_not, Program& program, const Sources& sources,
                const BuildOptions& options, Diagnostics& diagnostics) {
  ir::Module module;
  if (!make(&module, lanes, why_not, program, options, diagnostics)) return false;
  emit::UnitText made;
  if (!emit::cpuUnit(&made, why_not, module, program, sources, options)) return false;
  unit->texts.push_back(std::move(made.text));
  unit->fibers = made.has_fibers;
  for (const std::string& kernel : made.on_fibers)
    unit->remarks.push_back("remark: The kernel \"" + kernel + "\" runs its work-items on fibers, which is slower.");
  for (const Function* kernel : program.kernels) unit->largest = std::max(unit->largest, kernelSize(*kernel));
  return true;
}

}  // namespace manyrt::compiler
