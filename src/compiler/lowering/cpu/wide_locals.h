// Variables of one or two bytes that a loop sets now and then, as in `if (x[k] > best) { best = x[k]; from = (uchar)k; }`. What
// decides are masks as wide as an int, and for such a variable each of them would have to be made narrow. It becomes an int,
// which has the same values: what is assigned is converted to the narrow type first, and so is what is read.
#pragma once

#include "compiler/lowering/cpu/group_plan.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Changes the tree of a kernel's body, not what it computes. Variables that one of the plans keeps in memory stay; `other` may
// be null.
void widenLocals(Program& program, Function& kernel, const GroupPlan& plan, const GroupPlan* other);

}  // namespace manyrt::compiler
