// The vectors do each instruction one after the other before the next one. So an item reads and writes in its own order. A
// square is all their loads or stores of one place in the program, which every vector comes to.
#include "compiler/passes/lanes/squares.h"

#include <algorithm>

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

Squares::Squares(const Region& region, const OwnValues& own)
    : own_(own),
      changes_([&own](const Value& value) { return own.is(value); },
               [&own](const Value& value) -> std::optional<int64_t> {
                 if (value.by != nullptr && own.isId(*value.by)) return 1;
                 return std::nullopt;
               }) {
  bool has_loop = false;
  size_t all = 0;
  ir::forEach(region, [&](const Instruction& i) {
    has_loop = has_loop || i.op == Opcode::kLoop;
    inside_.insert(i.results.begin(), i.results.end());
    for (const Region* inner : i.regions) inside_.insert(inner->parameters.begin(), inner->parameters.end());
    const auto isEarly = [&](const Value* each) { return isKnownEarly(*each); };
    if (ir::isPure(i.op) && std::all_of(i.operands.begin(), i.operands.end(), isEarly))
      early_.insert(i.results.begin(), i.results.end());
    ++all;
  });
  if (!has_loop && all <= kMostCopied && !own.isAskedInControl(region)) find(region);
}

void Squares::find(const Region& region) {
  for (const Instruction* i : region.body) {
    Bounds bounds;
    if (i->op == Opcode::kConstant || ir::isTerminator(i->op)) continue;
    if (i->op == Opcode::kIf) {
      const bool is_own = own_.isControl(*i);
      if (!is_own || decide(*i)) {
        if (!is_own) find(*i->regions[0]);
        find(*i->regions[1]);
        continue;
      }
      for (const Region* side : i->regions) ir::forEach(*side, [&](const Instruction&) { ++size_; });
      continue;
    }
    if (isAlong(*i, &bounds) && areKnownEarly(bounds)) {
      squares_.insert(i);
      addBounds(bounds, &bounds_);
    }
    if (own_.is(*i)) ++size_;
  }
}

// An if is decided by bounds or, where its first side is rare, by the condition itself in each vector.
bool Squares::decide(const Instruction& i) {
  Bounds bounds;
  Value* condition = i.operands[0];
  if (changes_.isBounded(*condition, &bounds) && areKnownEarly(bounds)) {
    addBounds(bounds, &bounds_);
    return decided_.insert(&i).second;
  }
  const std::vector<Instruction*>& first = i.regions[0]->body;
  const bool is_rare = std::any_of(first.begin(), first.end(), [](const Instruction* each) { return each->is_rare; });
  if (!is_rare || !isKnownEarly(*condition)) return false;
  conditions_.push_back(condition);
  return decided_.insert(&i).second;
}

bool Squares::isAlong(const Instruction& i, Bounds* bounds) const {
  if (i.op != Opcode::kLoad && i.op != Opcode::kStore) return false;
  const size_t at = i.op == Opcode::kLoad ? 0 : 1;
  const ir::Type type = i.op == Opcode::kLoad ? i.result()->type : i.operands[0]->type;
  const Value& pointer = *i.operands[at];
  if (i.is_volatile || i.mask() != nullptr || !type.hasLanes() || type.isVector() || type.isPointer()) return false;
  if (type.lanes > ir::kMaxComponents || pointer.type.hasLanes() || (i.numbers.empty() && i.step() == nullptr)) return false;
  const auto bytes = static_cast<int64_t>(ir::bytesOf(type.kind));
  if (!i.numbers.empty() && (static_cast<int64_t>(i.numbers[0]) == bytes || i.numbers[0] == 0)) return false;
  if (i.step() != nullptr && own_.is(*i.step())) return false;
  return changes_.of(pointer, bounds) == bytes;
}

bool Squares::areKnownEarly(const Bounds& bounds) const {
  return std::all_of(bounds.begin(), bounds.end(), [&](const Bound& each) { return isKnownEarly(*each.number); });
}

}  // namespace manyrt::compiler::passes
