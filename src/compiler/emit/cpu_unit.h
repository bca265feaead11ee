// A module of the IR as one C++ source for the CPU: constants, helpers, kernels and the unit's table. A kernel for groups
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
  std::string text;
  std::vector<std::string> on_fibers;  // names of kernels
  bool has_fibers = false;
};

// `program`: that the module was made of. False: it has what this cannot print, which `why_not` names.
bool cpuUnit(UnitText* unit, std::string* why_not, const ir::Module& module, Program& program, const Sources& sources,
             const BuildOptions& options);

}  // namespace manyrt::compiler::emit
