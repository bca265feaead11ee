// Loads and stores: of one place for all lanes, of places a step apart, or of a pointer for each lane.
//
// An index of 32 bits that is made wider may have wrapped between two lanes. As an address it is linear all the same: a signed
// one would need memory of more than 2^31 elements on both sides, and of all others a condition asks, beside which stands the
// form with a pointer for each lane.
#include <algorithm>

#include "compiler/passes/lanes/widening.h"

namespace manyrt::compiler::passes {

using analysis::Pace;
using ir::Kind;
using ir::Opcode;

// False: the lanes' numbers (i64) have no step that is known.
bool Widening::findNumber(const Value& number, Place* place) {
  const Pace pace = divergence_.of(number);
  if (!now(number)->type.hasLanes() && !pace.isVarying()) {
    *place = {now(number), pace.isLinear() ? pace.stride : 0, {}};
    return true;
  }
  const Instruction* by = number.by;
  if (by == nullptr || number.type.isVector() || number.type.kind != Kind::kI64) return false;
  switch (by->op) {
    case Opcode::kSExt:
    case Opcode::kZExt: {
      const Value& from = *by->operands[0];
      const Pace own = divergence_.of(from);
      if (now(from)->type.hasLanes() || !own.isLinear() || ir::bitsOf(from.type.kind) < 32) return false;
      Value* first = now(from);
      *place = {writer_.unary(by->op, first, number.type), own.stride, {}};
      if (by->op == Opcode::kSExt) return true;
      // 32 bits do not wrap from the first lane to the last: that is further along in the direction of the step.
      Value* span = writer_.constant(from.type, static_cast<uint64_t>(own.stride * (lanes_ - 1)));
      Value* last = writer_.binary(Opcode::kAdd, first, span);
      const bool up = own.stride > 0;
      place->unless.push_back(writer_.compare(Opcode::kULt, up ? last : first, up ? first : last));
      return true;
    }
    case Opcode::kAdd:
    case Opcode::kSub: {
      Place a, b;
      if (!findNumber(*by->operands[0], &a) || !findNumber(*by->operands[1], &b)) return false;
      *place = {writer_.binary(by->op, a.first, b.first), by->op == Opcode::kAdd ? a.stride + b.stride : a.stride - b.stride,
                std::move(a.unless)};
      place->unless.insert(place->unless.end(), b.unless.begin(), b.unless.end());
      return true;
    }
    case Opcode::kMul:
    case Opcode::kShl: {
      const Instruction* amount = by->operands[1]->by;
      Place a;
      if (amount == nullptr || amount->op != Opcode::kConstant || !findNumber(*by->operands[0], &a)) return false;
      const uint64_t number_by = amount->numbers[0];
      if (number_by > 65536 || (by->op == Opcode::kShl && number_by > 16)) return false;
      const int64_t factor = by->op == Opcode::kShl ? int64_t{1} << number_by : static_cast<int64_t>(number_by);
      *place = {writer_.binary(by->op, a.first, now(*by->operands[1])), a.stride * factor, std::move(a.unless)};
      return true;
    }
    default:
      return false;
  }
}

bool Widening::findPlace(const Value& pointer, Place* place) {
  const Instruction* by = pointer.by;
  if (by != nullptr && by->op == Opcode::kAddress && by->object->space == AddressSpace::kPrivate) {
    *place = {now(pointer), static_cast<int64_t>(layouts_.of(by->object)->lane_stride), {}};
    return true;
  }
  const Pace pace = divergence_.of(pointer);
  if (!now(pointer)->type.hasLanes() && (!pace.isVarying() || isShared(pointer))) {
    *place = {now(pointer), pace.isLinear() ? pace.stride : 0, {}};
    return true;
  }
  if (by == nullptr || by->op != Opcode::kOffset) return false;
  Place from, number;
  if (!findPlace(*by->operands[0], &from) || !findNumber(*by->operands[1], &number)) return false;
  Value* bytes = number.first;
  if (layouts_.isSideBySide(pointer)) {
    // All lanes' elements lie between: an offset that differs between them is no step.
    if (number.stride != 0) return false;
    bytes = writer_.binary(Opcode::kMul, bytes, writer_.constant({Kind::kI64}, lanes_));
  }
  *place = {writer_.offset(from.first, bytes), from.stride + number.stride, std::move(from.unless)};
  place->unless.insert(place->unless.end(), number.unless.begin(), number.unless.end());
  return true;
}

Widening::Value* Widening::condition(const Place& place) {
  Value* any = place.unless[0];
  for (size_t k = 1; k < place.unless.size(); ++k) any = writer_.binary(Opcode::kOr, any, place.unless[k]);
  return any;
}

// --- of one element, or of components that lie together

Widening::Value* Widening::loadOne(const Instruction& i, Value* pointer, const int64_t* stride, Type type) {
  std::vector<Value*> operands = {pointer};
  if (is_masked_) operands.push_back(on());
  Instruction* load = writer_.add(Opcode::kLoad, std::move(operands), type.with(lanes_));
  load->alignment = std::min(i.alignment, static_cast<uint32_t>(ir::bytesOf(type)));
  if (stride != nullptr) load->numbers = {static_cast<uint64_t>(*stride)};
  return load->result();
}

void Widening::storeOne(const Instruction& i, Value* value, Value* pointer, const int64_t* stride) {
  std::vector<Value*> operands = {value, pointer};
  if (is_masked_) operands.push_back(on());
  Instruction* store = writer_.add(Opcode::kStore, std::move(operands));
  store->alignment = std::min(i.alignment, static_cast<uint32_t>(ir::bytesOf(value->type)));
  if (stride != nullptr) store->numbers = {static_cast<uint64_t>(*stride)};
}

// Components that do not lie together, or are three, are elements of their own.
Widening::Value* Widening::loadAll(const Instruction& i, Value* pointer, const int64_t* stride) {
  const Type type = i.result()->type;
  const bool apart = layouts_.isSideBySide(*i.operands[0]);
  if (!type.isVector() || (type.components != 3 && !apart)) return loadOne(i, pointer, stride, type);
  std::vector<Value*> parts;
  for (uint64_t k = 0; k < type.components; ++k)
    parts.push_back(
        loadOne(i, writer_.offset(pointer, k * ir::bytesOf(type.kind) * (apart ? lanes_ : 1)), stride, type.element()));
  return writer_.add(Opcode::kBuild, std::move(parts), type.with(lanes_))->result();
}

void Widening::storeAll(const Instruction& i, Value* pointer, const int64_t* stride) {
  const Type type = i.operands[0]->type;
  const bool apart = layouts_.isSideBySide(*i.operands[1]);
  Value* value = wide(*i.operands[0]);
  if (!type.isVector() || (type.components != 3 && !apart)) return storeOne(i, withLanes(value), pointer, stride);
  for (uint32_t k = 0; k < type.components; ++k) {
    Value* to = writer_.offset(pointer, uint64_t{k} * ir::bytesOf(type.kind) * (apart ? lanes_ : 1));
    storeOne(i, withLanes(writer_.extract(value, k)), to, stride);
  }
}

void Widening::load(const Instruction& i) {
  if (i.result()->type.kind == Kind::kF16) return refuse();
  if (i.is_volatile) return eachLane(i);
  Place place;
  Value* value = nullptr;
  if (!findPlace(*i.operands[0], &place)) {
    value = loadAll(i, wide(*i.operands[0]), nullptr);
  } else if (place.stride == 0 && place.unless.empty()) {
    Instruction* load = made(i, {place.first}, i.result()->type);
    value = load->result();
  } else if (place.unless.empty()) {
    value = loadAll(i, place.first, &place.stride);
  } else {
    const Slot result = slot(i.result()->type.with(lanes_));
    Region* outer = writer_.region();
    Instruction* either = writer_.add(Opcode::kIf, {condition(place)});
    writer_.enter(either);
    put(result, loadAll(i, wide(*i.operands[0]), nullptr));
    writer_.end(Opcode::kYield);
    writer_.enter(either);
    put(result, loadAll(i, place.first, &place.stride));
    writer_.end(Opcode::kYield);
    writer_.moveTo(outer);
    value = get(result);
  }
  define(*i.result(), value);
}

void Widening::store(const Instruction& i) {
  if (i.operands[0]->type.kind == Kind::kF16) return refuse();
  if (i.is_volatile) return eachLane(i);
  Place place;
  if (!findPlace(*i.operands[1], &place)) return storeAll(i, wide(*i.operands[1]), nullptr);
  if (place.unless.empty() && place.stride == 0 && isShared(*i.operands[0])) {
    made(i, {now(*i.operands[0]), place.first}, {});
    return;
  }
  if (place.unless.empty()) return storeAll(i, place.first, &place.stride);
  Region* outer = writer_.region();
  Instruction* either = writer_.add(Opcode::kIf, {condition(place)});
  writer_.enter(either);
  storeAll(i, wide(*i.operands[1]), nullptr);
  writer_.end(Opcode::kYield);
  writer_.enter(either);
  storeAll(i, place.first, &place.stride);
  writer_.end(Opcode::kYield);
  writer_.moveTo(outer);
}

}  // namespace manyrt::compiler::passes
