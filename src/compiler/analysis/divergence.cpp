// A fixed point: paces only get worse from round to round, so the rounds end. A value that arrives by two ways is the join of
// both, and a range that grows is given up. A value that control carries is as bad as its sources, and varies where neighbours
// may come by different ways with different values.
#include "compiler/analysis/divergence.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/evaluate.h"

namespace manyrt::compiler::analysis {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Shape;
using ir::Value;
using Kind = Pace::Kind;

constexpr int64_t kBound = int64_t{1} << 61;  // of ranges: what goes beyond it is not known
constexpr int64_t kMostStride = int64_t{1} << 40;

const Pace kUniform{Kind::kUniform};
const Pace kVarying{Kind::kVarying};

Pace linear(int64_t stride, int64_t low = INT64_MIN, int64_t high = INT64_MAX) {
  if (stride > kMostStride || stride < -kMostStride) return kVarying;
  if (low < -kBound || high > kBound) low = INT64_MIN, high = INT64_MAX;
  return {stride == 0 ? Kind::kUniform : Kind::kLinear, stride, low, high};
}

bool constantOf(const Value& value, int64_t* number) {
  if (value.by == nullptr || value.by->op != Opcode::kConstant || value.type.isVector() || !value.type.isInteger())
    return false;
  *number = ir::signedOf(value.type.kind, value.by->numbers[0]);
  return true;
}

Pace sum(Pace a, Pace b, int64_t sign) {
  if (!a.isBounded() || !b.isBounded()) return linear(a.stride + sign * b.stride);
  return linear(a.stride + sign * b.stride, a.low + (sign > 0 ? b.low : -b.high), a.high + (sign > 0 ? b.high : -b.low));
}

Pace product(Pace a, int64_t factor) {
  int64_t stride, low, high;
  if (__builtin_mul_overflow(a.stride, factor, &stride)) return kVarying;
  if (!a.isBounded() || __builtin_mul_overflow(a.low, factor, &low) || __builtin_mul_overflow(a.high, factor, &high))
    return linear(stride);
  return linear(stride, std::min(low, high), std::max(low, high));
}

}  // namespace

Divergence::Divergence(const ir::Function& kernel, uint32_t dimension, int64_t most) : dimension_(dimension), most_(most) {
  for (size_t i = 0; i < kernel.body->parameters.size(); ++i) {
    // A record by value is each item's own copy.
    give(*kernel.body->parameters[i], kernel.parameter_bytes[i] != 0 ? kVarying : kUniform);
  }
  noteRegions(*kernel.body);
  do {
    changed_ = false;
    region(*kernel.body, {});
  } while (changed_);
  is_over_ = true;
}

Pace Divergence::of(const Value& value) const {
  const auto at = paces_.find(&value);
  if (is_over_ && (at == paces_.end() || at->second.kind == Kind::kUnknown)) return kVarying;
  return at == paces_.end() ? Pace() : at->second;
}

void Divergence::noteRegions(const Region& region) {
  for (const Value* parameter : region.parameters) regions_[parameter] = &region;
  for (const Instruction* i : region.body) {
    for (const Region* inner : i->regions) noteRegions(*inner);
  }
}

bool Divergence::isMadeIn(const Value& value, const Instruction& loop) const {
  const Region* region = value.by != nullptr ? value.by->parent : regions_.at(&value);
  while (region->owner != nullptr && region->owner != &loop) region = region->owner->parent;
  return region->owner == &loop;
}

Pace Divergence::joined(Pace a, Pace b) const {
  if (a.kind == Kind::kUnknown) return b;
  if (b.kind == Kind::kUnknown || a == b) return a;
  if (a.isVarying() || b.isVarying() || a.stride != b.stride) return kVarying;
  return linear(a.stride);
}

void Divergence::give(const Value& value, Pace pace) {
  Pace& own = paces_[&value];
  const Pace now = joined(own, pace);
  if (now == own) return;
  own = now;
  changed_ = true;
}

// `divides`: neighbours may come by different ways. Then the value is varying, unless all of them bring the same one, from
// before they parted.
void Divergence::receive(const Value& value, const Value& from, bool divides) {
  const auto [at, is_first] = only_.emplace(&value, &from);
  if (at->second != &from) at->second = nullptr;
  give(value, divides && at->second == nullptr ? kVarying : of(from));
}

void Divergence::mark(const Instruction& control) { changed_ |= diverging_.insert(&control).second; }

// Whether something between here and `target`, or what leads to its regions, parts neighbours; or some have jumped to it, or to
// something inside of it, from before.
bool Divergence::isDivided(const Instruction& target) const {
  size_t at = around_.size();
  while (at-- > 0) {
    if (diverges(*around_[at]) && (around_[at] != &target || target.op != Opcode::kLoop)) return true;
    if (around_[at] == &target) break;
  }
  if (at >= around_.size()) return true;
  return std::any_of(parted_.begin(), parted_.end(),
                     [&](const Targets& parted) { return !parted.empty() && *parted.rbegin() >= at; });
}

