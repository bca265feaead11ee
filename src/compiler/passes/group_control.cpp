// Barriers make control the group's, and jumps spread that. A barrier further on forces all items to agree.
#include "compiler/passes/group_control.h"

#include <algorithm>
#include <vector>

#include "compiler/passes/control.h"

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Opcode;
using ir::Region;

namespace {

// Whether control may go from inside of an instruction to somewhere else than after it. A return ends an item, for which no
// other one waits.
bool jumpsOut(const Instruction& i) {
  std::unordered_set<const Instruction*> inside = {&i};
  bool found = false;
  for (const Region* region : i.regions) {
    ir::forEach(*region, [&](const Instruction& inner) {
      inside.insert(&inner);
      if (ir::isTerminator(inner.op) && inner.op != Opcode::kReturn) found = found || !inside.contains(targetOf(inner));
    });
  }
  return found;
}

bool mayReturn(const Instruction& i) {
  bool found = i.op == Opcode::kReturn;
  for (const Region* region : i.regions) {
    ir::forEach(*region, [&](const Instruction& inner) { found = found || inner.op == Opcode::kReturn; });
  }
  return found;
}

}  // namespace

bool hasBarrier(const Region& region) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) { found = found || i.op == Opcode::kBarrier; });
  return found;
}

GroupControl::GroupControl(const ir::Function& kernel) {
  std::vector<const Instruction*> terminators;
  ir::forEach(*kernel.body, [&](const Instruction& i) {
    const bool inside = std::any_of(i.regions.begin(), i.regions.end(), [](const Region* r) { return hasBarrier(*r); });
    if (i.op == Opcode::kBarrier || inside) groups_.insert(&i);
    if (ir::isTerminator(i.op) && i.op != Opcode::kReturn && i.op != Opcode::kYield) terminators.push_back(&i);
  });
  // Instructions around a jump that goes on with one of the group's, or ends it, are the group's too.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction* i : terminators) {
      const Instruction* target = targetOf(*i);
      if (!contains(*target)) continue;
      for (const Instruction* at = i->parent->owner; at != target; at = at->parent->owner)
        changed = groups_.insert(at).second || changed;
    }
  }
}

bool GroupControl::agree(const IsUniform& is_uniform) const {
  return std::all_of(groups_.begin(), groups_.end(), [&](const Instruction* i) { return agree(*i, is_uniform); });
}

// Whether all items that come to an instruction of the group go the same way there. Either its condition is uniform, or the way
// that some take leads to a barrier in any case. OpenCL then forbids the others another way.
bool GroupControl::agree(const Instruction& i, const IsUniform& is_uniform) const {
  if (i.op == Opcode::kBarrier || i.op == Opcode::kLoop || is_uniform(i.operands[0])) return true;
  if (i.op == Opcode::kSwitch) return false;
  const Region &one = *i.regions[0], &other = *i.regions[1];
  if (waits(one, 0) || waits(other, 0)) return true;
  // One side leaves from here, and the items that stay wait.
  const auto leaves = [](const Region& region) { return region.body.back()->op != Opcode::kYield; };
  return leaves(one) != leaves(other) && staysToWait(i);
}

// Whether what runs from a place of a region on comes to a barrier before control can part.
bool GroupControl::waits(const Region& region, size_t from) const {
  for (size_t at = from; at < region.body.size(); ++at) {
    const Instruction& i = *region.body[at];
    if (i.op == Opcode::kBarrier) return true;
    if (mayReturn(i)) return false;  // all that have come here may end, and then others need not come
    if (!contains(i)) continue;
    // The first turn of a loop begins whatever comes.
    if (i.op == Opcode::kLoop && waits(*i.regions[0], 0)) return true;
    if (i.op == Opcode::kIf && waits(*i.regions[0], 0) && waits(*i.regions[1], 0)) return true;
    if (jumpsOut(i)) return false;
  }
  return false;
}
bool GroupControl::partsBefore(const Region& region, size_t from) const {
  return std::any_of(region.body.begin() + static_cast<ptrdiff_t>(from), region.body.end(),
                     [&](const Instruction* i) { return mayReturn(*i) || (contains(*i) && jumpsOut(*i)); });
}

// From the end of an if on, over the ends of regions around it, and into the next turn of a loop.
bool GroupControl::staysToWait(const Instruction& i) const {
  const Instruction* at = &i;
  for (;;) {
    const Region& region = *at->parent;
    const size_t next = static_cast<size_t>(std::find(region.body.begin(), region.body.end(), at) - region.body.begin()) + 1;
    if (waits(region, next)) return true;
    if (partsBefore(region, next) || region.owner == nullptr) return false;
    const Opcode end = region.body.back()->op;
    if (region.owner->op == Opcode::kIf && end == Opcode::kYield) {
      at = region.owner;
      continue;
    }
    if (region.owner->op != Opcode::kLoop) return false;
    const Region &body = *region.owner->regions[0], &step = *region.owner->regions[1];
    if (end == Opcode::kContinue) return waits(step, 0) || (!partsBefore(step, 0) && waits(body, 0));
    return end == Opcode::kNext && waits(body, 0);
  }
}

}  // namespace manyrt::compiler::passes
