// A Program as one C++ source for the CPU. The unit it compiles to exports one table, rtHostModule (see rt.h), whose kernels
// run one work-group per call.
#pragma once

#include <string>

#include "compiler/builtins/builtins.h"
#include "compiler/parser/ast.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler {

// Two texts of one program with the same results and the same memory for a group. One is for the fastest code, the other for
// the fastest compilation.
enum class CpuForm : uint8_t { kOptimized, kQuick };

struct CpuUnit {
  std::vector<std::string> texts;    // C++17, no includes; to be compiled each on its own and linked, the first with the table
  std::vector<std::string> remarks;  // for the log: the form that each region took, and why
  bool fibers = false;               // some kernel runs on them
};

// Fails only for what the language allows and this lowering does not: an error with its place in the diagnostics. `quick` may
// be null: not wanted; its kernels are spread over at most `most_texts`, which can then be compiled at the same time.
bool lowerToCpu(CpuUnit* optimized, CpuUnit* quick, uint32_t most_texts, Program& program, const Sources& sources,
                const BuildOptions& options, Diagnostics& diagnostics);

}  // namespace manyrt::compiler
