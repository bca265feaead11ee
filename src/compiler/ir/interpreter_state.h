// The state of a work-item while it is interpreted: its calls, their values and the regions that they are in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir/interpret.h"

namespace manyrt::compiler::ir {

// Where each value of a function lies among the words of a call.
struct Layout {
  std::vector<uint32_t> places;  // by id
  uint32_t words = 0;
};

struct Position {
  const Region* region;
  size_t next = 0;
  uint32_t lane = 0;  // of a region of an each
};

struct Call {
  const Function* function;
  const Layout* layout;
  const Instruction* caller = nullptr;
  std::vector<uint64_t> words;
  std::vector<uint64_t> slots;                     // addresses
  std::vector<std::vector<uint64_t>> items_slots;  // of a kernel for groups: for each item, of those that it has for itself
  std::vector<bool> ended;                         // the same: whether an item has
  size_t item = 0;                                 // the same: which one acts
  std::vector<Position> stack;
  Observer::Turns turns;  // where there is an observer
};

struct Item {
  uint64_t local_id[3];
  std::vector<Call> calls;
  const Instruction* barrier = nullptr;   // where it waits
  const Instruction* exchange = nullptr;  // where it has given a value to its sub-group
  bool ended() const { return calls.empty(); }
};

}  // namespace manyrt::compiler::ir
