// The way of a program through the IR, verified after the tree has been read and after each pass.
#include "compiler/pipeline/cpu_unit.h"

#include <algorithm>

#include "compiler/emit/cpu_unit.h"
#include "compiler/ir/from_tree/from_tree.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/passes/passes.h"
#include "compiler/unit.h"

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
  if (options.users_names) {  // each variable stays in its slot
    module->keeps_items = true;
    return passes::run(module, "split_at_barriers", why_not);
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

bool makeCpuUnit(CpuUnit* unit, CpuForm form, uint32_t most_texts, std::string* why_not, Program& program,
                 const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics) {
  ir::Module module;
  if (!make(&module, form == CpuForm::kOptimized, why_not, program, options, diagnostics)) return false;
  emit::UnitText made;
  emit::cpuUnit(&made, module, form == CpuForm::kOptimized ? 1 : most_texts, program, sources, options);
  unit->texts = std::move(made.texts);
  for (const CpuKernel& row : made.kernels) unit->entries.push_back(row.entry);
  unit->fibers = made.has_fibers;
  unit->constructor = module.constants != nullptr;
  unit->instructions = made.instructions;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Function& kernel = *program.kernels[k];
    unit->largest = std::max(unit->largest, kernelSize(kernel));
    const CpuKernel& row = made.kernels[k];
    const std::string head = sources.name(kernel.where.file) + ":" + std::to_string(kernel.where.line) +
                             ": remark: The kernel \"" + kernel.name + "\" ";
    if (row.barriers == kOnFibers) {
      unit->remarks.push_back(head + "runs its work-items on fibers, which is slower: " + row.fibers + ".");
    } else if (form == CpuForm::kOptimized && options.optimize && row.lane_loops < row.loops) {
      unit->remarks.push_back(head + "has no lanes in " + std::to_string(row.loops - row.lane_loops) + " of " +
                              std::to_string(row.loops) + " loops over work-items: " + row.no_lanes + ".");
    }
  }
  return true;
}

}  // namespace manyrt::compiler
