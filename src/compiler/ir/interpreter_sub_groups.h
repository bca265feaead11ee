// What the functions of a sub-group give each of its work-items, from the values that all of them have given.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/ir/evaluate.h"
#include "compiler/unit.h"

namespace manyrt::compiler::ir {

// The items of a sub-group at one function: those that have not ended give a value, and some functions a number of an item.
struct SubGroupRound {
  uint64_t values[kSubGroupItems] = {};
  uint64_t indices[kSubGroupItems] = {};
  uint32_t members = 0;
};

// `signature`: "float sub_group_reduce_add(float)", whose words say whether a number has a sign. `type`: of the values. False:
// there is no such function.
bool subGroupResult(Bits* result, std::string_view signature, Type type, const SubGroupRound& round, uint32_t item);

}  // namespace manyrt::compiler::ir
