// What get_global_id and its like are in the text of a kernel and of its helpers.
#pragma once

#include "compiler/lowering/cpp/text.h"

namespace manyrt::compiler {

// Writes the ids and sizes of work-items: in a kernel as its variables, in a helper as members of the item that it is given.
// `joins`: of a kernel that joins groups (unit.h), which knows how many items the launch has, and not how many groups.
void setWorkItemText(CppText& text, bool in_kernel, bool joins);

// The same without a text: an id or size, of a constant dimension or (-1) of the one that `expression` gives. The item that a
// helper is given, and whether this is the first item of its group.
std::string workItemText(WorkItem which, int dimension, const std::string& expression, bool in_kernel, bool joins);
const char* itemText(bool in_kernel, bool joins);
std::string firstItemText(bool in_kernel);
extern const char kItemStruct[];  // mrt_item, which helpers are given

}  // namespace manyrt::compiler
