// A Program as one CUDA C++ source for NVRTC: no includes, one work-item per thread.
#pragma once

#include <string>
#include <vector>

#include "compiler/image.h"
#include "compiler/parser/ast.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler {

struct CudaUnit {
  std::string text;  // C++20 with the names of cuda_names.h
  std::vector<CudaKernel> kernels;
  std::vector<CudaGlobal> globals;
  bool contract = true;              // products and sums may be rounded once: no `#pragma OPENCL FP_CONTRACT OFF`
  std::vector<std::string> unknown;  // names that CUDA does not have: always empty, or this library has a mistake
};

// Fails only for what the language allows and this lowering does not: an error with its place in the diagnostics.
bool lowerToCuda(CudaUnit* unit, Program& program, const Sources& sources, const BuildOptions& options,
                 Diagnostics& diagnostics);

}  // namespace manyrt::compiler
