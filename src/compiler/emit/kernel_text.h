// A kernel of the IR as C++: one function for a group, and its row in the unit's table.
#pragma once

#include <string>

#include "compiler/emit/function_text.h"
#include "compiler/emit/unit_table.h"
#include "compiler/ir/module.h"
#include "compiler/parser/ast.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler::emit {

struct KernelCpp {
  std::string text;
  CpuKernel row;
  bool on_fibers = false;
};

// `source`: the same kernel as it was written.
KernelCpp kernelText(const Unit& unit, const ir::Function& kernel, const Function& source, const BuildOptions& options);

}  // namespace manyrt::compiler::emit
