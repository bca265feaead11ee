// The kernel's regions that have barriers in them are the group's. In those, the instructions between two of the group's are a
// part; each part becomes `items`. A value that is the same for all items and crosses from part to part is the group's. It is
// computed once, ahead of the part, or comes out of it as a result. Anything else a part loads at its head, and stores where it
// is made. A condition of the group that is not uniform is one item's, from the part before. That is right where OpenCL makes
// all items agree, since a barrier follows. Where it is not certain, the kernel runs on fibers.
#include "compiler/passes/split_at_barriers.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/analysis/divergence.h"
#include "compiler/passes/control.h"
#include "compiler/passes/copy.h"
#include "compiler/passes/group_control.h"
#include "compiler/passes/uses.h"
#include "compiler/unit.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Object;
using ir::Opcode;
using ir::Region;
using ir::Value;

bool callsBarrier(const Region& region, std::unordered_set<const ir::Function*>* seen) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) {
    if (i.callee == nullptr || found || !seen->insert(i.callee).second) return;
    found = hasBarrier(*i.callee->body) || callsBarrier(*i.callee->body, seen);
  });
  return found;
}

// Whether a function, or what it calls, exchanges values within a sub-group: its items run side by side, on fibers.
bool exchanges(const ir::Function& function, std::unordered_set<const ir::Function*>* seen) {
  if (!seen->insert(&function).second) return false;
  bool found = false;
  ir::forEach(*function.body, [&](const Instruction& i) {
    found = found || i.op == Opcode::kSubGroup || (i.callee != nullptr && exchanges(*i.callee, seen));
  });
  return found;
}

// Calls of kernels become those of their copies.
void giveHelpers(ir::Module& module) {
  std::unordered_map<const ir::Function*, ir::Function*> helpers;
  const std::vector<ir::Function*> functions = module.functions;
  for (const ir::Function* function : functions) {
    ir::forEach(*function->body, [&](const Instruction& i) {
      if (i.callee != nullptr && i.callee->is_kernel && !i.callee->for_groups) helpers[i.callee] = nullptr;
    });
  }
  for (const ir::Function* function : functions) {  // in the order of the source
    if (const auto at = helpers.find(function); at != helpers.end()) at->second = copyAsHelper(module, *function);
  }
  for (const ir::Function* function : module.functions) {
    ir::forEach(*function->body, [&](Instruction& i) {
      if (const auto at = helpers.find(i.callee); at != helpers.end()) i.callee = at->second;
    });
  }
}

class Split {
 public:
  Split(ir::Module& module, ir::Function& kernel) : module_(module), kernel_(kernel), control_(kernel) {}

  // False: items may not agree about what would be the group's control, and the kernel stays as it is.
  bool run() {
    findUniform();
    if (!control_.agree([&](const Value* value) { return isUniform(value); })) return false;
    kernel_.for_groups = true;
    takeRecords();
    findUniform();  // of the records' addresses too
    number(*kernel_.body);
    findCarried();
    findAhead();
    findNeeds(*kernel_.body, kNone);
    for (Instruction* i : ordered_) giveSlots(*i);
    findCrossing(*kernel_.body, kNone);
    rebuild(*kernel_.body);
    chooseSlots();
    return true;
  }

 private:
  static constexpr int32_t kNone = -1;
  struct Part {
    std::vector<Instruction*> body;
    std::map<const Value*, Value*> here;  // its own forms of the values that it takes from others
    std::vector<Instruction*> head;
    std::vector<std::pair<Value*, Object*>> gives;   // at its end: a value and the slot for it
    std::vector<std::pair<Value*, Value*>> results;  // a value, and its form in the group
  };

  bool isGroups(const Instruction& i) const { return control_.contains(i); }

  // --- parts

