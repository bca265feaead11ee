// Operands that were copied are replaced by their copies. All others are values from outside of the copied code, and stay.
#include "compiler/passes/copy.h"

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Region;
using ir::Value;

void Copier::takeSlots(const ir::Function& from) {
  for (const ir::Object* slot : from.slots) {
    ir::Object* own = module_.makeObject();
    *own = *slot;
    own->id = static_cast<uint32_t>(to_.slots.size());
    to_.slots.push_back(own);
    slots_[slot] = own;
  }
}

Instruction* Copier::copy(const Instruction& i, Region& region) {
  Instruction* made = module_.makeInstruction(i.op);
  *made = i;
  made->parent = &region;
  made->results.clear();
  made->regions.clear();
  for (Value*& operand : made->operands) operand = of(operand);
  if (const auto slot = slots_.find(i.object); slot != slots_.end()) made->object = slot->second;
  for (const Region* inner : i.regions) {
    Region* own = module_.makeRegion(made);
    for (const Value* parameter : inner->parameters) {
      own->parameters.push_back(module_.makeValue(to_, parameter->type, nullptr));
      replace(parameter, own->parameters.back());
    }
    for (const Instruction* each : inner->body) own->body.push_back(copy(*each, *own));
  }
  for (const Value* result : i.results) replace(result, module_.makeValue(to_, result->type, made));
  return made;
}

ir::Function* copyAsHelper(ir::Module& module, const ir::Function& kernel) {
  ir::Function* made = module.makeFunction();
  made->name = kernel.name + ".called";
  made->result = kernel.result;
  made->parameter_names = kernel.parameter_names;
  made->parameter_bytes = kernel.parameter_bytes;
  made->body = module.makeRegion(nullptr);
  Copier copier(module, *made);
  copier.takeSlots(kernel);
  for (const Value* parameter : kernel.body->parameters) {
    made->body->parameters.push_back(module.makeValue(*made, parameter->type, nullptr));
    copier.replace(parameter, made->body->parameters.back());
  }
  for (const Instruction* i : kernel.body->body) made->body->body.push_back(copier.copy(*i, *made->body));
  module.functions.push_back(made);
  return made;
}

}  // namespace manyrt::compiler::passes
