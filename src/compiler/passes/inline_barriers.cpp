// Callees come first, so that what is copied has no such call any more. Values, slots and regions are the copy's own.
#include "compiler/passes/inline_barriers.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace manyrt::compiler::passes {
namespace {

using ir::Function;
using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

class Inlining {
 public:
  explicit Inlining(ir::Module& module) : module_(module) {}

  void run() {
    for (Function* function : module_.functions) visit(*function);
  }

 private:
  // Callees first; calls have an end.
  void visit(Function& function) {
    if (!visited_.insert(&function).second) return;
    bool waits = false;
    std::vector<Function*> callees;
    ir::forEach(*function.body, [&](const Instruction& i) {
      waits = waits || i.op == Opcode::kBarrier;
      if (i.callee != nullptr) callees.push_back(i.callee);
    });
    for (Function* callee : callees) {
      visit(*callee);
      waits = waits || waits_.contains(callee);
    }
    if (!waits) return;
    waits_.insert(&function);
    expand(function, *function.body);
  }

  static bool returnsAtItsEnd(const Function& function) {
    size_t returns = 0;
    ir::forEach(*function.body, [&](const Instruction& i) { returns += i.op == Opcode::kReturn ? 1 : 0; });
    return returns == 1 && function.body->body.back()->op == Opcode::kReturn;
  }

  void expand(Function& function, Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      for (Value*& operand : i->operands) operand = of(operand);
      for (Region* inner : i->regions) expand(function, *inner);
      if (i->callee != nullptr && waits_.contains(i->callee) && returnsAtItsEnd(*i->callee)) {
        copyCall(function, *i, region, &body);
      } else {
        body.push_back(i);
      }
    }
    region.body = std::move(body);
  }

  Value* of(Value* value) const {
    const auto at = copies_.find(value);
    return at == copies_.end() ? value : at->second;
  }

  void copyCall(Function& caller, const Instruction& call, Region& region, std::vector<Instruction*>* body) {
    const Function& callee = *call.callee;
    slots_.clear();
    for (const ir::Object* slot : callee.slots) {
      ir::Object* own = module_.makeObject();
      *own = *slot;
      own->id = static_cast<uint32_t>(caller.slots.size());
      caller.slots.push_back(own);
      slots_[slot] = own;
    }
    for (size_t k = 0; k < call.operands.size(); ++k) copies_[callee.body->parameters[k]] = call.operands[k];
    for (const Instruction* i : callee.body->body) {
      if (i->op != Opcode::kReturn) {
        body->push_back(copy(caller, *i, region));
      } else if (call.result() != nullptr) {
        copies_[call.result()] = of(i->operands[0]);
      }
    }
  }

  Instruction* copy(Function& caller, const Instruction& i, Region& region) {
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
        own->parameters.push_back(module_.makeValue(caller, parameter->type, nullptr));
        copies_[parameter] = own->parameters.back();
      }
      for (const Instruction* each : inner->body) own->body.push_back(copy(caller, *each, *own));
    }
    for (const Value* result : i.results) copies_[result] = module_.makeValue(caller, result->type, made);
    return made;
  }

  ir::Module& module_;
  std::unordered_set<const Function*> visited_, waits_;
  std::unordered_map<const Value*, Value*> copies_;
  std::unordered_map<const ir::Object*, ir::Object*> slots_;
};

}  // namespace

void inlineBarriers(ir::Module& module) { Inlining(module).run(); }

}  // namespace manyrt::compiler::passes
