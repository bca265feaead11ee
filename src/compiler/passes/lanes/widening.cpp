// Values, and the instructions that compute them. Operations on lanes take operands without lanes as they are. Only values that
// control carries are spread to lanes, since they have one type on each way.
#include "compiler/passes/lanes/widening.h"

#include <algorithm>
#include <utility>

#include "compiler/builtins/lane_call.h"
#include "compiler/passes/promote_slots.h"

namespace manyrt::compiler::passes {

using analysis::Pace;
using ir::Kind;
using ir::Opcode;
using ir::Shape;

// Items that end give no results, but a vector of them would: that is refused.
bool Widening::write(const Region& from, Region& to, Value* mask) {
  bool some_end = false;
  ir::forEach(from, [&](const Instruction& i) { some_end = some_end || i.op == Opcode::kReturn; });
  if (some_end && !from.owner->results.empty()) return false;
  writer_.moveTo(&to);
  is_masked_ = mask != nullptr || anythingParts(from);
  on_ = slot(this->mask());
  if (is_masked_) put(on_, mask != nullptr ? mask : withLanes(writer_.constant({Kind::kBool}, 1)));
  around_.emplace_back(from.owner);
  around_.back().results = slotsFor(from.owner->results);
  escapes_.emplace_back();
  region(from, [] {});
  std::vector<Value*> results;
  for (const Slot& each : around_.back().results) results.push_back(get(each));
  writer_.end(Opcode::kYield, std::move(results));
  if (why_not_ == nullptr) promoteSlots(module_, writer_.function(), to, slots_);
  return why_not_ == nullptr;
}

// `at_end` is called before the terminator, and writes what the end of the region needs besides.
void Widening::region(const Region& region, const std::function<void()>& at_end) {
  part(region.body.begin(), region.body.end(), at_end);
}

void Widening::part(Instructions from, Instructions to, const std::function<void()>& at_end) {
  const size_t guards = guards_.size();
  for (; from != to && why_not_ == nullptr; ++from) {
    const Instruction* i = *from;
    writer_.where = i->where;
    if (ir::isTerminator(i->op)) {
      at_end();
      terminator(*i);
      break;
    }
    instruction(*i);
    if (std::exchange(escaped_, false)) openGuard();
  }
  for (; guards_.size() > guards; guards_.pop_back()) {
    const auto [outer, guard] = guards_.back();
    if (writer_.reached()) writer_.end(Opcode::kYield);
    writer_.enter(guard);
    writer_.end(Opcode::kYield);
    writer_.moveTo(outer);
  }
}

// The rest of the region runs only while a lane is on.
void Widening::openGuard() {
  Value* any = writer_.unary(Opcode::kAny, allOn(), {Kind::kBool});
  Region* outer = writer_.region();
  Instruction* guard = writer_.add(Opcode::kIf, {any});
  guards_.emplace_back(outer, guard);
  writer_.enter(guard);
}

void Widening::instruction(const Instruction& i) {
  switch (ir::shapeOf(i.op)) {
    case Shape::kIf:
      return ifOf(i);
    case Shape::kLoop:
      return loopOf(i);
    case Shape::kSwitch:
      return switchOf(i);
    case Shape::kLoad:
      return load(i);
    case Shape::kStore:
      return store(i);
    case Shape::kFence:
      return copied(i);
    case Shape::kAddress:
      if (i.object->space != AddressSpace::kPrivate) return copied(i);
      define(*i.result(), writer_.address(layouts_.of(i.object)));
      steps_[i.result()] = writer_.add(Opcode::kSteps, {now(*i.result())}, i.result()->type.with(lanes_))->result();
      steps_[i.result()]->by->numbers = {layouts_.of(i.object)->lane_stride};
      return;
    case Shape::kWorkItem:
      if (divergence_.of(*i.result()).isVarying()) return eachLane(i);
      return copied(i);
    case Shape::kBuiltin:
      if (i.signature.builtin != nullptr && i.signature.builtin->kind == BuiltinKind::kPure) return pure(i);
      return eachLane(i);
    case Shape::kCall:
    case Shape::kCopy:
    case Shape::kFill:
      return eachLane(i);
    default:
      return ir::isPure(i.op) ? pure(i) : refuse();
  }
}

// --- values

Widening::Value* Widening::now(const Value& old) const {
  const auto at = values_.find(&old);
  return at == values_.end() ? const_cast<Value*>(&old) : at->second;  // from around the items: the same for all
}

Widening::Value* Widening::narrow(const Value& old) {
  Value* value = now(old);
  if (value->type.hasLanes()) refuse();
  return value;
}

Widening::Value* Widening::wide(const Value& old) {
  const auto at = steps_.find(&old);
  return at == steps_.end() ? now(old) : at->second;
}

bool Widening::isShared(const Value& old) const { return !steps_.contains(&old) && !now(old)->type.hasLanes(); }

Widening::Value* Widening::withLanes(Value* value) {
  return value->type.hasLanes() ? value : writer_.unary(Opcode::kSpread, value, value->type.with(lanes_));
}

// A linear value also has a form with lanes from here on. A later pass drops it if nothing uses it.
void Widening::define(const Value& old, Value* value) {
  values_[&old] = value;
  steps_.erase(&old);  // of an earlier writing of the same
  const Pace pace = divergence_.of(old);
  if (!pace.isLinear() || value->type.hasLanes()) return;
  Instruction* steps = writer_.add(Opcode::kSteps, {value}, value->type.with(lanes_));
  steps->numbers = {static_cast<uint64_t>(pace.stride) & ir::maskOf(value->type.kind)};
  steps_[&old] = steps->result();
}

Widening::Instruction* Widening::made(const Instruction& i, std::vector<Value*> operands, Type result) {
  Instruction* made = writer_.add(i.op, std::move(operands), result);
  made->numbers = i.numbers;
  made->alignment = i.alignment;
  made->is_volatile = i.is_volatile;
  made->bytes = i.bytes;
  made->object = i.object;
  made->callee = i.callee;
  made->work_item = i.work_item;
  made->signature = i.signature;
  return made;
}

// The operation as it was, for the first neighbour.
void Widening::copied(const Instruction& i) {
  std::vector<Value*> operands;
  for (const Value* each : i.operands) operands.push_back(narrow(*each));
  Instruction* own = made(i, std::move(operands), i.result() == nullptr ? Type{} : i.result()->type);
  if (i.result() != nullptr) define(*i.result(), own->result());
}

// Operations that C++'s vectors have. Halves have none, and bits go between elements of one size.
bool Widening::hasForm(const Instruction& i) const {
  const auto plain = [](const Value* each) { return each->type.kind != Kind::kF16; };
  if (!std::all_of(i.operands.begin(), i.operands.end(), plain) || !std::all_of(i.results.begin(), i.results.end(), plain))
    return false;
  if (i.op == Opcode::kBitcast) return i.operands[0]->type.components == i.result()->type.components;
  if (i.op != Opcode::kBuiltin) return ir::isPure(i.op);
  const auto number = [](const Value* each) { return !each->type.isVector() && !each->type.isPointer(); };
  if (i.result() == nullptr) return false;
  if (number(i.result()) && std::all_of(i.operands.begin(), i.operands.end(), number)) return true;
  const bool has_pointer =
      std::any_of(i.operands.begin(), i.operands.end(), [](const Value* each) { return each->type.isPointer(); });
  return !has_pointer && hasLaneParts(*i.signature.builtin, i.signature.result, i.signature.parameters);
}

void Widening::pure(const Instruction& i) {
  const auto hasNone = [&](const Value* each) { return !now(*each)->type.hasLanes(); };
  const bool scalars = std::all_of(i.operands.begin(), i.operands.end(), hasNone);
  if (!divergence_.of(*i.result()).isVarying() && scalars) return copied(i);
  if (!hasForm(i)) return eachLane(i);
  std::vector<Value*> operands;
  uint8_t lanes = 1;
  for (const Value* each : i.operands) {
    operands.push_back(wide(*each));
    lanes = std::max(lanes, operands.back()->type.lanes);
  }
  // Lanes that are off divide by one: they may have loaded a zero, even where the program has made sure that there is none.
  const bool divides = i.op == Opcode::kSDiv || i.op == Opcode::kUDiv || i.op == Opcode::kSRem || i.op == Opcode::kURem;
  if (divides && is_masked_ && operands[1]->type.hasLanes())
    operands[1] = writer_.select(on(), operands[1], writer_.constant(operands[1]->type.plain(), 1));
  if (i.op == Opcode::kOffset && layouts_.isSideBySide(*i.result()))
    operands[1] = writer_.binary(Opcode::kMul, operands[1], writer_.constant({Kind::kI64}, lanes_));
  define(*i.result(), made(i, std::move(operands), i.result()->type.with(lanes))->result());
}

// An instruction without a form for lanes is done for one after the other.
void Widening::eachLane(const Instruction& i) {
  const bool has_halves = i.result() != nullptr && i.result()->type.kind == Kind::kF16;
  if (has_halves) return refuse(ir::kNoHalves);
  std::vector<Value*> given;
  for (const Value* each : i.operands) given.push_back(wide(*each));
  Instruction* each = writer_.add(Opcode::kEach, {allOn()});
  Region* outer = writer_.region();
  Region* inner = writer_.enter(each);
  Value* lane = module_.makeValue(writer_.function(), {Kind::kI32}, nullptr);
  inner->parameters.push_back(lane);
  for (Value*& value : given) {
    if (value->type.hasLanes()) value = writer_.add(Opcode::kLane, {value, lane}, value->type.plain())->result();
  }
  Instruction* own = made(i, std::move(given), i.result() == nullptr ? Type{} : i.result()->type);
  std::vector<Value*> yielded;
  if (own->result() != nullptr) yielded.push_back(own->result());
  writer_.end(Opcode::kYield, std::move(yielded));
  writer_.moveTo(outer);
  if (i.result() == nullptr) return;
  values_[i.result()] = module_.makeValue(writer_.function(), i.result()->type.with(lanes_), each);
  steps_.erase(i.result());
}

// --- slots of the new region, and the lanes that are on

Widening::Slot Widening::slot(Type type) {
  if (type.kind == Kind::kF16 && type.hasLanes()) refuse(ir::kNoHalves);
  slots_.push_back(writer_.slot("", 1, 1));
  return {slots_.back(), type};
}

void Widening::put(const Slot& slot, Value* value) {
  if (slot.type.hasLanes()) value = withLanes(value);
  if (value->type != slot.type) return refuse();
  writer_.store(value, writer_.address(slot.object), 1, false);
}

Widening::Value* Widening::get(const Slot& slot) { return writer_.load(writer_.address(slot.object), slot.type, 1, false); }

Widening::Value* Widening::on() { return is_masked_ ? get(on_) : nullptr; }

Widening::Value* Widening::allOn() { return is_masked_ ? get(on_) : withLanes(writer_.constant({Kind::kBool}, 1)); }

Widening::Value* Widening::none() { return withLanes(writer_.constant({Kind::kBool}, 0)); }

Widening::Value* Widening::negated(Value* a) { return writer_.binary(Opcode::kXor, a, writer_.constant({Kind::kBool}, 1)); }

}  // namespace manyrt::compiler::passes
