// The kernel's regions that have barriers in them are the group's. In those, the instructions between two of the group's are a
// part; each part becomes `items`. A part loads at its head what it takes from others, and stores what it gives at its place.
// Conditions of the group are those of the part before: all items agree, or no barrier may stand behind one.
#include "compiler/passes/split_at_barriers.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/passes/control.h"
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Object;
using ir::Opcode;
using ir::Region;
using ir::Value;

bool hasBarrier(const Region& region) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) { found = found || i.op == Opcode::kBarrier; });
  return found;
}

bool callsBarrier(const Region& region, std::unordered_set<const ir::Function*>* seen) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) {
    if (i.callee == nullptr || found || !seen->insert(i.callee).second) return;
    found = hasBarrier(*i.callee->body) || callsBarrier(*i.callee->body, seen);
  });
  return found;
}

class Split {
 public:
  Split(ir::Module& module, ir::Function& kernel) : module_(module), kernel_(kernel) {}

  void run() {
    findGroups();
    kernel_.for_groups = true;
    takeRecords();
    number(*kernel_.body);
    for (Instruction* i : ordered_) giveSlots(*i);
    findCrossing(*kernel_.body, kNone);
    rebuild(*kernel_.body);
    chooseSlots();
  }

 private:
  static constexpr int32_t kNone = -1;
  struct Part {
    std::vector<Instruction*> body;
    std::map<const Value*, Value*> here;  // what it takes from others, as it has it
    std::vector<Instruction*> head;
    std::vector<std::pair<Value*, Object*>> gives;  // at its end: a value and the slot for it
    Value* condition = nullptr;                     // of the group's instruction behind it
    bool in_loop = false;
  };

  bool isGroups(const Instruction& i) const { return groups_.contains(&i); }

  // --- which instructions are the group's

