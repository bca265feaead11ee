// Needed values are marked, from effects and conditions backwards; a carried value is needed where its parameter or its result
// is. All else goes, and so do ifs and switches that are empty then, until nothing changes. A loop stays: it may have no end.
#include "compiler/passes/remove_dead.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/passes/control.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Shape;
using ir::Value;

// Whether control comes out of an instruction: not where each region of an if ends otherwise than by a yield.
bool comesOut(const Instruction& i) {
  if (i.op != Opcode::kIf) return true;
  return std::any_of(i.regions.begin(), i.regions.end(),
                     [](const Region* region) { return region->body.back()->op == Opcode::kYield; });
}

// Takes out what follows an if that control does not leave, up to the region's terminator. With operands there it stays: they
// could be among the values that go.
void cut(Region& region) {
  for (size_t at = 0; at < region.body.size(); ++at) {
    for (Region* inner : region.body[at]->regions) cut(*inner);
    if (comesOut(*region.body[at]) || !region.body.back()->operands.empty()) continue;
    region.body.erase(region.body.begin() + static_cast<ptrdiff_t>(at) + 1, region.body.end() - 1);
    break;
  }
}

// An operation that is not known to have no effect has one.
bool hasEffect(const Instruction& i) {
  if (ir::isPure(i.op)) return false;
  switch (ir::shapeOf(i.op)) {
    case Shape::kLoad:
      return i.is_volatile;
    case Shape::kBuiltin:
      return i.signature.builtin == nullptr || i.signature.builtin->kind != BuiltinKind::kPure;
    case Shape::kIf:
    case Shape::kLoop:
    case Shape::kSwitch:  // what is inside of them has
      return false;
    default:
      return !ir::isTerminator(i.op) || i.op == Opcode::kReturn;
  }
}

class Removal {
 public:
  explicit Removal(ir::Function& function) : function_(function) {}

  // False: nothing was there to remove.
  bool run() {
    collect(*function_.body);
    while (!work_.empty()) {
      const Value* value = work_.back();
      work_.pop_back();
      for (const Value* source : sources_[value]) need(source);
      if (value->by != nullptr && value->by->regions.empty()) needOperands(*value->by);
    }
    sweep(*function_.body);
    std::erase_if(function_.slots, [&](const ir::Object* slot) { return !objects_.contains(slot); });
    for (size_t i = 0; i < function_.slots.size(); ++i) function_.slots[i]->id = static_cast<uint32_t>(i);
    return changed_;
  }

 private:
  void need(const Value* value) {
    if (needed_.insert(value).second) work_.push_back(value);
  }
  void needOperands(const Instruction& i) {
    for (const Value* operand : i.operands) need(operand);
    if (i.object != nullptr) objects_.insert(i.object);
  }
  void carry(const std::vector<Value*>& operands, size_t first, const std::vector<Value*>& to) {
    for (size_t k = 0; k < to.size(); ++k) sources_[to[k]].push_back(operands[first + k]);
  }

  void collect(const Region& region) {
    for (const Instruction* i : region.body) {
      if (hasEffect(*i)) {
        needOperands(*i);
        for (const Value* result : i->results) need(result);
      }
      if (ir::isTerminator(i->op) && i->op != Opcode::kReturn) carry(i->operands, 0, receivers(*i, *targetOf(*i)));
      if (i->op == Opcode::kIf || i->op == Opcode::kSwitch) need(i->operands[0]);
      if (i->op == Opcode::kLoop) carry(i->operands, 0, i->regions[0]->parameters);
      if (i->op == Opcode::kSwitch) {
        for (const Region* inner : i->regions) carry(i->operands, 1, inner->parameters);
        // A value goes in and comes out as one: all that it becomes is needed where one of them is.
        if (i->otherwise < 0) carry(i->operands, 1, i->results);
        for (size_t k = 0; k + 1 < i->operands.size(); ++k) tie(*i, k);
      }
      for (const Region* inner : i->regions) collect(*inner);
    }
  }

  // The regions of a switch take the same values, so that a parameter stays in all of them or in none.
  void tie(const Instruction& i, size_t number) {
    std::vector<const Value*> all;
    for (const Region* inner : i.regions) all.push_back(inner->parameters[number]);
    if (i.otherwise < 0) all.push_back(i.results[number]);
    for (const Value* each : all) {
      if (each == all[0]) continue;
      sources_[all[0]].push_back(each);
      sources_[each].push_back(all[0]);
    }
  }

  void drop(std::vector<Value*>* values, size_t first, const std::vector<Value*>& by) {
    size_t kept = first;
    for (size_t k = first; k < values->size(); ++k) {
      if (needed_.contains(by[k - first])) (*values)[kept++] = (*values)[k];
    }
    changed_ |= kept != values->size();
    values->resize(kept);
  }

  // A jump out of a switch from inside of an if is no end of that if.
  static bool isEmpty(const Instruction& i) {
    if ((i.op != Opcode::kIf && i.op != Opcode::kSwitch) || !i.results.empty()) return false;
    return std::all_of(i.regions.begin(), i.regions.end(), [&](const Region* region) {
      const Opcode last = region->body.back()->op;
      const bool ends_here =
          i.op == Opcode::kIf ? last == Opcode::kYield : last == Opcode::kLeave || last == Opcode::kFallThrough;
      return region->body.size() == 1 && ends_here;
    });
  }

  bool isDead(const Instruction& i) const {
    if (hasEffect(i) || ir::isTerminator(i.op)) return false;
    if (!i.regions.empty()) return isEmpty(i);
    return std::none_of(i.results.begin(), i.results.end(), [&](const Value* result) { return needed_.contains(result); });
  }

  // From the inside outwards: operands of a terminator are removed before the parameters and results that receive them.
  void sweep(Region& region) {
    for (Instruction* i : region.body) {
      if (ir::isTerminator(i->op) && i->op != Opcode::kReturn) drop(&i->operands, 0, receivers(*i, *targetOf(*i)));
      for (Region* inner : i->regions) sweep(*inner);
      if (i->op == Opcode::kLoop) drop(&i->operands, 0, i->regions[0]->parameters);
      if (i->op == Opcode::kSwitch && !i->regions.empty()) drop(&i->operands, 1, i->regions[0]->parameters);
      const bool carries = i->op != Opcode::kItems && i->op != Opcode::kEach;  // these have masks and lanes as parameters
      for (Region* inner : i->regions) {
        if (carries) drop(&inner->parameters, 0, std::vector<Value*>(inner->parameters));
      }
      if (!i->regions.empty()) drop(&i->results, 0, std::vector<Value*>(i->results));
    }
    const size_t before = region.body.size();
    std::erase_if(region.body, [&](const Instruction* i) { return isDead(*i); });
    changed_ |= region.body.size() != before;
  }

  ir::Function& function_;
  std::unordered_map<const Value*, std::vector<const Value*>> sources_;  // of a carried value: what it may come from
  std::unordered_set<const Value*> needed_;
  std::unordered_set<const ir::Object*> objects_;
  std::vector<const Value*> work_;
  bool changed_ = false;
};

}  // namespace

void removeDead(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    cut(*function->body);
    while (Removal(*function).run()) {
    }
  }
}

}  // namespace manyrt::compiler::passes
