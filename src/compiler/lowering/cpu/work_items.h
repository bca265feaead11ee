// What get_global_id and its like are in the text of a kernel and of its helpers.
#pragma once

#include "compiler/lowering/cpp/text.h"

namespace manyrt::compiler {

// Writes the ids and sizes of work-items: in a kernel as its variables, in a helper as members of the item that it is given.
// `joins`: of a kernel that joins groups (unit.h), which knows how many items the launch has, and not how many groups.
void setWorkItemText(CppText& text, bool in_kernel, bool joins);

}  // namespace manyrt::compiler
