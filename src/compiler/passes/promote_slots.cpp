// One walk over a function. At each point the walk knows the value of each promoted slot. An if, a loop and a switch carry the
// slots that something inside of them stores. These are further results, and for a loop or a switch further parameters of its
// regions. A slot that is read before it is stored is zero; the language leaves it open.
#include "compiler/passes/promote_slots.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Object;
using ir::Opcode;
using ir::Region;
using ir::Shape;
using ir::Value;

class Promotion {
 public:
  Promotion(ir::Module& module, ir::Function& function, Region& region)
      : module_(module), function_(function), region_(region) {}

  // `asked`: slots that nothing outside of the region has. `all`: also where that makes very many parameters.
  void run(const std::vector<Object*>& asked, bool all) {
    findSlots({asked.begin(), asked.end()});
    if (!all) leaveMany();
    if (types_.empty()) return;
    Now now;
    std::vector<Instruction*> zeros;
    for (const Object* slot : function_.slots) {
      const auto type = types_.find(slot);
      if (type == types_.end()) continue;
      Instruction* zero = module_.makeInstruction(Opcode::kConstant);
      zero->numbers.assign(type->second.components, 0);
      zero->parent = &region_;
      now[slot] = module_.makeValue(function_, type->second.plain(), zero);
      zeros.push_back(zero);
      if (!type->second.hasLanes()) continue;
      Instruction* spread = module_.makeInstruction(Opcode::kSpread);
      spread->operands = {now[slot]};
      spread->parent = &region_;
      now[slot] = module_.makeValue(function_, type->second, spread);
      zeros.push_back(spread);
    }
    walk(region_, now);
    region_.body.insert(region_.body.begin(), zeros.begin(), zeros.end());
    removeSlots();
  }

 private:
  using Now = std::map<const Object*, Value*>;  // the value of each slot
  using Slots = std::vector<const Object*>;     // in the order in which they are carried

  // --- which slots

  static const Object* slotOf(const Value* pointer) {
    const Instruction* by = pointer->by;
    if (by == nullptr || by->op != Opcode::kAddress || by->object->space != AddressSpace::kPrivate) return nullptr;
    return by->object;
  }

  void findSlots(const std::set<const Object*>& asked) {
    std::set<const Object*> kept;
    const auto access = [&](const Object* slot, ir::Type type, bool is_volatile) {
      if (slot == nullptr || !asked.contains(slot)) return;
      const auto [at, is_new] = types_.emplace(slot, type);
      if (at->second != type || is_volatile) kept.insert(slot);
    };
    ir::forEach(region_, [&](const Instruction& i) {
      for (size_t k = 0; k < i.operands.size(); ++k) {
        const bool through = (i.op == Opcode::kLoad && k == 0) || (i.op == Opcode::kStore && k == 1);
        if (const Object* slot = slotOf(i.operands[k]); slot != nullptr && !through) kept.insert(slot);
      }
      if (i.op == Opcode::kLoad) access(slotOf(i.operands[0]), i.result()->type, i.is_volatile);
      if (i.op == Opcode::kStore) access(slotOf(i.operands[1]), i.operands[0]->type, i.is_volatile);
    });
    for (const Object* slot : kept) types_.erase(slot);
  }

  // A switch has a parameter for each of its slots in each region: where that would be too many, the slots stay what they are.
  void leaveMany() {
    std::set<const Object*> left;
    ir::forEach(region_, [&](const Instruction& i) {
      if (i.op != Opcode::kSwitch || i.regions.size() * types_.size() <= kMostCarried) return;
      std::set<const Object*> stored;
      for (const Region* inner : i.regions) {
        ir::forEach(*inner, [&](const Instruction& each) {
          if (each.op == Opcode::kStore && types_.contains(slotOf(each.operands[1]))) stored.insert(slotOf(each.operands[1]));
        });
      }
      if (i.regions.size() * stored.size() > kMostCarried) left.insert(stored.begin(), stored.end());
    });
    for (const Object* slot : left) types_.erase(slot);
  }

