// All results of control that a vector takes alone are the vector's own.
#include "compiler/passes/lanes/own_values.h"

#include <algorithm>

#include "compiler/passes/control.h"

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

OwnValues::OwnValues(const Region& region, uint8_t dimension) : dimension_(dimension) {
  do {
    changed_ = false;
    visit(region);
  } while (changed_);
}

bool OwnValues::is(const Instruction& i) const {
  const auto own = [&](const Value* each) { return is(*each); };
  return isControl(i) || std::any_of(i.operands.begin(), i.operands.end(), own) ||
         std::any_of(i.results.begin(), i.results.end(), own);
}

bool OwnValues::isId(const Instruction& i) const {
  if (i.op != Opcode::kWorkItem) return false;
  const bool is_id = i.work_item == WorkItem::kGlobalId || i.work_item == WorkItem::kLocalId;
  const Instruction* by = i.operands.empty() ? nullptr : i.operands[0]->by;
  return is_id && by != nullptr && by->op == Opcode::kConstant && by->numbers[0] == dimension_;
}

bool OwnValues::isAskedInControl(const Region& region) const {
  return std::any_of(region.body.begin(), region.body.end(), [&](const Instruction* i) {
    bool found = false;
    for (const Region* inner : i->regions) {
      found = found || isAskedInControl(*inner);
      if (!isControl(*i)) continue;
      ir::forEach(*inner, [&](const Instruction& each) {
        found = found || isId(each) || (each.op == Opcode::kAddress && each.object->per_item);
      });
    }
    return found;
  });
}

void OwnValues::addControl(const Instruction& i) {
  changed_ |= control_.insert(&i).second;
  for (const Value* result : i.results) add(*result);
}

void OwnValues::visit(const Region& region) {
  for (const Instruction* i : region.body) {
    if (ir::isTerminator(i->op)) {
      terminator(*i);
      continue;
    }
    const bool from_own = std::any_of(i->operands.begin(), i->operands.end(), [&](const Value* each) { return is(*each); });
    if (i->regions.empty()) {
      const bool is_pure_call =
          i->op == Opcode::kBuiltin && i->signature.builtin != nullptr && i->signature.builtin->kind == BuiltinKind::kPure;
      const bool acts = (i->op == Opcode::kBuiltin && !is_pure_call) || i->op == Opcode::kCall;
      if (from_own || acts || isId(*i) || (i->op == Opcode::kAddress && i->object->per_item)) {
        for (const Value* result : i->results) add(*result);
      }
      continue;
    }
    if (i->op == Opcode::kIf && is(*i->operands[0])) addControl(*i);
    if (i->op == Opcode::kLoop) carry(i->operands, i->regions[0]->parameters);
    for (const Region* inner : i->regions) visit(*inner);
  }
}

void OwnValues::terminator(const Instruction& i) {
  const Instruction* target = targetOf(i);
  if (target->op == Opcode::kItems) return;
  for (const Region* region = i.parent; region->owner != target; region = region->owner->parent) {
    if (!isControl(*region->owner)) continue;
    // Each vector leaves all control up to the target in a turn of its own.
    for (const Instruction* at = region->owner; at != target; at = at->parent->owner) addControl(*at);
    addControl(*target);
    break;
  }
  carry(i.operands, receivers(i, *target));
}

void OwnValues::carry(const std::vector<Value*>& values, const std::vector<Value*>& to) {
  for (size_t k = 0; k < to.size(); ++k) {
    if (is(*values[k])) add(*to[k]);
  }
}

}  // namespace manyrt::compiler::passes