  // Numbers the parts of a region of the group. A part stands before each of the group's instructions and before the
  // terminator.
  void number(Region& region) {
    parts_.emplace_back();
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
      of_groups_.insert(i->results.begin(), i->results.end());
      for (const Region* inner : i->regions) of_groups_.insert(inner->parameters.begin(), inner->parameters.end());
      for (Region* inner : i->regions) number(*inner);
      parts_.emplace_back();
      now = static_cast<int32_t>(parts_.size() - 1);
    }
  }

  Part& partBefore(const Instruction& i) { return parts_[static_cast<size_t>(before_.at(&i))]; }

  // --- what is the same for all items

  void findUniform() {
    uniform_.clear();
    for (uint32_t d = 0; d < 3 && !control_.isEmpty(); ++d) uniform_.emplace_back(kernel_, d, kMaxItems);
  }
  bool isUniform(const Value* value) const {
    return std::all_of(uniform_.begin(), uniform_.end(), [&](const auto& each) { return each.of(*value).isUniform(); });
  }

  // A value that the group's control carries stays with it where all its sources are uniform.
  void findCarried() {
    std::unordered_map<const Value*, std::vector<const Value*>> sources;
    const auto from = [&](const Value* to, const Value* value) { sources[to].push_back(value); };
    for (const Instruction* i : ordered_) {
      forEntries(*i, [&](Value* to, Value* value) { from(to, value); });
      for (const Region* inner : i->regions) forEnd(*inner, [&](Value* to, Value* value) { from(to, value); });
    }
    for (const auto& [to, values] : sources) {
      if (isUniform(to) && std::all_of(values.begin(), values.end(), [&](const Value* each) { return isUniform(each); }))
        carried_.insert(to);
    }
    // A value whose source goes through a slot does so too. A switch gives as many values to each of its regions: one stays, or
    // none.
    const auto stays = [&](const Value* value) { return !of_groups_.contains(value) || carried_.contains(value); };
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [to, values] : sources) {
        if (carried_.contains(to) && !std::all_of(values.begin(), values.end(), stays)) changed = carried_.erase(to) != 0;
      }
      for (const Instruction* i : ordered_) {
        if (i->op != Opcode::kSwitch) continue;
        for (size_t k = 0; k + 1 < i->operands.size(); ++k) {
          std::vector<const Value*> same;
          for (const Region* inner : i->regions) same.push_back(inner->parameters[k]);
          if (i->otherwise < 0) same.push_back(i->results[k]);
          const bool all = std::all_of(same.begin(), same.end(), [&](const Value* each) { return carried_.contains(each); });
          for (const Value* each : same) changed = (!all && carried_.erase(each) != 0) || changed;
        }
      }
    }
  }

  // The values that go into the regions of an instruction of the group, and out of it where no region is taken.
  template <typename F>
  static void forEntries(const Instruction& i, F&& call) {
    if (i.op == Opcode::kLoop) {
      for (size_t k = 0; k < i.operands.size(); ++k) call(i.regions[0]->parameters[k], i.operands[k]);
    }
    if (i.op != Opcode::kSwitch) return;
    for (size_t k = 1; k < i.operands.size(); ++k) {
      for (const Region* inner : i.regions) call(inner->parameters[k - 1], i.operands[k]);
      if (i.otherwise < 0) call(i.results[k - 1], i.operands[k]);
    }
  }
  // The values that the terminator of a region of the group gives.
  template <typename F>
  static void forEnd(const Region& region, F&& call) {
    const Instruction& end = *region.body.back();
    const Instruction* target = targetOf(end);
    if (target == nullptr) return;
    const std::vector<Value*>& to = receivers(end, *target);
    for (size_t k = 0; k < to.size(); ++k) call(to[k], end.operands[k]);
  }

  // Whether the group can compute a value ahead of the part that it is made in.
  bool isAhead(const Value* value) {
    if (isOfGroup(value)) return true;
    const Instruction* by = value->by;
    if (by == nullptr || !own_.contains(by)) return false;
    if (const auto at = ahead_.find(by); at != ahead_.end()) return at->second;
    bool can = ir::isPure(by->op) && isUniform(value) && !isOfAnItem(*by);
    const int32_t part = own_.at(by);
    for (const Value* operand : by->operands)
      can = can && (isAhead(operand) || (isUniform(operand) && isKnown(operand) && partOf(operand) != part));
    return ahead_[by] = can;
  }
  static bool isOfAnItem(const Instruction& i) {
    switch (i.work_item) {
      case WorkItem::kGlobalId:
      case WorkItem::kLocalId:
      case WorkItem::kGlobalLinearId:
      case WorkItem::kLocalLinearId:
        return true;
      default:
        return i.op == Opcode::kAddress && i.object->space == AddressSpace::kPrivate;
    }
  }
  bool isOfGroup(const Value* value) const { return isParameter(value) || carried_.contains(value); }

  // In the order of the values, so that a long chain of them is no deep recursion.
  void findAhead() {
    for (const Part& part : parts_) {
      for (const Instruction* i : part.body) {
        if (i->result() != nullptr) (void)isAhead(i->result());
      }
    }
  }

  // The group has to have a value: computed ahead of its part, or as a result of it.
  void need(const Value* value) {
    std::vector<const Value*> work = {value};
    while (!work.empty()) {
      const Value* now = work.back();
      work.pop_back();
      if (isOfGroup(now) || !needed_.insert(now).second || !isAhead(now)) continue;
      hoisted_.insert(now->by);
      work.insert(work.end(), now->by->operands.begin(), now->by->operands.end());
    }
  }

  void findNeeds(const Region& region, int32_t part) {
    for (const Instruction* i : region.body) {
      const bool of_group = part == kNone && (isGroups(*i) || ir::isTerminator(i->op));
      const int32_t own = part != kNone ? part : of_group ? kNone : own_.at(i);
      for (const Value* operand : i->operands) {
        const bool crosses = own != kNone && !isInner(operand) && partOf(operand) != own;
        if (crosses && isUniform(operand) && isKnown(operand)) need(operand);
      }
      for (const Region* inner : i->regions) findNeeds(*inner, own);
    }
    if (part != kNone) return;
    for (const Instruction* i : region.body) {
      if (!isGroups(*i)) continue;
      forEntries(*i, [&](const Value* to, const Value* value) { needCarried(to, value); });
      if (i->op == Opcode::kIf || i->op == Opcode::kSwitch) {
        if (isUniform(i->operands[0]) && isKnown(i->operands[0])) need(i->operands[0]);
      }
    }
    forEnd(region, [&](const Value* to, const Value* value) { needCarried(to, value); });
  }
  void needCarried(const Value* to, const Value* value) {
    if (carried_.contains(to)) need(value);
  }
  // Made in a part, or the group's: not what the group carries in slots.
  bool isKnown(const Value* value) const { return isOfGroup(value) || (value->by != nullptr && own_.contains(value->by)); }

  // A value as the group has it.
  Value* ofGroup(Value* value) {
    value = asMade(value);
    if (isOfGroup(value) || hoisted_.contains(value->by)) return value;
    if (partOf(value) == kNone) return value;  // the verifier refuses what it makes
    return resultOf(parts_[static_cast<size_t>(partOf(value))], value);
  }
  Value* resultOf(Part& part, Value* value) {
    for (const auto& [own, result] : part.results) {
      if (own == value) return result;
    }
    Value* result = module_.makeValue(kernel_, value->type, nullptr);
    part.results.emplace_back(value, result);
    as_made_[result] = value;
    return result;
  }

  // --- slots

  Object* slotFor(const Value* value) {
    Object*& slot = slots_[value];
    if (slot != nullptr) return slot;
    slot = module_.makeObject();
    slot->name = "";
    slot->size = value->type.isBool() ? value->type.components : ir::bytesOf(value->type);
    slot->alignment = static_cast<uint32_t>(slot->size);
    while ((slot->alignment & (slot->alignment - 1)) != 0) slot->alignment &= slot->alignment - 1;
    slot->per_item = true;
    slot->id = static_cast<uint32_t>(kernel_.slots.size());
    kernel_.slots.push_back(slot);
    return slot;
  }

  // Values that the group's control carries from region to region, and that are not the group's, go through slots.
  void giveSlots(Instruction& i) {
    const auto give = [&](Part& part, const Value* to, Value* value) {
      if (!carried_.contains(to)) part.gives.emplace_back(value, slotFor(to));
    };
    forEntries(i, [&](Value* to, Value* value) { give(partBefore(i), to, value); });
    for (const Region* inner : i.regions)
      forEnd(*inner, [&](Value* to, Value* value) { give(partBefore(*inner->body.back()), to, value); });
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
  bool isInner(const Value* value) const { return value->by == nullptr && !isOfGroup(value) && !of_groups_.contains(value); }

  // The original of a value that a part has taken over. Operands of an instruction are those that its own part has.
  Value* asMade(Value* value) const {
    const auto at = as_made_.find(value);
    return at == as_made_.end() ? value : at->second;
  }

  // Whether a part computes a value again from what it has, by this many operations at most; by more where the value grows in
  // steps from item to item: lanes compute it once, and what is loaded has lost its steps. Looks no deeper than that.
  static constexpr uint32_t kMostAgain = 4, kMostStepsAgain = 16;
  bool isCheap(const Value* value) const {
    uint32_t left = hasSteps(value) ? kMostStepsAgain : kMostAgain;
    return isCheap(value, &left);
  }
  bool hasSteps(const Value* value) const {
    return std::none_of(uniform_.begin(), uniform_.end(), [&](const auto& each) { return each.of(*value).isVarying(); });
  }
  bool isCheap(const Value* value, uint32_t* left) const {
    if (isOfGroup(value) || needed_.contains(value)) return true;
    const Instruction* by = value->by;
    if (by == nullptr || !ir::isPure(by->op)) return false;
    switch (by->op) {
      case Opcode::kSDiv:
      case Opcode::kUDiv:
      case Opcode::kSRem:
      case Opcode::kURem:
      case Opcode::kFDiv:
        return false;
      case Opcode::kConstant:
      case Opcode::kAddress:
        break;
      default:
        if (*left == 0) return false;
        --*left;
    }
    return std::all_of(by->operands.begin(), by->operands.end(),
                       [&](Value* operand) { return isCheap(asMade(operand), left); });
  }

  // A value as a part has it: its own, computed again, or loaded at the head.
  Value* inPart(int32_t number, Value* value) {
    value = asMade(value);
    if (partOf(value) == number || isOfGroup(value) || isInner(value)) return value;
    if (needed_.contains(value)) return ofGroup(value);
    Part& part = parts_[static_cast<size_t>(number)];
    if (const auto at = part.here.find(value); at != part.here.end()) return at->second;
    Value* made = nullptr;
    if (!slots_.contains(value) && isCheap(value)) {
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
    as_made_[made] = value;
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

  // Operands of a part's instructions, also of those inside of other instructions, become the part's own values.
  void findCrossing(Region& region, int32_t part) {
    for (Instruction* i : region.body) {
      const bool groups = part == kNone && isGroups(*i);
      const int32_t own = part != kNone ? part : groups || ir::isTerminator(i->op) ? kNone : own_.at(i);
      if (own != kNone) {
        for (Value*& operand : i->operands) operand = hoisted_.contains(i) ? ofGroup(operand) : inPart(own, operand);
      }
      for (Region* inner : i->regions) findCrossing(*inner, own);
    }
    if (part != kNone) return;
    std::set<int32_t> numbers;
    for (const Instruction* i : region.body) numbers.insert(before_.at(i));
    for (const int32_t number : numbers) {
      for (size_t k = 0; k < parts_[static_cast<size_t>(number)].gives.size(); ++k) {
        Value* value = inPart(number, parts_[static_cast<size_t>(number)].gives[k].first);
        parts_[static_cast<size_t>(number)].gives[k].first = value;
      }
    }
    for (Instruction* i : region.body) {
      if (isGroups(*i)) takeOperands(*i);
      if (ir::isTerminator(i->op)) takeEnd(*i);
    }
  }

  // The operands of the group's control: its condition, and the values that it carries itself.
  void takeOperands(Instruction& i) {
    std::vector<Value*> left;
    const size_t first = i.op == Opcode::kLoop ? 0 : 1;
    if (i.op == Opcode::kBarrier) return;
    if (first == 1) left.push_back(decider(i));
    for (size_t k = first; k < i.operands.size(); ++k) {
      const Value* to = i.op == Opcode::kSwitch && i.regions.empty() ? i.results[k - 1] : i.regions[0]->parameters[k - first];
      if (carried_.contains(to)) left.push_back(ofGroup(i.operands[k]));
    }
    i.operands = std::move(left);
  }
  void takeEnd(Instruction& end) {
    std::vector<Value*> left;
    const Instruction* target = targetOf(end);
    if (target == nullptr) return;
    const std::vector<Value*>& to = receivers(end, *target);
    for (size_t k = 0; k < to.size(); ++k) {
      if (carried_.contains(to[k])) left.push_back(ofGroup(end.operands[k]));
    }
    end.operands = std::move(left);
  }
  Value* decider(const Instruction& i) {
    Value* value = i.operands[0];
    if (isOfGroup(value) || needed_.contains(value)) return ofGroup(value);
    const int32_t number = before_.at(&i);
    return resultOf(parts_[static_cast<size_t>(number)], inPart(number, value));
  }

  // --- the new body

  void rebuild(Region& region) {
    const std::vector<Instruction*> old = std::move(region.body);
    region.body.clear();
    for (Instruction* i : old) {
      if (!isGroups(*i) && !ir::isTerminator(i->op)) continue;
      items(region, partBefore(*i), *i);
      if (i->op == Opcode::kBarrier) continue;
      for (Region* inner : i->regions) rebuild(*inner);
      region.body.push_back(i);
    }
    if (region.owner != nullptr) std::erase_if(region.parameters, [&](const Value* each) { return !carried_.contains(each); });
    for (Instruction* i : region.body) {
      if (isGroups(*i)) std::erase_if(i->results, [&](const Value* each) { return !carried_.contains(each); });
    }
  }

  void items(Region& region, Part& part, const Instruction& next) {
    std::vector<Instruction*> left;
    for (Instruction* i : part.body) {
      if (!hoisted_.contains(i)) {
        left.push_back(i);
        continue;
      }
      i->parent = &region;
      region.body.push_back(i);
    }
    if (left.empty() && part.gives.empty() && part.results.empty()) return;
    Instruction* made = module_.makeInstruction(Opcode::kItems);
    made->parent = &region;
    made->where = left.empty() ? next.where : left[0]->where;
    Region* inner = module_.makeRegion(made);
    inner->body = part.head;
    for (Instruction* i : left) {
      inner->body.push_back(i);
      for (Value* result : i->results) {
        if (kept_.contains(result)) store(&inner->body, result, slotFor(result));
      }
    }
    for (const auto& [value, slot] : part.gives) store(&inner->body, value, slot);
    std::vector<Value*> given;
    for (const auto& [value, result] : part.results) {
      given.push_back(value);
      result->by = made;
      made->results.push_back(result);
    }
    addTo(&inner->body, Opcode::kYield, given, {});
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

  // A slot that one part alone reaches, outside of loops, needs room for one item only; so do all where there is one part.
  void chooseSlots() {
    std::map<const Object*, std::set<const Instruction*>> users;
    std::set<const Object*> shared;
    if (ordered_.empty()) return;
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
        pointed_[i->result()] = i->object;
      }
      // A pointer that goes elsewhere than to an access, or to an offset that is followed, may come back in another part.
      for (size_t k = 0; k < i->operands.size(); ++k) {
        const auto at = pointed_.find(i->operands[k]);
        if (at == pointed_.end()) continue;
        const Object* object = at->second;
        const bool through = (i->op == Opcode::kLoad && k == 0) || (i->op == Opcode::kStore && k == 1) ||
                             i->op == Opcode::kCopy || i->op == Opcode::kFill;
        if (i->op == Opcode::kOffset && k == 0) {
          pointed_[i->result()] = object;
        } else if (!through) {
          shared->insert(object);
        }
      }
      for (const Region* inner : i->regions) {
        const bool groups_loop = items == nullptr && i->op == Opcode::kLoop;
        findUsers(*inner, i->op == Opcode::kItems ? i : items, in_loop || groups_loop, users, shared);
      }
    }
  }

  ir::Module& module_;
  ir::Function& kernel_;
  const GroupControl control_;
  std::vector<Instruction*> ordered_;  // the group's instructions, outer ones first
  std::vector<Part> parts_;
  std::unordered_map<const Instruction*, int32_t> own_, before_;
  std::deque<analysis::Divergence> uniform_;        // of each dimension
  std::unordered_set<const Value*> carried_;        // parameters and results that stay with the group's control
  std::unordered_set<const Value*> of_groups_;      // all of these, also those that go through slots
  std::unordered_set<const Value*> needed_;         // that the group has
  std::unordered_set<const Instruction*> hoisted_;  // computed ahead of their part
  std::unordered_map<const Instruction*, bool> ahead_;
  std::unordered_map<const Value*, Value*> as_made_;
  std::unordered_map<const Value*, Object*> slots_;
  std::unordered_map<const Value*, const Object*> pointed_;  // what the pointers to slots point to
  std::unordered_set<const Value*> kept_;                    // which have a slot because another part uses them
};

}  // namespace

void splitAtBarriers(ir::Module& module) {
  giveHelpers(module);
  for (ir::Function* function : module.functions) {
    std::unordered_set<const ir::Function*> seen, exchanging;
    if (!function->is_kernel || function->for_groups) continue;
    if (exchanges(*function, &exchanging)) {
      function->why_fibers = "it has sub-group functions";
    } else if (callsBarrier(*function->body, &seen)) {
      function->why_fibers = "a function with barriers that it calls returns before its end";
    } else if (module.keeps_items && hasBarrier(*function->body)) {
      function->why_fibers = "a debugger sees each work-item by itself then";
    } else if (!Split(module, *function).run()) {
      function->why_fibers = "its work-items may come to a barrier by different ways";
    }
  }
}

}  // namespace manyrt::compiler::passes
