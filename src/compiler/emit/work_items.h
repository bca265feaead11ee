// get_global_id and its like in the text of a kernel and of its helpers.
#pragma once

#include <cstdint>
#include <string>

namespace manyrt::compiler {

enum class WorkItem : uint8_t;  // builtins.h

namespace emit {

// An id or size of a constant dimension; -1: of the one that `expression` gives. A kernel has it as a variable, a helper as a
// member of the item that it is given. `joins`: of a kernel that joins groups (unit.h), which knows how many items the launch
// has, and not how many groups.
std::string workItemText(WorkItem which, int dimension, const std::string& expression, bool in_kernel, bool joins);
const char* itemText(bool in_kernel, bool joins);  // the item that a helper is given
std::string firstItemText(bool in_kernel);         // whether this is the first item of its group
extern const char kItemStruct[];                   // mrt_item, which helpers are given

}  // namespace emit

}  // namespace manyrt::compiler
