// Which variables of a function can bear the names that the source gives them, in code for a debugger. Else each has a number
// after its name: the text of a kernel moves declarations out of their blocks, where two of one name would meet.
#pragma once

#include <set>
#include <string>

#include "compiler/lowering/cpu/group_plan.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Whether a name means nothing else in C++ and in generated text.
bool isFreeName(const std::string& name);

// `plan`: of a kernel that is split; null: the function's text has the blocks of the source. Variables with an id from
// `first_made` on are the lowering's.
void addUsersNames(std::set<const Variable*>* names, const Function& function, const GroupPlan* plan, uint32_t first_made);

}  // namespace manyrt::compiler
