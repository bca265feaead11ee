// Goes backwards from the end of a region. An `if` qualifies if one of its sides jumps to the same place as the region's end,
// and the other one yields. The instructions after the `if` move into that other side, and the operands of the region's end
// become results of the `if`.
#include "compiler/passes/join_jumps.h"

#include <algorithm>
#include <vector>

#include "compiler/passes/control.h"
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

class Jumps {
 public:
  Jumps(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  // Each join puts the later ones one level deeper: from a number of them on, the others stay jumps.
  void region(Region& region) {
    size_t joins = 0;
    for (size_t at = region.body.size(); at-- > 0;) {
      Instruction& i = *region.body[at];
      for (Region* inner : i.regions) this->region(*inner);
      if (at + 1 < region.body.size() && joins < kMostLevels && join(region, at)) ++joins;
    }
  }
  void finish() {
    ir::forEach(*function_.body, [&](Instruction& i) { replaced_.apply(i); });
  }

 private:
  static constexpr size_t kMostLevels = 100;

  static bool isJump(Opcode op) { return op == Opcode::kContinue || op == Opcode::kLeave || op == Opcode::kBreak; }

  bool join(Region& region, size_t at) {
    Instruction& own = *region.body[at];
    Instruction& end = *region.body.back();
    if (own.op != Opcode::kIf || !isJump(end.op)) return false;
    const auto ends = [&](size_t side, Opcode op) { return own.regions[side]->body.back()->op == op; };
    const size_t jumping = ends(0, end.op) ? 0 : 1, other = 1 - jumping;
    if (!ends(jumping, end.op) || !ends(other, Opcode::kYield)) return false;
    Instruction& jump = *own.regions[jumping]->body.back();
    if (targetOf(jump) != targetOf(end)) return false;
    const bool waits = std::any_of(region.body.begin() + static_cast<ptrdiff_t>(at) + 1, region.body.end(),
                                   [](const Instruction* i) { return contains(*i, Opcode::kBarrier); });
    if (waits) return false;

    Region& rest = *own.regions[other];
    for (size_t k = 0; k < own.results.size(); ++k) replaced_.replace(own.results[k], rest.body.back()->operands[k]);
    rest.body.pop_back();
    for (size_t k = at + 1; k + 1 < region.body.size(); ++k) {
      region.body[k]->parent = &rest;
      rest.body.push_back(region.body[k]);
    }
    Instruction* yield = module_.makeInstruction(Opcode::kYield);
    yield->where = end.where;
    yield->operands = end.operands;
    yield->parent = &rest;
    rest.body.push_back(yield);
    jump.op = Opcode::kYield;
    own.results.clear();
    for (Value*& operand : end.operands) operand = module_.makeValue(function_, operand->type, &own);
    region.body.erase(region.body.begin() + static_cast<ptrdiff_t>(at) + 1, region.body.end() - 1);
    return true;
  }

  static bool contains(const Instruction& i, Opcode op) {
    bool found = i.op == op;
    for (const Region* inner : i.regions) ir::forEach(*inner, [&](const Instruction& each) { found = found || each.op == op; });
    return found;
  }

  ir::Module& module_;
  ir::Function& function_;
  Replacements replaced_;
};

}  // namespace

void joinJumps(ir::Module& module) {
  if (module.vector_bytes == 0) return;
  for (ir::Function* function : module.functions) {
    Jumps jumps(module, *function);
    jumps.region(*function->body);
    jumps.finish();
  }
}

}  // namespace manyrt::compiler::passes
