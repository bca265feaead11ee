// A unit for the CPU by way of the IR: the tree's reader, the passes, and the printing of C++.
#pragma once

#include <string>

#include "compiler/lowering/cpu/program.h"

namespace manyrt::compiler {

// False: the program has a form that the IR has no room for, which `why_not` names; or, with a sentence in the diagnostics, one
// that no lowering takes.
// `lanes`: work-items go side by side, for the fastest code; else one by one, for the fastest compilation.
bool unitFromIr(CpuUnit* unit, bool lanes, std::string* why_not, Program& program, const Sources& sources,
                const BuildOptions& options, Diagnostics& diagnostics);

// The IR after all passes as text (ir/text.h).
bool irAfterPasses(std::string* text, std::string* why_not, Program& program, const BuildOptions& options,
                   Diagnostics& diagnostics);

}  // namespace manyrt::compiler
