// Loads, stores and all operations that connect them are one set. If each operation in it works by elements (isByElements), the
// rows are kept.
#include "compiler/passes/lanes/keep_rows.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/passes/lanes/pack_components.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Type;
using ir::Value;

bool isRowAccess(const Instruction& i, Type type) {
  return type.isVector() && !i.is_volatile && i.mask() == nullptr && i.numbers.size() == 1 &&
         i.numbers[0] == ir::packedBytesOf(type);
}

class Rows {
 public:
  explicit Rows(Region& region) {
    ir::forEach(region, [&](Instruction& i) {
      for (const Value* each : i.operands) users_[each].push_back(&i);
      if (i.op == Opcode::kStore && isRowAccess(i, i.operands[0]->type)) stores_.push_back(&i);
    });
  }

  void run() {
    for (Instruction* store : stores_) keep(*store);
  }

 private:
  static constexpr size_t kMost = 256;  // operations that are connected

  void keep(Instruction& store) {
    std::vector<Instruction*> found = {&store};
    std::unordered_set<const Instruction*> seen = {&store};
    const auto reach = [&](Instruction* i) {
      if (seen.insert(i).second) found.push_back(i);
    };
    for (size_t at = 0; at < found.size(); ++at) {
      Instruction& i = *found[at];
      if (found.size() > kMost || !mayKeep(i)) return;
      const size_t values = i.op == Opcode::kLoad ? 0 : i.op == Opcode::kStore ? 1 : i.operands.size();
      for (size_t k = 0; k < values; ++k) {
        const Value& operand = *i.operands[k];
        if (!operand.type.hasLanes()) continue;
        if (operand.by == nullptr) return;
        reach(operand.by);
      }
      if (i.result() == nullptr) continue;
      for (Instruction* user : users_[i.result()]) reach(user);
    }
    for (Instruction* each : found) {
      if (each->op == Opcode::kLoad || each->op == Opcode::kStore) each->in_order = true;
    }
  }

  // A value without lanes has to be the same in each component, too.
  bool mayKeep(const Instruction& i) const {
    if (i.op == Opcode::kLoad) return isRowAccess(i, i.result()->type);
    if (i.op == Opcode::kStore) return isRowAccess(i, i.operands[0]->type) && i.operands[0]->type.hasLanes();
    if (!isByElements(i) || !i.result()->type.isVector() || !i.result()->type.hasLanes()) return false;
    return std::all_of(i.operands.begin(), i.operands.end(), [](const Value* each) {
      if (each->type.hasLanes() || !each->type.isVector()) return each->type.isVector() || !each->type.hasLanes();
      const Instruction* by = each->by;
      if (by == nullptr) return false;
      const std::vector<uint64_t>& numbers = by->numbers;
      return by->op == Opcode::kSplat ||
             (by->op == Opcode::kConstant &&
              std::all_of(numbers.begin(), numbers.end(), [&](uint64_t n) { return n == numbers[0]; }));
    });
  }

  std::unordered_map<const Value*, std::vector<Instruction*>> users_;
  std::vector<Instruction*> stores_;
};

}  // namespace

void keepRows(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    if (!function->for_groups) continue;
    ir::forEach(*function->body, [&](const Instruction& i) {
      if (i.op != Opcode::kItems || i.lanes == 1) return;
      for (size_t k = 0; k < i.regions.size(); ++k) {
        if (k != 1) Rows(*i.regions[k]).run();  // the second one has a mask
      }
    });
  }
}

}  // namespace manyrt::compiler::passes
