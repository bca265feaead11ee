// Uses of values: their number, and replacing one value by another in one walk.
#pragma once

#include <unordered_map>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

// How often each value is an operand.
std::unordered_map<const ir::Value*, uint32_t> countUses(const ir::Function& function);

// Values to be replaced, as a pass finds them in the order of the walk; chains end at a value that stays.
class Replacements {
 public:
  void replace(const ir::Value* value, ir::Value* by) { by_[value] = by; }
  ir::Value* of(ir::Value* value) const {
    for (auto at = by_.find(value); at != by_.end(); at = by_.find(value)) value = at->second;
    return value;
  }
  void apply(ir::Instruction& instruction) const {
    for (ir::Value*& operand : instruction.operands) operand = of(operand);
  }

 private:
  std::unordered_map<const ir::Value*, ir::Value*> by_;
};

}  // namespace manyrt::compiler::passes
