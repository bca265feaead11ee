// A unit for the CPU: the tree's reader makes IR of a program, passes change it, and C++ is printed. The unit exports one
// table, rtHostModule (see rt.h), whose kernels run one work-group per call.
#pragma once

#include <string>
#include <vector>

#include "compiler/parser/ast.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler {

// Two kinds of text of one program, with the same results. One is for the fastest code, where work-items go side by side. The
// other is for the fastest compilation, where they go one by one.
enum class CpuForm : uint8_t { kOptimized, kQuick };

struct CpuUnit {
  std::vector<std::string> texts;    // C++17, no includes; to be compiled each on its own and linked, the first with the table
  std::vector<std::string> remarks;  // for the log: how kernels run, and why
  std::vector<std::string> entries;  // names of functions that are not local to a text
  bool fibers = false;               // some kernel runs on them
  bool constructor = false;          // code that runs when the unit is loaded
  uint32_t largest = 0;              // expressions of the largest kernel: kernelSize()
  uint32_t instructions = 0;         // of the IR that its text was made of, in the largest kernel
};

// False: with a sentence in the diagnostics, what the language allows and no lowering takes; else `why_not` says what is wrong
// with the IR, which is a defect of the library. `most_texts`: over which quick code is spread, to be compiled at the same
// time.
bool makeCpuUnit(CpuUnit* unit, CpuForm form, uint32_t most_texts, std::string* why_not, Program& program,
                 const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics);

// The IR of optimised code after all passes as text (ir/text.h).
bool irAfterPasses(std::string* text, std::string* why_not, Program& program, const BuildOptions& options,
                   Diagnostics& diagnostics);

}  // namespace manyrt::compiler