  void findGroups() {
    std::vector<const Instruction*> terminators;
    ir::forEach(*kernel_.body, [&](const Instruction& i) {
      const bool inside = std::any_of(i.regions.begin(), i.regions.end(), [](const Region* r) { return hasBarrier(*r); });
      if (i.op == Opcode::kBarrier || inside) groups_.insert(&i);
      if (ir::isTerminator(i.op) && i.op != Opcode::kReturn && i.op != Opcode::kYield) terminators.push_back(&i);
    });
    // What goes on or ends where the group does is the group's, and so is all that stands around it.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction* i : terminators) {
        const Instruction* target = targetOf(*i);
        if (!isGroups(*target)) continue;
        for (const Instruction* at = i->parent->owner; at != target; at = at->parent->owner)
          changed = groups_.insert(at).second || changed;
      }
    }
  }

  // --- parts

  // Numbers the parts of a region of the group. A part stands before each of the group's instructions and before the
  // terminator.
  void number(Region& region, bool in_loop = false) {
    parts_.emplace_back().in_loop = in_loop;
    auto now = static_cast<int32_t>(parts_.size() - 1);
    for (Instruction* i : region.body) {
      before_[i] = now;  // of the group's instructions and of the terminator: the part before it
      if (!isGroups(*i)) {
        if (!ir::isTerminator(i->op)) {
          parts_[static_cast<size_t>(now)].body.push_back(i);
          own_[i] = now;
        }
        continue;
      }
      ordered_.push_back(i);
      for (Region* inner : i->regions) number(*inner, in_loop || i->op == Opcode::kLoop);
      parts_.emplace_back().in_loop = in_loop;
      now = static_cast<int32_t>(parts_.size() - 1);
    }
  }

  Part& partBefore(const Instruction& i) { return parts_[static_cast<size_t>(before_.at(&i))]; }

  // --- slots

  Object* slotFor(const Value* value) {
    Object*& slot = slots_[value];
    if (slot != nullptr) return slot;
    slot = module_.makeObject();
    slot->name = "";
    slot->size = value->type.isBool() ? value->type.components : ir::bytesOf(value->type);
    slot->alignment = static_cast<uint32_t>(value->type.isBool() ? value->type.components : ir::bytesOf(value->type));
    while ((slot->alignment & (slot->alignment - 1)) != 0) slot->alignment &= slot->alignment - 1;
    slot->per_item = true;
    slot->id = static_cast<uint32_t>(kernel_.slots.size());
    kernel_.slots.push_back(slot);
    return slot;
  }

  // What the group's control carries from region to region goes through slots.
  void giveSlots(Instruction& i) {
    const auto give = [&](Part& part, Value* value, const Value* to) { part.gives.emplace_back(value, slotFor(to)); };
    if (i.op == Opcode::kBarrier) return;
    const size_t first = i.op == Opcode::kSwitch ? 1 : 0;
    if (i.op != Opcode::kIf) {
      for (const Region* inner : i.regions) {
        if (i.op == Opcode::kLoop && inner != i.regions[0]) break;
        for (size_t k = 0; k < inner->parameters.size(); ++k) give(partBefore(i), i.operands[first + k], inner->parameters[k]);
      }
      if (i.op == Opcode::kSwitch && i.otherwise < 0) {
        for (size_t k = 0; k < i.results.size(); ++k) give(partBefore(i), i.operands[1 + k], i.results[k]);
      }
    }
    if (i.op != Opcode::kLoop && !isParameter(i.operands[0])) partBefore(i).condition = i.operands[0];
    for (size_t number = 0; number < i.regions.size(); ++number) giveAtEnd(*i.regions[number]);
  }

  // The terminators of the group's regions.
  void giveAtEnd(Region& region) {
    Instruction& end = *region.body.back();
    const Instruction* target = targetOf(end);
    if (target == nullptr) return;
    const std::vector<Value*>& to = receivers(end, *target);
    for (size_t k = 0; k < to.size(); ++k) partBefore(end).gives.emplace_back(end.operands[k], slotFor(to[k]));
    end.operands.clear();
  }

  // --- values that cross from part to part

  // Where a value is made: its part, or kNone of parameters of the kernel.
  int32_t partOf(const Value* value) const {
    if (value->by == nullptr || isGroups(*value->by)) return kNone;
    const Instruction* at = value->by;
    for (;;) {
      if (const auto own = own_.find(at); own != own_.end()) return own->second;
      at = at->parent->owner;
    }
  }

  bool isParameter(const Value* value) const {
    const auto& all = kernel_.body->parameters;
    return std::find(all.begin(), all.end(), value) != all.end();
  }
  // A parameter of a region inside of a part is seen there alone.
  bool isInner(const Value* value) const { return value->by == nullptr && !isParameter(value) && !slots_.contains(value); }

  // How many operations compute a value again from what each part has; more than kMostAgain: it is kept.
  static constexpr uint32_t kMostAgain = 4;
  uint32_t costAgain(const Value* value) const {
    if (isParameter(value)) return 0;
    const Instruction* by = value->by;
    if (by == nullptr || !ir::isPure(by->op) || by->op == Opcode::kSDiv || by->op == Opcode::kUDiv || by->op == Opcode::kSRem ||
        by->op == Opcode::kURem || by->op == Opcode::kFDiv) {
      return kMostAgain + 1;
    }
    uint32_t cost = by->op == Opcode::kConstant || by->op == Opcode::kAddress ? 0 : 1;
    for (const Value* operand : by->operands) {
      cost += costAgain(operand);
      if (cost > kMostAgain) break;
    }
    return cost;
  }

  // A value as a part has it: its own, computed again, or loaded at the head.
  Value* inPart(int32_t number, Value* value) {
    if (partOf(value) == number || isParameter(value) || isInner(value)) return value;
    Part& part = parts_[static_cast<size_t>(number)];
    if (const auto at = part.here.find(value); at != part.here.end()) return at->second;
    Value* made = nullptr;
    if (!slots_.contains(value) && costAgain(value) <= kMostAgain) {
      Instruction* again = module_.makeInstruction(value->by->op);
      *again = *value->by;
      again->results.clear();
      for (Value*& operand : again->operands) operand = inPart(number, operand);
      made = module_.makeValue(kernel_, value->type, again);
      part.head.push_back(again);
    } else {
      kept_.insert(value);
      made = load(part, slotFor(value), value->type);
    }
    part.here[value] = made;
    return made;
  }

  Instruction* addTo(std::vector<Instruction*>* list, Opcode op, std::vector<Value*> operands, ir::Type result) {
    Instruction* made = module_.makeInstruction(op);
    made->operands = std::move(operands);
    if (!result.isVoid()) module_.makeValue(kernel_, result, made);
    list->push_back(made);
    return made;
  }
  Value* addressOf(std::vector<Instruction*>* list, Object* slot) {
    Instruction* made = addTo(list, Opcode::kAddress, {}, ir::Type::pointer(AddressSpace::kPrivate));
    made->object = slot;
    return made->result();
  }
  // No memory holds bools: they lie there as bytes.
  Value* load(Part& part, Object* slot, ir::Type type) {
    Value* address = addressOf(&part.head, slot);
    Instruction* made = addTo(&part.head, Opcode::kLoad, {address}, type.isBool() ? type.with(ir::Kind::kI8) : type);
    made->alignment = slot->alignment;
    if (!type.isBool()) return made->result();
    Instruction* zero = addTo(&part.head, Opcode::kConstant, {}, type.with(ir::Kind::kI8));
    zero->numbers.assign(type.components, 0);
    return addTo(&part.head, Opcode::kNe, {made->result(), zero->result()}, type)->result();
  }
  void store(std::vector<Instruction*>* list, Value* value, Object* slot) {
    if (value->type.isBool()) value = addTo(list, Opcode::kZExt, {value}, value->type.with(ir::Kind::kI8))->result();
    Value* address = addressOf(list, slot);
    addTo(list, Opcode::kStore, {value, address}, {})->alignment = slot->alignment;
  }

  // Operands of a part's instructions, those inside of others too, become what the part has.
  void findCrossing(Region& region, int32_t part) {
    for (Instruction* i : region.body) {
      const bool groups = part == kNone && isGroups(*i);
      const int32_t own = part != kNone ? part : groups || ir::isTerminator(i->op) ? kNone : own_.at(i);
      if (own != kNone) {
        for (Value*& operand : i->operands) operand = inPart(own, operand);
      }
      for (Region* inner : i->regions) findCrossing(*inner, own);
    }
    if (part != kNone) return;
    // What the parts of this region give, and the conditions behind them.
    std::set<int32_t> numbers;
    for (const Instruction* i : region.body) numbers.insert(before_.at(i));
    for (const int32_t number : numbers) {
      for (size_t k = 0; k < parts_[static_cast<size_t>(number)].gives.size(); ++k) {
        Value* value = inPart(number, parts_[static_cast<size_t>(number)].gives[k].first);
        parts_[static_cast<size_t>(number)].gives[k].first = value;
      }
      if (Value* condition = parts_[static_cast<size_t>(number)].condition; condition != nullptr)
        parts_[static_cast<size_t>(number)].condition = inPart(number, condition);
    }
  }

  // --- the new body

  void rebuild(Region& region) {
    const std::vector<Instruction*> old = std::move(region.body);
    region.body.clear();
    int32_t written = kNone;
    for (Instruction* i : old) {
      const bool ends = ir::isTerminator(i->op);
      if (!isGroups(*i) && !ends) continue;
      const int32_t number = before_.at(i);
      if (number != written) items(region, parts_[static_cast<size_t>(number)], i);
      written = number;
      if (i->op == Opcode::kBarrier) continue;
      for (Region* inner : i->regions) rebuild(*inner);
      if (isGroups(*i)) {
        i->operands.resize(i->op == Opcode::kLoop ? 0 : 1);
        i->results.clear();
        for (Region* inner : i->regions) inner->parameters.clear();
      }
      region.body.push_back(i);
    }
  }

  void items(Region& region, Part& part, Instruction* behind) {
    if (part.body.empty() && part.gives.empty() && part.condition == nullptr) return;
    Instruction* made = module_.makeInstruction(Opcode::kItems);
    made->parent = &region;
    made->where = part.body.empty() ? behind->where : part.body[0]->where;
    Region* inner = module_.makeRegion(made);
    inner->body = part.head;
    for (Instruction* i : part.body) {
      inner->body.push_back(i);
      for (Value* result : i->results) {
        if (kept_.contains(result)) store(&inner->body, result, slotFor(result));
      }
    }
    for (const auto& [value, slot] : part.gives) store(&inner->body, value, slot);
    std::vector<Value*> result;
    if (part.condition != nullptr) {
      result.push_back(part.condition);
      behind->operands[0] = module_.makeValue(kernel_, part.condition->type, made);
    }
    addTo(&inner->body, Opcode::kYield, result, {});
    for (Instruction* i : inner->body) i->parent = inner;
    region.body.push_back(made);
  }

  // An argument that is a record is a copy for each item, made once.
  void takeRecords() {
    const auto& parameters = kernel_.body->parameters;
    std::vector<Instruction*> copies;
    Replacements replaced;
    for (size_t k = 0; k < parameters.size(); ++k) {
      if (kernel_.parameter_bytes[k] == 0) continue;
      Object* slot = module_.makeObject();
      slot->name = kernel_.parameter_names[k];
      slot->size = kernel_.parameter_bytes[k];
      slot->alignment = 128;
      slot->per_item = true;
      slot->id = static_cast<uint32_t>(kernel_.slots.size());
      kernel_.slots.push_back(slot);
      Value* address = addressOf(&copies, slot);
      addTo(&copies, Opcode::kCopy, {address, parameters[k]}, {})->bytes = slot->size;
      replaced.replace(parameters[k], address);
    }
    ir::forEach(*kernel_.body, [&](Instruction& i) { replaced.apply(i); });
    for (Instruction* i : copies) i->parent = kernel_.body;
    kernel_.body->body.insert(kernel_.body->body.begin(), copies.begin(), copies.end());
  }

  // A slot that one part alone reaches, outside of loops, needs room for one item only.
  void chooseSlots() {
    std::map<const Object*, std::set<const Instruction*>> users;
    std::set<const Object*> shared;
    findUsers(*kernel_.body, nullptr, false, &users, &shared);
    for (Object* slot : kernel_.slots) {
      if (shared.contains(slot) || users[slot].size() > 1) slot->per_item = true;
    }
  }
  void findUsers(const Region& region, const Instruction* items, bool in_loop,
                 std::map<const Object*, std::set<const Instruction*>>* users, std::set<const Object*>* shared) {
    for (const Instruction* i : region.body) {
      if (i->op == Opcode::kAddress && i->object->space == AddressSpace::kPrivate) {
        (*users)[i->object].insert(items);
        if (in_loop) shared->insert(i->object);
      }
      // A pointer that goes elsewhere than to an access may come back in another part.
      for (size_t k = 0; k < i->operands.size(); ++k) {
        const bool through = (i->op == Opcode::kLoad && k == 0) || (i->op == Opcode::kStore && k == 1) ||
                             i->op == Opcode::kCopy || i->op == Opcode::kFill;
        const Instruction* by = i->operands[k]->by;
        if (!through && by != nullptr && by->op == Opcode::kAddress && by->object->space == AddressSpace::kPrivate)
          shared->insert(by->object);
      }
      for (const Region* inner : i->regions) {
        const bool groups_loop = items == nullptr && i->op == Opcode::kLoop;
        findUsers(*inner, i->op == Opcode::kItems ? i : items, in_loop || groups_loop, users, shared);
      }
    }
  }

  ir::Module& module_;
  ir::Function& kernel_;
  std::unordered_set<const Instruction*> groups_;
  std::vector<Instruction*> ordered_;  // the group's instructions, outer ones first
  std::vector<Part> parts_;
  std::unordered_map<const Instruction*, int32_t> own_, before_;
  std::unordered_map<const Value*, Object*> slots_;
  std::unordered_set<const Value*> kept_;  // which have a slot because another part uses them
};

}  // namespace

void splitAtBarriers(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    std::unordered_set<const ir::Function*> seen;
    if (!function->is_kernel || function->for_groups || !hasBarrier(*function->body) || callsBarrier(*function->body, &seen))
      continue;
    Split(module, *function).run();
  }
}

}  // namespace manyrt::compiler::passes
