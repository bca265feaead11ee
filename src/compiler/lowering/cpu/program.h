// A Program as one C++ source for the CPU. The unit it compiles to exports one table, rtHostModule (see rt.h), whose kernels
// run one work-group per call.
#pragma once

#include <string>

#include "compiler/builtins/builtins.h"
#include "compiler/parser/ast.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler {

// Two kinds of text of one program with the same results: one for the fastest code (pipeline/ir_unit.h), the other for the
// fastest compilation.
enum class CpuForm : uint8_t { kOptimized, kQuick };

struct CpuUnit {
  std::vector<std::string> texts;    // C++17, no includes; to be compiled each on its own and linked, the first with the table
  std::vector<std::string> remarks;  // for the log: how kernels run, and why
  bool fibers = false;               // some kernel runs on them
  uint32_t largest = 0;              // expressions of the largest kernel: kernelSize()
};

// Expressions of a kernel and of the helpers that it calls, each once; those of vectors count for each component. What a
// compiler needs grows faster than this number, so that longer kernels get less of its work: above kLongKernel they run their
// items one by one, without vectors, and are compiled with fewer optimisations (compiler/pipeline/cpu.cpp).
inline constexpr uint32_t kLongKernel = 6000;
uint32_t kernelSize(const Function& kernel);

// The quick text. Fails only for what the language allows and this lowering does not: an error with its place in the
// diagnostics. Kernels are spread over at most `most_texts`, which can then be compiled at the same time.
bool lowerToCpu(CpuUnit* unit, uint32_t most_texts, Program& program, const Sources& sources, const BuildOptions& options,
                Diagnostics& diagnostics);

}  // namespace manyrt::compiler
