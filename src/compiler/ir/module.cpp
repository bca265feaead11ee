// The parts of a module as they are made. Nothing is given back before the module ends.
#include "compiler/ir/module.h"

namespace manyrt::compiler::ir {

Function* Module::find(std::string_view name) const {
  for (Function* function : functions) {
    if (function->name == name) return function;
  }
  return nullptr;
}

namespace {

// The number of operands that a load or a store always has.
size_t plainOperands(const Instruction& i) {
  return i.op == Opcode::kLoad ? 1 : i.op == Opcode::kStore ? 2 : i.operands.size();
}

}  // namespace

Value* Instruction::step() const {
  const size_t at = plainOperands(*this);
  return at < operands.size() && !operands[at]->type.hasLanes() ? operands[at] : nullptr;
}

Value* Instruction::mask() const {
  return plainOperands(*this) < operands.size() && operands.back()->type.hasLanes() ? operands.back() : nullptr;
}

Region* Module::makeRegion(Instruction* owner) {
  Region* region = &regions_.emplace_back();
  region->owner = owner;
  if (owner != nullptr) owner->regions.push_back(region);
  return region;
}

Instruction* Module::makeInstruction(Opcode op) {
  Instruction* instruction = &instructions_.emplace_back();
  instruction->op = op;
  return instruction;
}

Value* Module::makeValue(Function& function, Type type, Instruction* by) {
  Value* value = &values_.emplace_back();
  value->type = type;
  value->id = function.next_value++;
  value->by = by;
  if (by != nullptr) by->results.push_back(value);
  return value;
}

}  // namespace manyrt::compiler::ir
