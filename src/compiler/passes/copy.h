// Copies of instructions with their regions, for passes that put code in a second place. The copy has values and regions of its
// own, and slots where the caller says so.
#pragma once

#include <unordered_map>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

class Copier {
 public:
  Copier(ir::Module& module, ir::Function& to) : module_(module), to_(to) {}

  // From here on `value` is `by` in what is copied.
  void replace(const ir::Value* value, ir::Value* by) { values_[value] = by; }
  ir::Value* of(ir::Value* value) const {
    const auto at = values_.find(value);
    return at == values_.end() ? value : at->second;
  }
  // The function gets slots like those of another, in whose place they are from here on.
  void takeSlots(const ir::Function& from);
  ir::Instruction* copy(const ir::Instruction& instruction, ir::Region& region);

 private:
  ir::Module& module_;
  ir::Function& to_;
  std::unordered_map<const ir::Value*, ir::Value*> values_;
  std::unordered_map<const ir::Object*, ir::Object*> slots_;
};

// The same function again, as one that is no kernel.
ir::Function* copyAsHelper(ir::Module& module, const ir::Function& kernel);

}  // namespace manyrt::compiler::passes