// `parted` is parted_ at the beginning of the region; returns it as it is at the end.
Divergence::Targets Divergence::region(const Region& region, Targets parted) {
  parted_.push_back(std::move(parted));
  for (const Instruction* each : region.body) instruction(*each);
  Targets left = std::move(parted_.back());
  parted_.pop_back();
  return left;
}

void Divergence::instruction(const Instruction& i) {
  if (ir::isTerminator(i.op)) {
    terminator(i);
  } else if (!i.regions.empty() || i.op == Opcode::kSwitch) {
    control(i);
  } else if (i.result() != nullptr) {
    give(*i.result(), computed(i));
  }
}

void Divergence::control(const Instruction& i) {
  const bool chooses = i.op == Opcode::kIf || i.op == Opcode::kSwitch;
  if (chooses && !of(*i.operands[0]).isUniform()) mark(i);
  around_.push_back(&i);
  if (i.op == Opcode::kLoop) {
    for (size_t k = 0; k < i.operands.size(); ++k) receive(*i.regions[0]->parameters[k], *i.operands[k], false);
  }
  if (i.op == Opcode::kSwitch) {
    for (size_t k = 1; k < i.operands.size(); ++k) {
      for (const Region* inner : i.regions) receive(*inner->parameters[k - 1], *i.operands[k], diverges(i));
      if (i.otherwise < 0) receive(*i.results[k - 1], *i.operands[k], diverges(i));
    }
  }
  Targets parted;
  for (const Region* inner : i.regions) {
    // Control may fall into a region of a switch from the one before it.
    const Targets left = region(*inner, i.op == Opcode::kSwitch ? parted : Targets());
    parted.insert(left.begin(), left.end());
  }
  around_.pop_back();
  parted.erase(around_.size());  // all meet after it
  parted_.back().insert(parted.begin(), parted.end());
}

void Divergence::terminator(const Instruction& i) {
  if (i.op == Opcode::kReturn) {
    // Items that return leave every loop around.
    for (const Instruction* each : around_) {
      if (each->op == Opcode::kLoop && isDivided(*each)) mark(*each);
    }
    return;
  }
  if (i.op == Opcode::kYield && around_.back()->op == Opcode::kItems) {
    for (const Value* result : around_.back()->results) give(*result, kUniform);  // the last item's, once for the group
    return;
  }
  Shape shape = Shape::kLoop;
  if (i.op == Opcode::kYield) shape = Shape::kIf;
  if (i.op == Opcode::kLeave || i.op == Opcode::kFallThrough) shape = Shape::kSwitch;
  if (i.op == Opcode::kYield && around_.back()->op == Opcode::kEach) {
    for (const Value* result : around_.back()->results) give(*result, kVarying);
    return;
  }
  size_t at = around_.size();
  while (ir::shapeOf(around_[--at]->op) != shape) {
  }
  const Instruction& target = *around_[at];
  for (size_t inner = at + 1; inner < around_.size(); ++inner) {  // loops that it leaves on its way
    if (around_[inner]->op == Opcode::kLoop && isDivided(*around_[inner])) mark(*around_[inner]);
  }
  const bool divided = isDivided(target);
  if (divided && shape != Shape::kIf) parted_.back().insert(at);
  const std::vector<Value*>* to = &target.results;
  bool divides = divided;
  switch (i.op) {
    case Opcode::kBreak:
      if (divided) mark(target);
      divides = diverges(target);  // in different turns
      break;
    case Opcode::kContinue:
      to = &target.regions[1]->parameters;
      break;
    case Opcode::kNext:
      to = &target.regions[0]->parameters;
      divides = false;  // all that go on come this way
      break;
    case Opcode::kFallThrough: {
      const Region* region = i.parent;
      while (region->owner != &target) region = region->owner->parent;
      to = &(*(std::find(target.regions.begin(), target.regions.end(), region) + 1))->parameters;
      break;
    }
    default:
      break;
  }
  for (size_t k = 0; k < to->size(); ++k) {
    // A value made inside of a loop differs between items that leave the loop in different turns.
    if (i.op == Opcode::kBreak && divides && isMadeIn(*i.operands[k], target)) {
      give(*(*to)[k], kVarying);
    } else {
      receive(*(*to)[k], *i.operands[k], divides);
    }
  }
}

// --- instructions

Pace Divergence::id(const Instruction& i) const {
  int64_t dimension = 0;
  const bool known = i.operands.empty() || constantOf(*i.operands[0], &dimension);
  if (!i.operands.empty() && !of(*i.operands[0]).isUniform()) return kVarying;
  const bool here = !known || dimension == static_cast<int64_t>(dimension_);
  switch (i.work_item) {
    case WorkItem::kGlobalId:
    case WorkItem::kLocalId:
      if (known) return here ? linear(1, 0, most_ - 1) : Pace{Kind::kUniform, 0, 0, most_ - 1};
      return kVarying;  // of a dimension that is not known: one of three
    case WorkItem::kGlobalLinearId:
    case WorkItem::kLocalLinearId:
      return dimension_ == 0 ? linear(1) : kVarying;
    case WorkItem::kGroupId:
    case WorkItem::kLocalSize:
    case WorkItem::kFirstGlobalId:
      return {Kind::kUniform, 0, 0, most_ - 1};
    default:
      return kUniform;
  }
}

