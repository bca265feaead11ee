// Callees come first, so that what is copied has no such call any more. Values, slots and regions are the copy's own. A
// function that returns elsewhere than at its end becomes a `switch` of one region, which its returns leave; where one stands
// inside of another switch, or the function waits, it stays a function.
#include "compiler/passes/inline_calls.h"

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
    if (waits) waits_.insert(&function);
    if (!waits && module_.vector_bytes == 0) return;
    Copier copier(module_, function);
    function_ = &function;
    taken_ = 0;
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
      if (i->callee == nullptr || !isTaken(*i->callee)) {
        body.push_back(i);
      } else if (returnsAtItsEnd(*i->callee)) {
        copyCall(copier, *i, region, &body);
      } else if (!waits_.contains(i->callee) && isLeft(*i->callee->body, false)) {
        copyAsSwitch(copier, *i, region, &body);
      } else {
        body.push_back(i);
      }
    }
    region.body = std::move(body);
  }

  // Functions with barriers are always taken. Others are if lanes are wanted, they are short, and the caller has not taken too
  // many by now.
  bool isTaken(const Function& callee) {
    if (waits_.contains(&callee)) return true;
    if (module_.vector_bytes == 0) return false;
    size_t size = 0;
    ir::forEach(*callee.body, [&](const Instruction&) { ++size; });
    if (size > kLongest || taken_ + size > kMost) return false;
    taken_ += size;
    return true;
  }

  // Whether each return can be a `leave` of a switch around the body.
  static bool isLeft(const Region& region, bool in_switch) {
    for (const Instruction* i : region.body) {
      if (i->op == Opcode::kReturn && in_switch) return false;
      for (const Region* inner : i->regions) {
        if (!isLeft(*inner, in_switch || i->op == Opcode::kSwitch)) return false;
      }
    }
    return true;
  }

  void copyAsSwitch(Copier& copier, const Instruction& call, Region& region, std::vector<Instruction*>* body) {
    const Function& callee = *call.callee;
    copier.takeSlots(callee);
    for (size_t k = 0; k < call.operands.size(); ++k) copier.replace(callee.body->parameters[k], call.operands[k]);
    Instruction* chooser = module_.makeInstruction(Opcode::kConstant);
    chooser->numbers = {0};
    chooser->parent = &region;
    Instruction* block = module_.makeInstruction(Opcode::kSwitch);
    block->operands = {module_.makeValue(*function_, {ir::Kind::kI32}, chooser)};
    block->parent = &region;
    block->where = call.where;
    block->cases.emplace_back();
    block->otherwise = 0;
    Region* inner = module_.makeRegion(block);
    for (const Instruction* i : callee.body->body) inner->body.push_back(copier.copy(*i, *inner));
    ir::forEach(*inner, [](Instruction& i) {
      if (i.op == Opcode::kReturn) i.op = Opcode::kLeave;
    });
    body->insert(body->end(), {chooser, block});
    if (call.result() != nullptr) copier.replace(call.result(), module_.makeValue(*function_, call.result()->type, block));
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

  static constexpr size_t kLongest = 4000, kMost = 20000;  // instructions

  ir::Module& module_;
  Function* function_ = nullptr;  // that calls
  size_t taken_ = 0;              // instructions that it has in the place of calls
  std::unordered_set<const Function*> visited_, waits_;
};

}  // namespace

void inlineCalls(ir::Module& module) { Inlining(module).run(); }

}  // namespace manyrt::compiler::passes
