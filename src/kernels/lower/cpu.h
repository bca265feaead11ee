// A Program as one C++ source for the CPU. The unit it compiles to exports one table, rtHostModule (see rt.h), whose kernels
// run one work-group per call.
#pragma once

#include <string>

#include "kernels/build/options.h"
#include "kernels/front/ast.h"
#include "kernels/front/builtins.h"

namespace manyrt::kernels {

struct CpuUnit {
  std::string text;                  // C++17, no includes
  std::vector<std::string> remarks;  // for the log: kernels that run on fibers, and why
  bool fibers = false;               // some kernel runs on them
  bool contract = true;              // products and sums may be rounded once: no `#pragma OPENCL FP_CONTRACT OFF`
};

// Fails only for what the language allows and this lowering does not: an error with its place in the diagnostics.
bool lowerToCpu(CpuUnit* unit, Program& program, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics);

}  // namespace manyrt::kernels
