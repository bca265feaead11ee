// Callees come first, so that what is copied has no such call any more. Values, slots and regions are the copy's own.
#include "compiler/passes/inline_barriers.h"

#include <unordered_set>
#include <vector>

#include "compiler/passes/copy.h"

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
    Copier copier(module_, function);
    expand(copier, *function.body);
  }

  static bool returnsAtItsEnd(const Function& function) {
    size_t returns = 0;
    ir::forEach(*function.body, [&](const Instruction& i) { returns += i.op == Opcode::kReturn ? 1 : 0; });
    return returns == 1 && function.body->body.back()->op == Opcode::kReturn;
  }

  void expand(Copier& copier, Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      for (Value*& operand : i->operands) operand = copier.of(operand);
      for (Region* inner : i->regions) expand(copier, *inner);
      if (i->callee != nullptr && waits_.contains(i->callee) && returnsAtItsEnd(*i->callee)) {
        copyCall(copier, *i, region, &body);
      } else {
        body.push_back(i);
      }
    }
    region.body = std::move(body);
  }

  static void copyCall(Copier& copier, const Instruction& call, Region& region, std::vector<Instruction*>* body) {
    const Function& callee = *call.callee;
    copier.takeSlots(callee);
    for (size_t k = 0; k < call.operands.size(); ++k) copier.replace(callee.body->parameters[k], call.operands[k]);
    for (const Instruction* i : callee.body->body) {
      if (i->op != Opcode::kReturn) {
        body->push_back(copier.copy(*i, region));
      } else if (call.result() != nullptr) {
        copier.replace(call.result(), copier.of(i->operands[0]));
      }
    }
  }

  ir::Module& module_;
  std::unordered_set<const Function*> visited_, waits_;
};

}  // namespace

void inlineBarriers(ir::Module& module) { Inlining(module).run(); }

}  // namespace manyrt::compiler::passes
