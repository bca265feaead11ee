// Control. Where neighbours go together it stays what it is. Where they may part, both sides of an `if` run with the masks of
// their lanes. A loop runs while a lane is left in it, and the regions of a `switch` stand one after the other.
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

// Whether a loop goes on at the end of its body alone. Lanes that have left it may then carry any value: the values that they
// gave when they left are kept elsewhere.
bool Widening::goesOnOnce(const Instruction& loop) {
  size_t count = 0;
  ir::forEach(*loop.regions[0], [&](const Instruction& i) {
    if (i.op == Opcode::kContinue && targetOf(i) == &loop) ++count;
  });
  return count == 1 && loop.regions[0]->body.back()->op == Opcode::kContinue;
}

void Widening::terminator(const Instruction& i) {
  switch (i.op) {
    case Opcode::kYield:
      if (i.parent->owner->op == Opcode::kItems) give(i.operands, 0, around_.front().results, false);
      return;  // of an if: it takes them itself
    case Opcode::kContinue: {
      Around& loop = innermost(Shape::kLoop);
      give(i.operands, 0, loop.step, loop.is_masked && !goesOnOnce(*loop.instruction));
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

// Targets that lanes have left for are those of the control around too, but for the one that ends here.
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
    if (isBorder(i)) {
      borderIf(i, results);
    } else {
      dividedIf(i, results);
    }
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

// Whether a side costs less than asking whether one of its lanes is on. It then always runs, with masks.
bool Widening::isShort(const Region& side) {
  constexpr int kMost = 5, kDivision = 4;
  int count = 0;
  for (size_t k = 0; k + 1 < side.body.size(); ++k) {
    const Opcode op = side.body[k]->op;
    if (!ir::isPure(op)) return false;
    const bool divides = op == Opcode::kSDiv || op == Opcode::kUDiv || op == Opcode::kSRem || op == Opcode::kURem;
    if (op != Opcode::kConstant) count += divides || op == Opcode::kFDiv ? kDivision : 1;
  }
  return count <= kMost;
}

// Whether a condition compares a number that grows from lane to lane with one that is the same for all, or joins several such
// comparisons.
bool Widening::isBorder(const Value& condition) const {
  const Instruction* by = condition.by;
  if (isShared(condition)) return true;
  if (by == nullptr || condition.type.isVector()) return false;
  const Shape shape = ir::shapeOf(by->op);
  const bool joins = by->op == Opcode::kAnd || by->op == Opcode::kOr || by->op == Opcode::kXor;
  if (joins && by->operands[0]->type.isBool()) {
    if (by->op == Opcode::kXor && !isShared(*by->operands[1])) return false;
    return isBorder(*by->operands[0]) && isBorder(*by->operands[1]);
  }
  if (shape != Shape::kCompareIntegers && shape != Shape::kCompareBits) return false;
  const analysis::Pace a = divergence_.of(*by->operands[0]), b = divergence_.of(*by->operands[1]);
  if (!(a.isLinear() && b.isUniform()) && !(a.isUniform() && b.isLinear())) return false;
  const auto hasLanes = [&](const Value* each) {
    return each->type.isPointer() || each->type.isBool() || now(*each)->type.hasLanes();
  };
  if (!fitsRow((a.isLinear() ? a : b).stride, by->operands[0]->type.kind)) return false;
  return std::none_of(by->operands.begin(), by->operands.end(), hasLanes);
}

// Whether a condition parts few vectors, as borders do, and its `if` is short enough to be written twice.
bool Widening::isBorder(const Instruction& i) const {
  constexpr size_t kMost = 80;
  if (on_border_ || !isBorder(*i.operands[0])) return false;
  size_t count = 0;
  bool is_plain = true, has_memory = false;
  for (const Region* side : i.regions) {
    is_plain = is_plain && side->body.back()->op == Opcode::kYield;
    ir::forEach(*side, [&](const Instruction& each) {
      count += each.op == Opcode::kConstant ? 0 : 1;
      is_plain = is_plain && (each.regions.empty() || each.op == Opcode::kIf) &&
                 (!ir::isTerminator(each.op) || each.op == Opcode::kYield);
      has_memory = has_memory || each.op == Opcode::kLoad || each.op == Opcode::kStore;
    });
  }
  return is_plain && has_memory && count <= kMost;
}

// Whether a condition holds for all lanes, and whether for none, by the two ends of a row. Both are false where a number wraps
// on the way.
Widening::Agreement Widening::agreement(const Value& condition) {
  if (isShared(condition)) return {now(condition), negated(now(condition))};
  const Instruction& asked = *condition.by;
  if (asked.op != Opcode::kAnd && asked.op != Opcode::kOr && asked.op != Opcode::kXor) return ofRow(asked);
  const Agreement a = agreement(*asked.operands[0]), b = agreement(*asked.operands[1]);
  if (asked.op == Opcode::kAnd) return {both(a.all, b.all), either(a.none, b.none)};
  if (asked.op == Opcode::kOr) return {either(a.all, b.all), both(a.none, b.none)};
  // The second operand is the same for all lanes.
  return {either(both(a.all, b.none), both(a.none, b.all)), either(both(a.all, b.all), both(a.none, b.none))};
}

Widening::Agreement Widening::ofRow(const Instruction& asked) {
  const bool is_left = divergence_.of(*asked.operands[0]).isLinear();
  const Value& number = *asked.operands[is_left ? 0 : 1];
  Value* limit = now(*asked.operands[is_left ? 1 : 0]);
  const int64_t stride = divergence_.of(number).stride;
  Value* first = now(number);
  Value* last =
      writer_.binary(Opcode::kAdd, first, writer_.constant(first->type, static_cast<uint64_t>(stride * (lanes_ - 1))));
  Value *least = stride >= 0 ? first : last, *most = stride >= 0 ? last : first;
  const bool is_signed = asked.op == Opcode::kSLt || asked.op == Opcode::kSLe;
  Value* in_order = writer_.compare(is_signed ? Opcode::kSLe : Opcode::kULe, least, most);
  if (asked.op == Opcode::kEq || asked.op == Opcode::kNe) {
    Value* beside = either(writer_.compare(Opcode::kULt, limit, least), writer_.compare(Opcode::kULt, most, limit));
    Value *never = writer_.constant({Kind::kBool}, 0), *apart = both(in_order, beside);
    return asked.op == Opcode::kEq ? Agreement{never, apart} : Agreement{apart, never};
  }
  const auto holds = [&](Value* one) {
    return is_left ? writer_.compare(asked.op, one, limit) : writer_.compare(asked.op, limit, one);
  };
  // With the number on the left, a condition that holds for the greatest one holds for all.
  return {both(in_order, holds(is_left ? most : least)), both(in_order, negated(holds(is_left ? least : most)))};
}

// Writes an if as one side where all lanes agree, and else with masks.
void Widening::borderIf(const Instruction& i, const Slots& results) {
  Region* outer = writer_.region();
  const Agreement agreed = agreement(*i.operands[0]);
  const auto whole = [&](size_t number) {
    region(*i.regions[number], [&] { giveYield(*i.regions[number], results, false); });
    writer_.end(Opcode::kYield);
  };
  Instruction* all = writer_.add(Opcode::kIf, {agreed.all});
  writer_.enter(all);
  whole(0);
  Region* not_all = writer_.enter(all);
  Instruction* none = writer_.add(Opcode::kIf, {agreed.none});
  writer_.enter(none);
  whole(1);
  writer_.enter(none);
  on_border_ = true;
  dividedIf(i, results);
  on_border_ = false;
  writer_.end(Opcode::kYield);
  writer_.moveTo(not_all);
  writer_.end(Opcode::kYield);
  writer_.moveTo(outer);
}

// The short side comes first, so that only the other one asks whether it has lanes.
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

// Where lanes leave a loop by a condition at its beginning alone: the `if` that asks it; null: it is no such loop.
const ir::Instruction* Widening::onlyExit(const Instruction& loop) {
  const Region& body = *loop.regions[0];
  const Instruction* exit = nullptr;
  for (const Instruction* i : body.body) {
    if (i->op == Opcode::kIf) exit = i;
    if (!ir::isPure(i->op)) break;
  }
  if (exit == nullptr || !exit->results.empty()) return nullptr;
  const auto isOnly = [&](size_t side, Opcode op) {
    return exit->regions[side]->body.size() == 1 && exit->regions[side]->body[0]->op == op;
  };
  const bool leaves_first = isOnly(0, Opcode::kBreak);
  if (!isOnly(leaves_first ? 1 : 0, Opcode::kYield) || !isOnly(leaves_first ? 0 : 1, Opcode::kBreak)) return nullptr;
  if (body.body.back()->op != Opcode::kContinue || loop.regions[1]->body.back()->op != Opcode::kNext) return nullptr;
  bool others = false;
  for (const Region* region : loop.regions) {
    ir::forEach(*region, [&](const Instruction& i) {
      if (i.op == Opcode::kLoop) others = true;
      if (!ir::isTerminator(i.op) || i.parent->owner == exit || i.parent == region) return;
      const Instruction* target = targetOf(i);
      others = others || target == nullptr || !isInside(*target, loop);
    });
  }
  return others ? nullptr : exit;
}

// For "a linear number is less than one that is the same for all": whether that may be false for a lane. Lanes that are off
// count as well. Null: it is no such condition.
Widening::Value* Widening::unlessInRow(const Value& condition) {
  const Instruction* by = condition.by;
  if (by == nullptr || (by->op != Opcode::kSLt && by->op != Opcode::kULt && by->op != Opcode::kSLe && by->op != Opcode::kULe))
    return nullptr;
  const Value &number = *by->operands[0], &limit = *by->operands[1];
  const analysis::Pace pace = divergence_.of(number);
  if (!pace.isLinear() || now(number)->type.hasLanes() || !isShared(limit) || number.type.isPointer()) return nullptr;
  if (!fitsRow(pace.stride, number.type.kind)) return nullptr;
  Value* first = now(number);
  Value* span = writer_.constant(first->type, static_cast<uint64_t>(pace.stride * (lanes_ - 1)));
  Value* last = writer_.binary(Opcode::kAdd, first, span);
  const bool is_signed = by->op == Opcode::kSLt || by->op == Opcode::kSLe;
  Value* in_order = writer_.compare(is_signed ? Opcode::kSLe : Opcode::kULe, pace.stride >= 0 ? first : last,
                                    pace.stride >= 0 ? last : first);
  Value* greatest = pace.stride >= 0 ? last : first;
  return negated(both(in_order, writer_.compare(by->op, greatest, now(limit))));
}

// Turns that all lanes take which were on before: the mask stays what it was. The loop after it takes the others.
void Widening::commonTurns(const Instruction& i, const Instruction& exit, const Around& around) {
  Region* outer = writer_.region();
  Instruction* own = writer_.add(Opcode::kLoop, {});
  around_.push_back(around);
  around_.back().is_masked = false;
  writer_.enter(own);
  take(i.regions[0]->parameters, around.body);
  const std::vector<Instruction*>& body = i.regions[0]->body;
  const auto at = std::find(body.begin(), body.end(), &exit);
  std::for_each(body.begin(), at, [&](const Instruction* each) { instruction(*each); });
  const bool leaves_first = exit.regions[0]->body[0]->op == Opcode::kBreak;
  Value* leave = leaves_first ? nullptr : unlessInRow(*exit.operands[0]);
  if (leave == nullptr) {
    Value* stays = withLanes(wide(*exit.operands[0]));
    leave = writer_.unary(Opcode::kAny, both(allOn(), leaves_first ? stays : negated(stays)), {Kind::kBool});
  }
  Region* here = writer_.region();
  Instruction* leaves = writer_.add(Opcode::kIf, {leave});
  writer_.enter(leaves);
  writer_.end(Opcode::kBreak);
  writer_.enter(leaves);
  writer_.end(Opcode::kYield);
  writer_.moveTo(here);
  part(at + 1, body.end(), [] {});
  writer_.enter(own);
  take(i.regions[1]->parameters, around.step);
  region(*i.regions[1], [] {});
  writer_.moveTo(outer);
  around_.pop_back();
}

void Widening::loopOf(const Instruction& i) {
  Around around(&i, !isPlain(i));
  around.results = slotsFor(i.results);
  around.body = slotsFor(i.regions[0]->parameters);
  around.step = slotsFor(i.regions[1]->parameters);
  around.left = slot(mask());
  around.waiting = slot(mask());
  give(i.operands, 0, around.body, false);
  Value* const before = around.is_masked ? allOn() : nullptr;
  if (const Instruction* exit = around.is_masked ? onlyExit(i) : nullptr; exit != nullptr) commonTurns(i, *exit, around);
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
  // If lanes go nowhere else, all of them have left the loop by now.
  const std::set<const Instruction*>& gone = escapes_.back();
  const bool leaves_all = std::all_of(gone.begin(), gone.end(), [&](const Instruction* to) { return to == &i; });
  if (around.is_masked) put(on_, leaves_all ? before : get(around.left));
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
    // If neighbours go together, a value that is the same for them may only change in the region that they take: it needs the
    // `if`.
    if (divergence_.diverges(i) && isShort(*i.regions[number])) {
      take(i.regions[number]->parameters, around_.back().regions[number]);
      region(*i.regions[number], [] {});
      continue;
    }
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
