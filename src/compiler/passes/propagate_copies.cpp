// Optimistic: a carried value counts as the only one that has reached it so far. It counts as itself once there are two, or
// where that one is not visible. So values that only hand each other round fall together too.
#include "compiler/passes/propagate_copies.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/passes/control.h"
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

class Copies {
 public:
  explicit Copies(ir::Function& function) : function_(function) {}

  void run() {
    note(function_.body->parameters, *function_.body);
    collect(*function_.body);
    while (meetAll()) {
    }
    Replacements replaced;
    for (const Carried& each : carried_) {
      if (each.is != nullptr && each.is != each.value) replaced.replace(each.value, each.is);
    }
    ir::forEach(*function_.body, [&](Instruction& i) { replaced.apply(i); });
  }

 private:
  struct Carried {
    Value* value;
    std::vector<Value*> from;
    Value* is = nullptr;  // null: nothing has reached it
  };

  void note(const std::vector<Value*>& values, const Region& region) {
    for (const Value* value : values) homes_[value] = &region;
  }

  void carry(const std::vector<Value*>& operands, size_t first, const std::vector<Value*>& to) {
    for (size_t k = 0; k < to.size(); ++k) {
      const auto [at, is_new] = numbers_.emplace(to[k], carried_.size());
      if (is_new) carried_.push_back({to[k], {}});
      carried_[at->second].from.push_back(operands[first + k]);
    }
  }

  // The results of items and `each` are made of one item's value, or of all lanes': no copies.
  void collect(const Region& region) {
    for (Instruction* i : region.body) {
      note(i->results, region);
      if (ir::isTerminator(i->op) && i->op != Opcode::kReturn) {
        const Instruction* target = targetOf(*i);
        if (target->op != Opcode::kItems && target->op != Opcode::kEach) carry(i->operands, 0, receivers(*i, *target));
      }
      if (i->op == Opcode::kLoop) carry(i->operands, 0, i->regions[0]->parameters);
      if (i->op == Opcode::kSwitch) {
        for (const Region* inner : i->regions) carry(i->operands, 1, inner->parameters);
        if (i->otherwise < 0) carry(i->operands, 1, i->results);
      }
      for (const Region* inner : i->regions) {
        note(inner->parameters, *inner);
        collect(*inner);
      }
    }
  }

  bool isSeen(const Value* value, const Value* from) const {
    const Region* home = homes_.at(value);
    for (const Region* at = homes_.at(from);; at = at->owner->parent) {
      if (at == home) return true;
      if (at->owner == nullptr) return false;
    }
  }

  bool meetAll() {
    bool changed = false;
    for (Carried& each : carried_) {
      if (each.is == each.value) continue;
      Value* met = each.is;
      for (Value* from : each.from) {
        const auto at = numbers_.find(from);
        Value* is = at == numbers_.end() ? from : carried_[at->second].is;
        if (is == nullptr || is == met) continue;
        met = met == nullptr && isSeen(is, each.value) ? is : each.value;
        if (met == each.value) break;
      }
      changed |= met != each.is;
      each.is = met;
    }
    return changed;
  }

  ir::Function& function_;
  std::vector<Carried> carried_;
  std::unordered_map<const Value*, size_t> numbers_;       // of those in carried_
  std::unordered_map<const Value*, const Region*> homes_;  // where each value is made
};

}  // namespace

void propagateCopies(ir::Module& module) {
  for (ir::Function* function : module.functions) Copies(*function).run();
}

}  // namespace manyrt::compiler::passes