// To more bits: m has to lie in the type that it comes from.
Pace Divergence::widened(const Instruction& i) const {
  const Value& from = *i.operands[0];
  const Pace pace = of(from);
  if (!pace.isBounded()) return pace.isUniform() ? kUniform : kVarying;
  const uint32_t bits = ir::bitsOf(from.type.kind);
  const bool is_signed = i.op == Opcode::kSExt;
  const int64_t end = int64_t{1} << (is_signed ? bits - 1 : bits);
  const bool fits = pace.low >= (is_signed ? -end : 0) && pace.high < end;
  if (fits) return pace;
  return pace.isUniform() ? kUniform : kVarying;
}

Pace Divergence::integer(const Instruction& i) const {
  const Pace a = of(*i.operands[0]), b = of(*i.operands[1]);
  const bool is_plain = !i.result()->type.isVector() && !a.isVarying() && !b.isVarying();
  const Pace whole = a.isUniform() && b.isUniform() ? kUniform : kVarying;
  if (!is_plain) return whole;
  int64_t number = 0;
  switch (i.op) {
    case Opcode::kAdd:
      return sum(a, b, 1);
    case Opcode::kSub:
      return sum(a, b, -1);
    case Opcode::kMul:
      if (constantOf(*i.operands[1], &number)) return product(a, number);
      if (constantOf(*i.operands[0], &number)) return product(b, number);
      return whole;
    case Opcode::kShl:
      if (constantOf(*i.operands[1], &number) && number < 40) return product(a, int64_t{1} << number);
      return whole;
    case Opcode::kAnd: {
      // A mask of low bits bounds a uniform value. A linear value is varying after it.
      if (!a.isUniform() || !b.isUniform()) return kVarying;
      const bool bounds = constantOf(*i.operands[1], &number) || constantOf(*i.operands[0], &number);
      return bounds && number >= 0 ? Pace{Kind::kUniform, 0, 0, number} : kUniform;
    }
    default:
      return whole;
  }
}

Pace Divergence::computed(const Instruction& i) const {
  const auto uniform = [&] {
    return std::all_of(i.operands.begin(), i.operands.end(), [&](const Value* each) { return of(*each).isUniform(); });
  };
  const Pace first = i.operands.empty() ? Pace() : of(*i.operands[0]);
  switch (ir::shapeOf(i.op)) {
    case Shape::kConstant: {
      int64_t number;
      return constantOf(*i.result(), &number) ? Pace{Kind::kUniform, 0, number, number} : kUniform;
    }
    case Shape::kIntegers:
    case Shape::kBits:
      return integer(i);
    case Shape::kNarrow:
      return i.result()->type.isVector() && !first.isUniform() ? kVarying : first;
    case Shape::kWiden:
      return i.operands[0]->type.isBool() || i.result()->type.isVector() ? (first.isUniform() ? kUniform : kVarying)
                                                                         : widened(i);
    case Shape::kFromPointer:
    case Shape::kToPointer:
      return first;
    case Shape::kOffset: {
      const Pace by = of(*i.operands[1]);
      return first.isVarying() || by.isVarying() ? kVarying : linear(first.stride + by.stride);
    }
    case Shape::kAddress:
      return i.object->space == AddressSpace::kPrivate ? kVarying : kUniform;
    case Shape::kWorkItem:
      return id(i);
    case Shape::kLoad:
      // Memory that items share gives all of them the same value: a write meanwhile is a race.
      return uniform() && i.operands[0]->type.space != AddressSpace::kPrivate && !i.is_volatile ? kUniform : kVarying;
    case Shape::kSelect: {
      const Pace a = of(*i.operands[1]), b = of(*i.operands[2]);
      return first.isUniform() ? joined(a, b) : kVarying;
    }
    case Shape::kBuiltin: {
      const bool is_pure = i.signature.builtin != nullptr && i.signature.builtin->kind == BuiltinKind::kPure;
      return is_pure && uniform() ? kUniform : kVarying;
    }
    case Shape::kFloats:
    case Shape::kFloat:
    case Shape::kFused:
    case Shape::kCompareBits:
    case Shape::kCompareIntegers:
    case Shape::kCompareFloats:
    case Shape::kFloatNarrow:
    case Shape::kFloatWiden:
    case Shape::kFloatToInteger:
    case Shape::kIntegerToFloat:
    case Shape::kBitcast:
    case Shape::kSplat:
    case Shape::kBuild:
    case Shape::kExtract:
    case Shape::kInsert:
    case Shape::kShuffle:
      return uniform() ? kUniform : kVarying;
    default:
      return kVarying;  // calls, and what this does not know
  }
}

}  // namespace manyrt::compiler::analysis
