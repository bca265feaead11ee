// Uses of values, counted over all regions of a function, those inside of others too.
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {

std::unordered_map<const ir::Value*, uint32_t> countUses(const ir::Function& function) {
  std::unordered_map<const ir::Value*, uint32_t> uses;
  ir::forEach(*function.body, [&](const ir::Instruction& instruction) {
    for (const ir::Value* operand : instruction.operands) ++uses[operand];
  });
  return uses;
}

}  // namespace manyrt::compiler::passes
