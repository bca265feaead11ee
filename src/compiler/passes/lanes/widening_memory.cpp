// Loads and stores: of one place for all lanes, of places a step apart, or of a pointer for each lane.
//
// An index of 32 bits that is made wider may have wrapped between two lanes. As an address it is linear all the same: a signed
// one that wraps would need memory of more than 2^31 elements on both sides. That does not hold for a long step where lanes may
// be off: the places of these are never used. All others are checked by a condition when the kernel runs. The form with a
// pointer for each lane stands beside it.
#include <algorithm>

#include "compiler/passes/lanes/widening.h"

namespace manyrt::compiler::passes {

using analysis::Pace;
using ir::Kind;
using ir::Opcode;

Widening::Value* Widening::sum(Value* a, Value* b) {
  return a == nullptr ? b : b == nullptr ? a : writer_.binary(Opcode::kAdd, a, b);
}

// The step from one lane to the next; null: 0.
Widening::Value* Widening::stepOf(const Place& place, Type type) {
  return place.stride == 0 ? place.more : sum(place.more, writer_.constant(type, static_cast<uint64_t>(place.stride)));
}

// Whether a row of such steps is shorter than half the type's numbers: then it wraps once at most, and its ends tell.
bool Widening::fitsRow(int64_t stride, Kind kind) const {
  const uint64_t size = stride < 0 ? uint64_t{0} - static_cast<uint64_t>(stride) : static_cast<uint64_t>(stride);
  return size <= (ir::maskOf(kind) >> 1) / (lanes_ - 1u);
}

// False: the lanes' numbers have no step, or one so long that their row goes round the type.
bool Widening::findNumber(const Value& number, Place* place) {
  return findStep(number, place) && fitsRow(place->stride, number.type.kind);
}

bool Widening::findStep(const Value& number, Place* place) {
  const Pace pace = divergence_.of(number);
  if (!now(number)->type.hasLanes() && !pace.isVarying()) {
    *place = {now(number), pace.isLinear() ? pace.stride : 0, nullptr, {}};
    return true;
  }
  const Instruction* by = number.by;
  if (by == nullptr || number.type.isVector() || !number.type.isInteger() || ir::bitsOf(number.type.kind) < 32) return false;
  switch (by->op) {
    case Opcode::kSExt:
    case Opcode::kZExt:
      return findWider(*by, place);
    case Opcode::kAdd:
    case Opcode::kSub: {
      Place a, b;
      if (!findNumber(*by->operands[0], &a) || !findNumber(*by->operands[1], &b)) return false;
      const bool adds = by->op == Opcode::kAdd;
      if (!adds && b.more != nullptr) b.more = writer_.negative(b.more);
      *place = {writer_.binary(by->op, a.first, b.first), adds ? a.stride + b.stride : a.stride - b.stride, sum(a.more, b.more),
                std::move(a.unless)};
      place->unless.insert(place->unless.end(), b.unless.begin(), b.unless.end());
      place->is_guess = a.is_guess || b.is_guess;
      return true;
    }
    case Opcode::kMul:
    case Opcode::kShl:
      return findProduct(*by, place);
    case Opcode::kBuiltin:
      return findBounded(*by, place);
    case Opcode::kSelect:
      return findChosen(*by, place);
    case Opcode::kUDiv:
    case Opcode::kURem:
    case Opcode::kSDiv:
    case Opcode::kSRem:
      return findQuotient(*by, place);
    case Opcode::kLShr:
    case Opcode::kAShr:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return findBits(*by, place);
    default:
      return false;
  }
}

bool Widening::findWider(const Instruction& by, Place* place) {
  const Value& from = *by.operands[0];
  Place own;
  if (from.type.isBool() || ir::bitsOf(from.type.kind) < 32 || !findNumber(from, &own)) return false;
  const Type type = by.result()->type;
  *place = {writer_.unary(by.op, own.first, type), own.stride, nullptr, std::move(own.unless), own.is_guess};
  if (by.op == Opcode::kSExt) {
    if (own.more == nullptr) return true;
    place->more = writer_.unary(by.op, own.more, type);
    // Lanes that are off may have places that do not exist: i * 0x40000000u is 0 in every fourth lane. So the row has to be
    // shorter than half the type, which fitsRow() has checked for a step that is a constant.
    if (is_masked_) {
      const uint64_t most = (ir::maskOf(from.type.kind) >> 1) / (lanes_ - 1u);
      Value* const size = writer_.binary(Opcode::kAdd, stepOf(own, from.type), writer_.constant(from.type, most));
      place->unless.push_back(writer_.compare(Opcode::kULt, writer_.constant(from.type, 2 * most), size));
    }
    return true;
  }
  // 32 bits have not wrapped if the last lane is further along in the direction of the step than the first. A step that is not
  // known counts as an upward one.
  if (own.more != nullptr) {
    Value* const step = writer_.unary(by.op, stepOf(own, from.type), type);
    Value* const span = writer_.binary(Opcode::kMul, step, writer_.constant(type, lanes_ - 1u));
    Value* const last = writer_.binary(Opcode::kAdd, place->first, span);
    place->stride = 0;
    place->more = step;
    place->unless.push_back(writer_.compare(Opcode::kULt, writer_.constant(type, ir::maskOf(from.type.kind)), last));
    return true;
  }
  if (own.stride == 0) return true;
  Value* const span = writer_.constant(from.type, static_cast<uint64_t>(own.stride * (lanes_ - 1)));
  Value* const last = writer_.binary(Opcode::kAdd, own.first, span);
  place->unless.push_back(own.stride > 0 ? writer_.compare(Opcode::kULt, last, own.first)
                                         : writer_.compare(Opcode::kULt, own.first, last));
  return true;
}

// min, max and clamp of a value with a step, as in indices near an edge. It has the step only if all lanes lie between the
// bounds.
bool Widening::findBounded(const Instruction& by, Place* place) {
  if (by.signature.builtin == nullptr) return false;
  const std::string& name = by.signature.builtin->name;
  const bool clamps = name == "clamp" && by.operands.size() == 3;
  if (!clamps && ((name != "min" && name != "max") || by.operands.size() != 2)) return false;
  const auto isSame = [&](size_t k) {
    return divergence_.of(*by.operands[k]).isUniform() && !now(*by.operands[k])->type.hasLanes();
  };
  const size_t which = !clamps && isSame(0) ? 1 : 0;
  if (!isSame(1 - which) || (clamps && !isSame(2))) return false;
  Place own;
  if (!findNumber(*by.operands[which], &own) || own.more != nullptr || own.stride == 0) return false;
  const Opcode less = by.signature.parameters[0].type->isSigned() ? Opcode::kSLt : Opcode::kULt;
  const Type type = by.operands[which]->type;
  Value* last =
      writer_.binary(Opcode::kAdd, own.first, writer_.constant(type, static_cast<uint64_t>(own.stride * (lanes_ - 1))));
  Value *least = own.stride > 0 ? own.first : last, *most = own.stride > 0 ? last : own.first;
  *place = {own.first, own.stride, nullptr, std::move(own.unless), own.is_guess};
  place->unless.push_back(writer_.compare(less, most, least));  // it wraps on the way
  if (name != "min") place->unless.push_back(writer_.compare(less, least, now(*by.operands[1 - which])));
  if (name == "min") place->unless.push_back(writer_.compare(less, now(*by.operands[1 - which]), most));
  if (clamps) place->unless.push_back(writer_.compare(less, now(*by.operands[2]), most));
  return true;
}

// c ? x : y, where x has a step and c does not depend on memory. As a rule c holds for all lanes; if not, there is no step.
bool Widening::findChosen(const Instruction& by, Place* place) {
  const Instruction* asked = by.operands[0]->by;
  if (asked == nullptr || asked->operands.size() != 2 || !now(*by.operands[0])->type.hasLanes()) return false;
  const auto isLine = [&](const Value* each) { return !divergence_.of(*each).isVarying(); };
  if (!std::all_of(asked->operands.begin(), asked->operands.end(), isLine)) return false;
  for (const size_t which : {1, 2}) {
    Place own;
    if (divergence_.of(*by.operands[which]).isUniform() || !findNumber(*by.operands[which], &own)) continue;
    Value* chosen = wide(*by.operands[0]);
    *place = std::move(own);
    place->unless.push_back(writer_.unary(Opcode::kAny, which == 1 ? negated(chosen) : chosen, {Kind::kBool}));
    return true;
  }
  return false;
}

bool Widening::isSame(const Value& value) const { return divergence_.of(value).isUniform() && !now(value)->type.hasLanes(); }

// x / n and x % n, where n is the same for all: a row seldom crosses a multiple of n. Then the one is the same for all, and the
// other has the step of x. Signed ones have to be positive.
bool Widening::findQuotient(const Instruction& by, Place* place) {
  Place own;
  if (!isSame(*by.operands[1]) || !findNumber(*by.operands[0], &own) || own.more != nullptr || own.stride <= 0) return false;
  const bool is_signed = by.op == Opcode::kSDiv || by.op == Opcode::kSRem;
  const Opcode remainder = is_signed ? Opcode::kSRem : Opcode::kURem;
  const Type type = by.operands[0]->type;
  Value* by_what = now(*by.operands[1]);
  const auto further = [&](Value* from) {
    return writer_.binary(Opcode::kAdd, from, writer_.constant(type, static_cast<uint64_t>(own.stride * (lanes_ - 1))));
  };
  Value* left = writer_.binary(remainder, own.first, by_what);
  const bool gives_left = by.op == remainder;
  *place = {gives_left ? left : writer_.binary(by.op, own.first, by_what), gives_left ? own.stride : 0, nullptr,
            std::move(own.unless), true};
  if (is_signed) {
    Value* zero = writer_.constant(type, 0);
    place->unless.push_back(writer_.compare(Opcode::kSLt, own.first, zero));
    place->unless.push_back(writer_.compare(Opcode::kSLt, by_what, zero));
  }
  const Opcode less = is_signed ? Opcode::kSLt : Opcode::kULt;
  place->unless.push_back(writer_.compare(less, further(own.first), own.first));  // it wraps on the way
  place->unless.push_back(writer_.compare(less, further(left), left));
  place->unless.push_back(writer_.compare(is_signed ? Opcode::kSLe : Opcode::kULe, by_what, further(left)));
  return true;
}

// Bits of a value with a step: those above the row's own are the same for all lanes, if the row carries nothing into them.
bool Widening::findBits(const Instruction& by, Place* place) {
  const size_t which = isSame(*by.operands[0]) ? 1 : 0;
  Place own, other;
  if (!findNumber(*by.operands[which], &own) || !findNumber(*by.operands[1 - which], &other)) return false;
  if (own.more != nullptr || other.more != nullptr) return false;
  if (own.stride == 0) std::swap(own, other);
  const bool shifts = by.op == Opcode::kLShr || by.op == Opcode::kAShr;
  if (own.stride <= 0 || other.stride != 0 || (shifts && which != 0)) return false;
  const Type type = by.operands[0]->type;
  const auto number = [&](uint64_t bits) { return writer_.constant(type, bits); };
  const auto both_of = [&](Value* a, Value* b) { return writer_.binary(Opcode::kAnd, a, b); };
  const auto span = static_cast<uint64_t>(own.stride * (lanes_ - 1));
  *place = {nullptr, 0, nullptr, std::move(own.unless), true};
  place->unless.insert(place->unless.end(), other.unless.begin(), other.unless.end());
  // `low`: the bits that a row may change, of which those from the first lane on may not overflow.
  const auto unlessWithin = [&](Value* low) {
    Value* last = writer_.binary(Opcode::kAdd, both_of(own.first, low), number(span));
    place->unless.push_back(writer_.compare(Opcode::kULt, low, last));
  };
  if (shifts) {
    Value* one = writer_.binary(Opcode::kShl, number(1), other.first);
    unlessWithin(writer_.binary(Opcode::kSub, one, number(1)));
    place->first = writer_.binary(by.op, own.first, other.first);
    return true;
  }
  if (by.op == Opcode::kAnd) {
    const Instruction* mask = by.operands[1 - which]->by;
    const uint64_t all = ir::maskOf(type.kind);
    const bool is_known = mask != nullptr && mask->op == Opcode::kConstant;
    const uint64_t kept = is_known ? mask->numbers[0] & all : 0, gone = ~kept & all;
    if (is_known && (kept & (kept + 1)) != 0) {  // the bits that are cut are the row's own
      if ((gone & (gone + 1)) != 0) return false;
      unlessWithin(number(gone));
    } else {
      place->stride = own.stride;
      unlessWithin(other.first);
      Value* above = writer_.binary(Opcode::kAdd, other.first, number(1));
      if (!is_known)
        place->unless.push_back(writer_.compare(Opcode::kNe, both_of(other.first, above), number(0)));  // it has holes
    }
  } else {
    uint64_t low = 1;
    while (low < span + 1) low *= 2;
    place->stride = own.stride;
    unlessWithin(number(low - 1));
    place->unless.push_back(writer_.compare(Opcode::kNe, both_of(other.first, number(low - 1)), number(0)));
  }
  place->first = writer_.binary(by.op, own.first, other.first);
  return true;
}

// A product with a number that is the same for all lanes, or a shift by it.
bool Widening::findProduct(const Instruction& by, Place* place) {
  const bool swaps = by.op == Opcode::kMul && isSame(*by.operands[0]);
  const Value &factor = *by.operands[swaps ? 1 : 0], &same = *by.operands[swaps ? 0 : 1];
  Place own;
  if (!isSame(same) || !findNumber(factor, &own)) return false;
  *place = {writer_.binary(by.op, own.first, now(same)), 0, nullptr, std::move(own.unless), own.is_guess};
  const Instruction* amount = same.by;
  const bool is_known = amount != nullptr && amount->op == Opcode::kConstant;
  const uint64_t number = is_known ? amount->numbers[0] : 0;
  if (is_known && own.more == nullptr && number <= (by.op == Opcode::kShl ? 16 : 65536)) {
    place->stride = own.stride * static_cast<int64_t>(by.op == Opcode::kShl ? uint64_t{1} << number : number);
    return true;
  }
  Value* const step = stepOf(own, factor.type);
  if (step != nullptr) place->more = writer_.binary(by.op, step, now(same));
  return true;
}

bool Widening::findPlace(const Value& pointer, Place* place) {
  const Instruction* by = pointer.by;
  if (by != nullptr && by->op == Opcode::kAddress && by->object->space == AddressSpace::kPrivate) {
    *place = {now(pointer), static_cast<int64_t>(layouts_.of(by->object)->lane_stride), nullptr, {}};
    return true;
  }
  const Pace pace = divergence_.of(pointer);
  if (!now(pointer)->type.hasLanes() && (!pace.isVarying() || isShared(pointer))) {
    *place = {now(pointer), pace.isLinear() ? pace.stride : 0, nullptr, {}};
    return true;
  }
  if (by == nullptr || by->op != Opcode::kOffset) return false;
  Place from, number;
  if (!findPlace(*by->operands[0], &from) || !findNumber(*by->operands[1], &number)) return false;
  Value* bytes = number.first;
  if (layouts_.isSideBySide(pointer)) {
    // Elements of all lanes are interleaved: an offset that differs between lanes is no step.
    if (number.stride != 0 || number.more != nullptr) return false;
    bytes = writer_.binary(Opcode::kMul, bytes, writer_.constant({Kind::kI64}, lanes_));
  }
  *place = {writer_.offset(from.first, bytes), from.stride + number.stride, sum(from.more, number.more), std::move(from.unless),
            from.is_guess || number.is_guess};
  place->unless.insert(place->unless.end(), number.unless.begin(), number.unless.end());
  return true;
}

Widening::Value* Widening::condition(const Place& place) {
  Value* any = place.unless[0];
  for (size_t k = 1; k < place.unless.size(); ++k) any = writer_.binary(Opcode::kOr, any, place.unless[k]);
  return any;
}

// --- of one element, or of components that lie together

// The operands after the pointer: a step that is known when the kernel runs, and the lanes that are on.
void Widening::addStep(std::vector<Value*>* operands, const Place* place) {
  if (place != nullptr && place->more != nullptr) operands->push_back(stepOf(*place, {Kind::kI64}));
  if (is_masked_) operands->push_back(on());
}

// Whether the elements of all lanes are one vector of an object of theirs. Those of lanes that are off are memory of theirs
// too.
bool Widening::isOwnRow(const Value& pointer, const Place* place, Type type) const {
  return place != nullptr && place->more == nullptr && place->stride == static_cast<int64_t>(ir::bytesOf(type)) &&
         layouts_.isSideBySide(pointer);
}

Widening::Value* Widening::loadOne(const Instruction& i, Value* pointer, const Place* place, Type type) {
  std::vector<Value*> operands = {pointer};
  if (!isOwnRow(*i.operands[0], place, type)) addStep(&operands, place);
  Instruction* load = writer_.add(Opcode::kLoad, std::move(operands), type.with(lanes_));
  load->alignment = std::min(i.alignment, static_cast<uint32_t>(ir::bytesOf(type)));
  load->is_rare = is_rare_;
  if (place != nullptr && place->more == nullptr) load->numbers = {static_cast<uint64_t>(place->stride)};
  return load->result();
}

// A row of the lanes' own gets a whole vector: a load after a store with a mask would wait for the cache.
void Widening::storeOne(const Instruction& i, Value* value, Value* pointer, const Place* place) {
  const bool is_own = isOwnRow(*i.operands[1], place, value->type.plain());
  if (is_own && is_masked_) {
    Instruction* before = writer_.add(Opcode::kLoad, {pointer}, value->type);
    before->alignment = std::min(i.alignment, static_cast<uint32_t>(ir::bytesOf(value->type)));
    before->numbers = {static_cast<uint64_t>(place->stride)};
    value = writer_.select(on(), value, before->result());
  }
  std::vector<Value*> operands = {value, pointer};
  if (!is_own) addStep(&operands, place);
  Instruction* store = writer_.add(Opcode::kStore, std::move(operands));
  store->alignment = std::min(i.alignment, static_cast<uint32_t>(ir::bytesOf(value->type)));
  store->is_rare = is_rare_;
  if (place != nullptr && place->more == nullptr) store->numbers = {static_cast<uint64_t>(place->stride)};
}

// Components that do not lie together, or are three with room for a fourth one between lanes, are elements of their own.
bool Widening::isTogether(const Place* place, Type type, bool apart) {
  const bool is_row =
      place != nullptr && place->more == nullptr && place->stride == static_cast<int64_t>(ir::packedBytesOf(type));
  return !apart && (type.components != 3 || is_row);
}

Widening::Value* Widening::loadAll(const Instruction& i, Value* pointer, const Place* place) {
  const Type type = i.result()->type;
  const bool apart = layouts_.isSideBySide(*i.operands[0]);
  if (!type.isVector() || isTogether(place, type, apart)) return loadOne(i, pointer, place, type);
  std::vector<Value*> parts;
  for (uint64_t k = 0; k < type.components; ++k)
    parts.push_back(
        loadOne(i, writer_.offset(pointer, k * ir::bytesOf(type.kind) * (apart ? lanes_ : 1)), place, type.element()));
  return writer_.add(Opcode::kBuild, std::move(parts), type.with(lanes_))->result();
}

void Widening::storeAll(const Instruction& i, Value* pointer, const Place* place) {
  const Type type = i.operands[0]->type;
  const bool apart = layouts_.isSideBySide(*i.operands[1]);
  Value* value = wide(*i.operands[0]);
  if (!type.isVector() || isTogether(place, type, apart)) return storeOne(i, withLanes(value), pointer, place);
  for (uint32_t k = 0; k < type.components; ++k) {
    Value* to = writer_.offset(pointer, uint64_t{k} * ir::bytesOf(type.kind) * (apart ? lanes_ : 1));
    storeOne(i, withLanes(writer_.extract(value, k)), to, place);
  }
}

// Two forms of an access: where its lanes have no step after all, and where they have.
void Widening::eitherWay(const Place& place, const std::function<void()>& rarely, const std::function<void()>& often) {
  if (place.unless.empty()) return often();
  Region* outer = writer_.region();
  Instruction* either = writer_.add(Opcode::kIf, {condition(place)});
  writer_.enter(either);
  is_rare_ = !place.is_guess;
  rarely();
  is_rare_ = false;
  writer_.end(Opcode::kYield);
  writer_.enter(either);
  often();
  writer_.end(Opcode::kYield);
  writer_.moveTo(outer);
}

void Widening::loadAlone(const Instruction& i) {
  if (i.result()->type.kind == Kind::kF16) return refuse(ir::kNoHalves);
  if (i.is_volatile) return eachLane(i);
  Place place;
  Value* value = nullptr;
  if (!findPlace(*i.operands[0], &place)) {
    value = loadAll(i, wide(*i.operands[0]), nullptr);
  } else if (place.stride == 0 && place.more == nullptr && place.unless.empty()) {
    Instruction* load = made(i, {place.first}, i.result()->type);
    value = load->result();
  } else if (place.unless.empty()) {
    value = loadAll(i, place.first, &place);
  } else {
    const Slot result = slot(i.result()->type.with(lanes_));
    eitherWay(
        place, [&] { put(result, loadAll(i, wide(*i.operands[0]), nullptr)); },
        [&] { put(result, loadAll(i, place.first, &place)); });
    value = get(result);
  }
  define(*i.result(), value);
}

void Widening::storeAlone(const Instruction& i) {
  if (i.operands[0]->type.kind == Kind::kF16) return refuse(ir::kNoHalves);
  if (i.is_volatile) return eachLane(i);
  Place place;
  if (!findPlace(*i.operands[1], &place)) return storeAll(i, wide(*i.operands[1]), nullptr);
  if (place.unless.empty() && place.stride == 0 && place.more == nullptr && isShared(*i.operands[0])) {
    made(i, {now(*i.operands[0]), place.first}, {});
    return;
  }
  eitherWay(
      place, [&] { storeAll(i, wide(*i.operands[1]), nullptr); }, [&] { storeAll(i, place.first, &place); });
}

// --- of neighbours that lie together

// Finds the lowest of them, from the address of the one that is written here: addresses of later loads are not known yet.
// Stores that are not certain to be neighbours compare their addresses.
bool Widening::findRow(const NeighbourGroup& group, Place* place) {
  const bool loads = group.first->op == Opcode::kLoad;
  const size_t pointer = loads ? 0 : 1;
  const Instruction* here = loads ? group.first : group.last;
  const size_t size = ir::bytesOf(loads ? here->result()->type : here->operands[0]->type);
  const auto isRow = [&](const Place& each) { return each.stride == group.step && each.more == nullptr; };
  if (!findPlace(*here->operands[pointer], place) || !isRow(*place)) return false;
  const auto at = std::find(group.members.begin(), group.members.end(), here) - group.members.begin();
  place->first = writer_.offset(place->first, uint64_t{0} - static_cast<size_t>(at) * size);
  if (group.is_certain) return true;
  const auto number = [&](Value* address) { return writer_.unary(Opcode::kPtrToInt, address, {Kind::kI64}); };
  for (size_t k = 0; k < group.members.size(); ++k) {
    Place own;
    if (group.members[k] == here) continue;
    if (!findPlace(*group.members[k]->operands[pointer], &own) || !isRow(own)) return false;
    place->unless.insert(place->unless.end(), own.unless.begin(), own.unless.end());
    place->unless.push_back(
        writer_.compare(Opcode::kNe, number(own.first), number(writer_.offset(place->first, uint64_t{k} * size))));
  }
  return true;
}

bool Widening::loadRow(const NeighbourGroup& group) {
  Place place;
  if (!findRow(group, &place) || !place.unless.empty()) return false;
  const Type row = {group.first->result()->type.kind, static_cast<uint8_t>(group.members.size())};
  Value* all = loadOne(*group.first, place.first, &place, row);
  for (uint32_t k = 0; k < group.members.size(); ++k) define(*group.members[k]->result(), writer_.extract(all, k));
  return true;
}

void Widening::storeRow(const NeighbourGroup& group) {
  Place place;
  if (!findRow(group, &place)) {
    for (const Instruction* each : group.members) storeAlone(*each);
    return;
  }
  const Type type = group.first->operands[0]->type;
  const Type row = {type.kind, static_cast<uint8_t>(group.members.size())};
  const auto together = [&] {
    std::vector<Value*> parts;
    for (const Instruction* each : group.members) parts.push_back(withLanes(wide(*each->operands[0])));
    Value* all = writer_.add(Opcode::kBuild, std::move(parts), row.with(lanes_))->result();
    storeOne(*group.members[0], all, place.first, &place);
  };
  const auto alone = [&] {
    for (const Instruction* each : group.members) storeAll(*each, wide(*each->operands[1]), nullptr);
  };
  eitherWay(place, alone, together);
}

void Widening::load(const Instruction& i) {
  const NeighbourGroup* group = neighbours_.of(i);
  if (group == nullptr) return loadAlone(i);
  if (&i == group->first) joined_[group] = loadRow(*group);
  if (!joined_.at(group)) loadAlone(i);
}

void Widening::store(const Instruction& i) {
  const NeighbourGroup* group = neighbours_.of(i);
  if (group == nullptr) return storeAlone(i);
  if (&i == group->last) storeRow(*group);
}

}  // namespace manyrt::compiler::passes
