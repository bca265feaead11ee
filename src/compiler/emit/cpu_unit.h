// A module of the IR as C++ sources for the CPU: constants, helpers, kernels and the unit's table. A kernel for groups
// (passes/split_at_barriers.h) and one without barriers are loops over the items of a group; any other runs on fibers.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/unit_table.h"
#include "compiler/ir/module.h"
#include "compiler/parser/ast.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler::emit {

struct UnitText {
  std::vector<std::string> texts;  // to be compiled each on its own and linked; the first has the table
  std::vector<CpuKernel> kernels;  // the rows of the table
  bool has_fibers = false;
  uint32_t instructions = 0;  // of the IR, in the largest kernel
};

// `program`: that the module was made of. Kernels are spread over at most `most_texts`.
void cpuUnit(UnitText* unit, const ir::Module& module, uint32_t most_texts, Program& program, const Sources& sources,
             const BuildOptions& options);

}  // namespace manyrt::compiler::emit
