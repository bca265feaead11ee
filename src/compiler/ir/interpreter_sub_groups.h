// The results of sub-group functions for each work-item, from the values that all items have given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir/evaluate.h"
#include "compiler/ir/interpreter_state.h"
#include "compiler/unit.h"

namespace manyrt::compiler::ir {

// The items of a sub-group at one function: those that have not ended give a value, and some functions a number of an item.
struct SubGroupRound {
  const Instruction* at = nullptr;  // one of the calls; null: no item has come to one
  uint64_t values[kSubGroupItems] = {};
  uint64_t indices[kSubGroupItems] = {};
  uint32_t members = 0;

  // From the sub-group that begins with item `first`. False: the items are at different functions.
  bool collect(const std::vector<Item>& items, size_t first);
  // The result for an item. False: there is no such function.
  bool give(Bits* result, uint32_t item) const;
};

}  // namespace manyrt::compiler::ir
