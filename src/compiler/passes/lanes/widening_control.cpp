// Control. Where neighbours go together it stays what it is. Where they may part, both sides of an `if` run with the masks of
// their lanes, a loop runs while a lane is left in it, and the regions of a `switch` stand one after the other.
#include <algorithm>

#include "compiler/passes/control.h"
#include "compiler/passes/lanes/widening.h"

namespace manyrt::compiler::passes {

using ir::Kind;
using ir::Opcode;
using ir::Shape;

// --- what parts

bool Widening::parts(const Instruction& i) const {
  if (i.op == Opcode::kLoop) return !isPlain(i);
  return i.op == Opcode::kSwitch || (i.op == Opcode::kIf && divergence_.diverges(i));
}

bool Widening::anythingParts(const Region& region) const {
  return std::any_of(region.body.begin(), region.body.end(), [&](const Instruction* i) {
    if (i->op == Opcode::kReturn || parts(*i)) return true;
    return std::any_of(i->regions.begin(), i->regions.end(), [&](const Region* inner) { return anythingParts(*inner); });
  });
}

// Whether all lanes leave a loop, and go on in it, in the same turns by the same ways.
bool Widening::isPlain(const Instruction& loop) const {
  if (divergence_.diverges(loop)) return false;
  return std::all_of(loop.regions.begin(), loop.regions.end(),
                     [&](const Region* inner) { return isPlainInside(*inner, loop, false); });
}

bool Widening::isPlainInside(const Region& region, const Instruction& loop, bool divided) const {
  for (const Instruction* i : region.body) {
    if (i->op == Opcode::kReturn) return false;
    if (ir::isTerminator(i->op)) {
      const Instruction* target = targetOf(*i);
      const bool leaves_all = target != &loop && ir::shapeOf(target->op) == Shape::kSwitch && !isInside(*target, loop);
      if (leaves_all || (divided && target == &loop)) return false;
    }
    const bool inner_divides = divided || i->op == Opcode::kSwitch || (i->op == Opcode::kIf && divergence_.diverges(*i));
    for (const Region* inner : i->regions) {
      if (!isPlainInside(*inner, loop, inner_divides)) return false;
    }
  }
  return true;
}

bool Widening::isInside(const Instruction& i, const Instruction& outer) {
  for (const Region* region = i.parent; region->owner != nullptr; region = region->owner->parent) {
    if (region->owner == &outer) return true;
  }
  return false;
}

// --- values that control carries

Widening::Slots Widening::slotsFor(const std::vector<Value*>& values) {
  Slots made;
  for (const Value* value : values)
    made.push_back(slot(divergence_.of(*value).isVarying() ? value->type.with(lanes_) : value->type));
  return made;
}

void Widening::take(const std::vector<Value*>& values, const Slots& from) {
  for (size_t k = 0; k < values.size(); ++k) define(*values[k], get(from[k]));
}

// `chooses`: lanes that are off keep what they have.
void Widening::give(const std::vector<Value*>& values, size_t first, const Slots& to, bool chooses) {
  std::vector<Value*> given;
  for (size_t k = 0; k < to.size(); ++k) {
    const Value& value = *values[first + k];
    given.push_back(to[k].type.hasLanes() ? withLanes(wide(value)) : narrow(value));
  }
  for (size_t k = 0; k < to.size(); ++k) {
    if (chooses && to[k].type.hasLanes()) given[k] = writer_.select(allOn(), given[k], get(to[k]));
    put(to[k], given[k]);
  }
}

Widening::Around& Widening::innermost(Shape shape) {
  size_t at = around_.size() - 1;
  while (ir::shapeOf(around_[at].instruction->op) != shape) --at;
  return around_[at];
}

// The lanes that are on leave the region for `target`, or (null) for good.
void Widening::leaveBy(const Slot* lanes, const Instruction* target) {
  if (lanes != nullptr) put(*lanes, either(get(*lanes), allOn()));
  put(on_, none());
  escapes_.back().insert(target);
}

void Widening::terminator(const Instruction& i) {
  switch (i.op) {
    case Opcode::kYield:
      if (i.parent->owner->op == Opcode::kItems) give(i.operands, 0, around_.front().results, false);
      return;  // of an if: it takes them itself
    case Opcode::kContinue: {
      Around& loop = innermost(Shape::kLoop);
      give(i.operands, 0, loop.step, loop.is_masked);
      if (!loop.is_masked) return writer_.end(i.op);
      return leaveBy(&loop.waiting, loop.instruction);
    }
    case Opcode::kNext: {
      Around& loop = innermost(Shape::kLoop);
      give(i.operands, 0, loop.body, false);
      if (!loop.is_masked) writer_.end(i.op);
      return;
    }
    case Opcode::kBreak: {
      Around& loop = innermost(Shape::kLoop);
      give(i.operands, 0, loop.results, loop.is_masked);
      if (!loop.is_masked) return writer_.end(i.op);
      return leaveBy(&loop.left, loop.instruction);
    }
    case Opcode::kLeave: {
      Around& chosen = innermost(Shape::kSwitch);
      give(i.operands, 0, chosen.results, true);
      return leaveBy(&chosen.left, chosen.instruction);
    }
    case Opcode::kFallThrough: {
      Around& chosen = innermost(Shape::kSwitch);
      give(i.operands, 0, chosen.regions[chosen.region + 1], true);
      return leaveBy(&chosen.waiting, chosen.instruction);
    }
    case Opcode::kReturn:
      writer_.add(Opcode::kEnd, {allOn()});
      return leaveBy(nullptr, nullptr);
    default:
      return refuse();
  }
}

void Widening::beginControl() { escapes_.emplace_back(); }

// What lanes have left for goes on to the control around, but what ends here.
void Widening::endControl(const Instruction& i) {
  std::set<const Instruction*> gone = std::move(escapes_.back());
  escapes_.pop_back();
  gone.erase(&i);
  escaped_ = !gone.empty();
  escapes_.back().insert(gone.begin(), gone.end());
}

// --- if

void Widening::ifOf(const Instruction& i) {
  const Slots results = slotsFor(i.results);
  beginControl();
  if (now(*i.operands[0])->type.hasLanes()) {
    if (!is_masked_) refuse();
    dividedIf(i, results);
  } else {
    uniformIf(i, results);
  }
  endControl(i);
  take(i.results, results);
}

// The values of a yield; a region that ends otherwise gives none.
void Widening::giveYield(const Region& from, const Slots& results, bool chooses) {
  if (from.body.back()->op == Opcode::kYield) give(from.body.back()->operands, 0, results, chooses);
}

void Widening::uniformIf(const Instruction& i, const Slots& results) {
  Region* outer = writer_.region();
  Instruction* own = writer_.add(Opcode::kIf, {now(*i.operands[0])});
  for (const Region* side : i.regions) {
    writer_.enter(own);
    region(*side, [&] { giveYield(*side, results, false); });
    if (writer_.reached()) writer_.end(Opcode::kYield);
  }
  writer_.moveTo(outer);
}

// Whether a side costs less than to ask whether one of its lanes is on: what it does is done with masks.
bool Widening::isShort(const Region& side) {
  const auto counts = [](const Instruction* i) { return i->op != Opcode::kConstant && !ir::isTerminator(i->op); };
  return std::count_if(side.body.begin(), side.body.end(), counts) <= 2 &&
         std::all_of(side.body.begin(), side.body.end() - 1, [](const Instruction* i) { return ir::isPure(i->op); });
}

// The side that is short comes first, so that the other one alone asks whether it has lanes.
void Widening::dividedIf(const Instruction& i, const Slots& results) {
  Region* outer = writer_.region();
  Value* before = allOn();
  Value* condition = now(*i.operands[0]);
  const size_t first = isShort(*i.regions[1]) ? 1 : 0;
  std::vector<Value*> left;
  for (const size_t number : {first, 1 - first}) {
    const Region& side = *i.regions[number];
    Value* lanes = both(before, number == 0 ? condition : negated(condition));
    const bool is_second = number != first;
    put(on_, lanes);
    if (isShort(side)) {
      region(side, [&] { giveYield(side, results, is_second); });
      left.push_back(side.body.back()->op == Opcode::kYield ? lanes : none());
      continue;
    }
    Instruction* own = writer_.add(Opcode::kIf, {writer_.unary(Opcode::kAny, lanes, {Kind::kBool})});
    writer_.enter(own);
    region(side, [&] { giveYield(side, results, is_second); });
    if (writer_.reached()) writer_.end(Opcode::kYield);
    writer_.enter(own);
    writer_.end(Opcode::kYield);
    writer_.moveTo(outer);
    left.push_back(side.body.back()->op == Opcode::kYield ? get(on_) : none());
  }
  put(on_, escapes_.back().empty() ? before : either(left[0], left[1]));
}

// --- loops

void Widening::loopOf(const Instruction& i) {
  Around around(&i, !isPlain(i));
  around.results = slotsFor(i.results);
  around.body = slotsFor(i.regions[0]->parameters);
  around.step = slotsFor(i.regions[1]->parameters);
  around.left = slot(mask());
  around.waiting = slot(mask());
  give(i.operands, 0, around.body, false);
  if (around.is_masked) put(around.left, none());
  around_.push_back(around);
  beginControl();
  Region* outer = writer_.region();
  Instruction* own = writer_.add(Opcode::kLoop, {});
  writer_.enter(own);
  if (around.is_masked) put(around.waiting, none());
  take(i.regions[0]->parameters, around.body);
  region(*i.regions[0], [] {});
  if (around.is_masked) {
    put(on_, get(around.waiting));
    breakUnlessAny();
    writer_.end(Opcode::kContinue);
  }
  writer_.enter(own);
  take(i.regions[1]->parameters, around.step);
  region(*i.regions[1], [] {});
  if (around.is_masked) {
    breakUnlessAny();
    writer_.end(Opcode::kNext);
  }
  writer_.moveTo(outer);
  if (around.is_masked) put(on_, get(around.left));
  around_.pop_back();
  endControl(i);
  take(i.results, around.results);
}

void Widening::breakUnlessAny() {
  Region* here = writer_.region();
  Instruction* own = writer_.add(Opcode::kIf, {writer_.unary(Opcode::kAny, allOn(), {Kind::kBool})});
  writer_.enter(own);
  writer_.end(Opcode::kYield);
  writer_.enter(own);
  writer_.end(Opcode::kBreak);
  writer_.moveTo(here);
}

// --- switch

void Widening::switchOf(const Instruction& i) {
  Around around(&i, true);
  around.results = slotsFor(i.results);
  for (const Region* each : i.regions) around.regions.push_back(slotsFor(each->parameters));
  around.left = slot(mask());
  around.waiting = slot(mask());
  Value* before = allOn();
  const Value& chooser = *i.operands[0];
  Value* value = wide(chooser);
  std::vector<Value*> chosen;
  Value* others = before;
  for (const std::vector<uint64_t>& cases : i.cases) {
    Value* own = nullptr;
    for (const uint64_t number : cases) {
      Value* equal = writer_.compare(Opcode::kEq, value, writer_.constant(chooser.type, number));
      own = own == nullptr ? equal : either(own, equal);
    }
    chosen.push_back(own == nullptr ? none() : both(before, own));
    if (own != nullptr) others = both(others, negated(own));
  }
  if (i.otherwise >= 0) chosen[static_cast<size_t>(i.otherwise)] = either(chosen[static_cast<size_t>(i.otherwise)], others);
  put(around.waiting, none());
  put(around.left, i.otherwise >= 0 ? none() : others);
  if (i.otherwise < 0) give(i.operands, 1, around.results, false);
  for (const Slots& each : around.regions) give(i.operands, 1, each, false);
  around_.push_back(std::move(around));
  beginControl();
  Region* outer = writer_.region();
  for (size_t number = 0; number < i.regions.size(); ++number) {
    around_.back().region = number;
    put(on_, either(chosen[number], get(around_.back().waiting)));
    put(around_.back().waiting, none());
    Instruction* own = writer_.add(Opcode::kIf, {writer_.unary(Opcode::kAny, allOn(), {Kind::kBool})});
    writer_.enter(own);
    take(i.regions[number]->parameters, around_.back().regions[number]);
    region(*i.regions[number], [] {});
    writer_.end(Opcode::kYield);
    writer_.enter(own);
    writer_.end(Opcode::kYield);
    writer_.moveTo(outer);
  }
  put(on_, get(around_.back().left));
  const Slots results = around_.back().results;
  around_.pop_back();
  endControl(i);
  take(i.results, results);
}

}  // namespace manyrt::compiler::passes
