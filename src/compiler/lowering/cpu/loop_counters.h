// Counters of loops that are read behind them. While lanes are in a loop, a counter that all of them step is the same for all;
// behind it each has what it had when it left. With a variable for each of the two, the first is a scalar, and what it is an
// index of lies next to each other: `while (i < n && text[at + i] == word[i]) ++i; found[at] = i == n;`.
#pragma once

#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Changes the tree of a function's body, not what it computes. Functions with a goto are left as they are.
void separateLoopCounters(Program& program, Function& function);

}  // namespace manyrt::compiler