  // Slots that something inside of an instruction stores.
  const Slots& carried(const Instruction& instruction) {
    const auto [at, is_new] = carried_.try_emplace(&instruction);
    if (!is_new) return at->second;
    std::set<uint32_t> stored;
    for (const Region* region : instruction.regions) {
      ir::forEach(*region, [&](const Instruction& inner) {
        if (inner.op != Opcode::kStore) return;
        const Object* slot = slotOf(inner.operands[1]);
        if (slot != nullptr && types_.contains(slot)) stored.insert(slot->id);
      });
    }
    for (const uint32_t id : stored) at->second.push_back(function_.slots[id]);
    return at->second;
  }

  // --- the walk

  static void append(Instruction& instruction, const Slots& slots, const Now& now) {
    for (const Object* slot : slots) instruction.operands.push_back(now.at(slot));
  }
  void addParameters(Region& region, const Slots& slots, Now* now) {
    for (const Object* slot : slots) {
      Value* parameter = module_.makeValue(function_, types_.at(slot), nullptr);
      region.parameters.push_back(parameter);
      (*now)[slot] = parameter;
    }
  }

  const Instruction* innermost(Shape shape) const {
    for (size_t at = around_.size(); at-- > 0;) {
      if (ir::shapeOf(around_[at]->op) == shape) return around_[at];
    }
    return nullptr;
  }

  // Appends to a terminator the values of the slots that its target carries.
  void leave(Instruction& i, const Now& now) {
    const Instruction* target = nullptr;
    switch (i.op) {
      case Opcode::kYield:
        if (!around_.empty()) target = around_.back();
        break;
      case Opcode::kContinue:
      case Opcode::kNext:
      case Opcode::kBreak:
        target = innermost(Shape::kLoop);
        break;
      case Opcode::kLeave:
      case Opcode::kFallThrough:
        target = innermost(Shape::kSwitch);
        break;
      default:
        return;
    }
    if (target != nullptr) append(i, carried(*target), now);
  }

  void inside(Instruction& i, Now& now) {
    const Slots& slots = carried(i);
    if (i.op != Opcode::kIf) append(i, slots, now);
    around_.push_back(&i);
    for (Region* region : i.regions) {
      Now own = now;
      if (i.op != Opcode::kIf) addParameters(*region, slots, &own);
      walk(*region, own);
    }
    around_.pop_back();
    for (const Object* slot : slots) now[slot] = module_.makeValue(function_, types_.at(slot), &i);
  }

  void walk(Region& region, Now& now) {
    std::vector<Instruction*> kept;
    for (Instruction* i : region.body) {
      const Object* slot = i->op == Opcode::kLoad    ? slotOf(i->operands[0])
                           : i->op == Opcode::kStore ? slotOf(i->operands[1])
                                                     : nullptr;
      replaced_.apply(*i);
      if (slot != nullptr && types_.contains(slot)) {
        if (i->op == Opcode::kLoad) {
          replaced_.replace(i->result(), now.at(slot));
        } else {
          now[slot] = i->operands[0];
        }
        continue;
      }
      if (i->op == Opcode::kAddress && types_.contains(i->object)) continue;
      kept.push_back(i);
      if (ir::isTerminator(i->op)) {
        leave(*i, now);
      } else if (!i->regions.empty()) {
        inside(*i, now);
      }
    }
    region.body = std::move(kept);
  }

  void removeSlots() {
    std::erase_if(function_.slots, [&](const Object* slot) { return types_.contains(slot); });
    for (size_t i = 0; i < function_.slots.size(); ++i) function_.slots[i]->id = static_cast<uint32_t>(i);
  }

  static constexpr size_t kMostCarried = size_t{1} << 15;  // parameters of the regions of a switch

  ir::Module& module_;
  ir::Function& function_;
  Region& region_;
  std::map<const Object*, ir::Type> types_;  // of promoted slots: what is loaded and stored
  std::map<const Instruction*, Slots> carried_;
  std::vector<const Instruction*> around_;
  Replacements replaced_;
};

}  // namespace

void promoteSlots(ir::Module& module) {
  for (ir::Function* function : module.functions) Promotion(module, *function, *function->body).run(function->slots, false);
}

void promoteSlots(ir::Module& module, ir::Function& function, ir::Region& region, const std::vector<ir::Object*>& slots) {
  Promotion(module, function, region).run(slots, true);
}

}  // namespace manyrt::compiler::passes
