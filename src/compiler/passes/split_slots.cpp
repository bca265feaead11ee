// All uses of a slot say first which elements it has; a slot with a use that does not fit stays whole. Copies between two slots
// give each the elements of the other, until nothing changes. A slot that is copied to other memory has elements for all bytes.
// Then each access becomes accesses of the elements.
#include "compiler/passes/split_slots.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/ir/writer.h"
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Kind;
using ir::Object;
using ir::Opcode;
using ir::Region;
using ir::Type;
using ir::Value;

constexpr size_t kMostElements = 128;  // of a slot

class Splitting {
 public:
  Splitting(ir::Module& module, ir::Function& function)
      : module_(module), function_(function), writer_(module, function), kept_(function.slots.size(), false) {}

  void run() {
    ir::forEach(*function_.body, [&](const Instruction& i) { note(i); });
    shareElements();
    for (const Copy& copy : outgoing_) coverAll(copy);
    shareElements();
    bool any = false;
    for (const Object* slot : function_.slots) any = any || isSplit(*slot);
    if (!any) return;
    const size_t count = function_.slots.size();
    for (size_t k = 0; k < count; ++k) makeElements(*function_.slots[k]);
    rewrite(*function_.body);
  }

 private:
  struct Place {
    const Object* slot = nullptr;
    uint64_t offset = 0;
  };
  using Elements = std::map<uint64_t, Kind>;  // by their offsets
  struct Copy {
    Place to, from;
    uint64_t bytes;
  };

  // --- which elements there are

  void keep(const Object& slot) { kept_[slot.id] = true; }

  const Place* placeOf(const Value& value) const {
    const auto at = places_.find(&value);
    return at == places_.end() ? nullptr : &at->second;
  }

  void note(const Instruction& i) {
    if (i.op == Opcode::kAddress && i.object->space == AddressSpace::kPrivate) places_[i.result()] = {i.object, 0};
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const Place* place = placeOf(*i.operands[k]);
      if (place != nullptr && !use(i, k, *place)) keep(*place->slot);
    }
  }

  // False: it is used in a way that elements do not have.
  bool use(const Instruction& i, size_t operand, Place place) {
    switch (i.op) {
      case Opcode::kOffset: {
        const Instruction* by = operand == 0 ? i.operands[1]->by : nullptr;
        if (by == nullptr || by->op != Opcode::kConstant) return false;
        places_[i.result()] = {place.slot, place.offset + by->numbers[0]};
        return true;
      }
      case Opcode::kLoad:
        return !i.is_volatile && access(place, i.result()->type);
      case Opcode::kStore:
        return operand == 1 && !i.is_volatile && access(place, i.operands[0]->type);
      case Opcode::kFill:
        mixed_.insert(place.slot);
        ranges_.push_back({place, {}, i.bytes});
        return place.offset + i.bytes <= place.slot->size;
      case Opcode::kCopy: {
        const Place* other = placeOf(*i.operands[1 - operand]);
        if (place.offset + i.bytes > place.slot->size) return false;
        mixed_.insert(place.slot);
        ranges_.push_back({place, {}, i.bytes});
        if (other == nullptr && operand == 1) outgoing_.push_back({{}, place, i.bytes});
        if (other != nullptr && operand == 0) copies_.push_back({place, *other, i.bytes});
        return true;
      }
      default:
        return false;
    }
  }

  bool access(Place place, Type type) {
    const auto [whole, is_first] = wholes_.try_emplace(place.slot, std::pair(place.offset, type));
    if (!is_first && whole->second != std::pair(place.offset, type)) mixed_.insert(place.slot);
    for (uint64_t k = 0; k < type.components; ++k) {
      if (!addElement(*place.slot, place.offset + k * ir::bytesOf(type.kind), type.kind)) return false;
    }
    return true;
  }

  // An element of the same size may be read as another type.
  bool addElement(const Object& slot, uint64_t offset, Kind kind) {
    Elements& own = elements_[&slot];
    const uint64_t bytes = ir::bytesOf(kind), end = offset + bytes;
    if (kind == Kind::kPointer || end > slot.size || own.size() >= kMostElements) return false;
    auto next = own.lower_bound(offset);
    if (next != own.end() && next->first == offset) return ir::bytesOf(next->second) == bytes;
    if (next != own.end() && next->first < end) return false;
    if (next != own.begin() && std::prev(next)->first + ir::bytesOf(std::prev(next)->second) > offset) return false;
    own.emplace_hint(next, offset, kind);
    return true;
  }

  // A slot that is always accessed as one value stays one.
  bool isSplit(const Object& slot) const { return slot.id < kept_.size() && !kept_[slot.id] && mixed_.contains(&slot); }

  void shareElements() {
    for (bool changed = true; changed;) {
      changed = false;
      const auto give = [&](const Place& from, const Place& to, uint64_t bytes) {
        if (kept_[from.slot->id] || kept_[to.slot->id]) {
          changed = changed || kept_[from.slot->id] != kept_[to.slot->id];
          keep(*from.slot);
          keep(*to.slot);
          return;
        }
        const Elements own = elements_[from.slot];
        for (auto at = own.lower_bound(from.offset); at != own.end() && at->first < from.offset + bytes; ++at) {
          const size_t before = elements_[to.slot].size();
          if (!addElement(*to.slot, at->first - from.offset + to.offset, at->second)) {
            keep(*to.slot);
            changed = true;
            return;
          }
          changed = changed || elements_[to.slot].size() != before;
        }
      };
      for (const Copy& copy : copies_) {
        give(copy.from, copy.to, copy.bytes);
        give(copy.to, copy.from, copy.bytes);
      }
      for (const Copy& range : ranges_) {  // a part of an element is no element
        if (kept_[range.to.slot->id]) continue;
        const uint64_t first = range.to.offset, end = first + range.bytes;
        for (const auto& [offset, kind] : elements_[range.to.slot]) {
          const uint64_t after = offset + ir::bytesOf(kind);
          if (after <= first || offset >= end || (offset >= first && after <= end)) continue;
          keep(*range.to.slot);
          changed = true;
          break;
        }
      }
    }
  }

  // Memory gets each byte of what is copied to it: where no element is known, as large ones as fit.
  void coverAll(const Copy& copy) {
    const uint64_t end = copy.from.offset + copy.bytes;
    for (uint64_t at = copy.from.offset; at < end && !kept_[copy.from.slot->id];) {
      const Elements& own = elements_[copy.from.slot];
      const auto next = own.lower_bound(at);
      if (next != own.end() && next->first == at) {
        at += ir::bytesOf(next->second);
        continue;
      }
      const uint64_t until = next == own.end() ? end : std::min(end, next->first);
      Kind kind = Kind::kI64;
      while (at % ir::bytesOf(kind) != 0 || at + ir::bytesOf(kind) > until) kind = smaller(kind);
      if (!addElement(*copy.from.slot, at, kind)) return keep(*copy.from.slot);
      at += ir::bytesOf(kind);
    }
  }
  static Kind smaller(Kind kind) { return kind == Kind::kI64 ? Kind::kI32 : kind == Kind::kI32 ? Kind::kI16 : Kind::kI8; }

  void makeElements(const Object& slot) {
    if (!isSplit(slot)) return;
    for (const auto& [offset, kind] : elements_[&slot])
      made_[&slot][offset] = writer_.slot(slot.name, ir::bytesOf(kind), ir::bytesOf(kind));
  }

  // --- each access as those of its elements

  void rewrite(Region& region) {
    const std::vector<Instruction*> before = std::move(region.body);
    region.body.clear();
    for (Instruction* i : before) {
      replaced_.apply(*i);
      writer_.moveTo(&region);
      writer_.where = i->where;
      const Place* place = accessed(*i);
      if (i->op == Opcode::kCopy && (place == nullptr || !isSplit(*place->slot))) place = placeOf(*i->operands[1]);
      if (place == nullptr || !isSplit(*place->slot)) {
        region.body.push_back(i);
        for (Region* inner : i->regions) rewrite(*inner);
        continue;
      }
      replace(*i, *place);
    }
  }

  const Place* accessed(const Instruction& i) const {
    switch (i.op) {
      case Opcode::kLoad:
      case Opcode::kFill:
      case Opcode::kCopy:
        return placeOf(*i.operands[0]);
      case Opcode::kStore:
        return placeOf(*i.operands[1]);
      default:
        return nullptr;
    }
  }

  Value* load(Place place, Type as) {
    const Kind kind = elements_[place.slot].at(place.offset);
    Value* value = writer_.load(writer_.address(made_[place.slot].at(place.offset)), {kind}, ir::bytesOf(kind), false);
    return kind == as.kind ? value : writer_.unary(Opcode::kBitcast, value, as);
  }
  void store(Place place, Value* value) {
    const Kind kind = elements_[place.slot].at(place.offset);
    if (kind != value->type.kind) value = writer_.unary(Opcode::kBitcast, value, {kind});
    writer_.store(value, writer_.address(made_[place.slot].at(place.offset)), ir::bytesOf(kind), false);
  }
  void replace(const Instruction& i, Place place) {
    const auto at = [&](uint64_t offset) { return Place{place.slot, place.offset + offset}; };
    switch (i.op) {
      case Opcode::kLoad: {
        const Type type = i.result()->type;
        std::vector<Value*> parts;
        for (uint64_t k = 0; k < type.components; ++k) parts.push_back(load(at(k * ir::bytesOf(type.kind)), type.element()));
        replaced_.replace(i.result(), type.isVector() ? writer_.build(std::move(parts)) : parts[0]);
        return;
      }
      case Opcode::kStore: {
        Value* value = i.operands[0];
        const Type type = value->type;
        for (uint32_t k = 0; k < type.components; ++k)
          store(at(uint64_t{k} * ir::bytesOf(type.kind)), type.isVector() ? writer_.extract(value, k) : value);
        return;
      }
      case Opcode::kFill:
        for (const auto& [offset, kind] : within(place, i.bytes)) store({place.slot, offset}, writer_.constant({kind}, 0));
        return;
      default: {
        const Place *to = splitPlace(*i.operands[0]), *from = splitPlace(*i.operands[1]);
        std::vector<Value*> values;
        const Elements own = within(place, i.bytes);
        for (const auto& [offset, kind] : own) {
          const uint64_t more = offset - place.offset;
          values.push_back(from != nullptr ? load({from->slot, from->offset + more}, {kind})
                                           : writer_.load(writer_.offset(i.operands[1], more), {kind}, 1, false));
        }
        size_t k = 0;
        for (const auto& [offset, kind] : own) {
          const uint64_t more = offset - place.offset;
          if (to != nullptr) {
            store({to->slot, to->offset + more}, values[k++]);
          } else {
            writer_.store(values[k++], writer_.offset(i.operands[0], more), 1, false);
          }
        }
        return;
      }
    }
  }

  const Place* splitPlace(const Value& value) const {
    const Place* place = placeOf(value);
    return place != nullptr && isSplit(*place->slot) ? place : nullptr;
  }

  Elements within(Place place, uint64_t bytes) {
    const Elements& own = elements_[place.slot];
    return {own.lower_bound(place.offset), own.lower_bound(place.offset + bytes)};
  }

  ir::Module& module_;
  ir::Function& function_;
  ir::Writer writer_;
  std::vector<bool> kept_;  // by the slot's number: it stays whole
  std::unordered_map<const Value*, Place> places_;
  std::unordered_map<const Object*, Elements> elements_;
  std::unordered_map<const Object*, std::pair<uint64_t, Type>> wholes_;  // what the first access of each is
  std::unordered_set<const Object*> mixed_;                              // with accesses of another kind
  std::vector<Copy> copies_, ranges_, outgoing_;                         // between slots; of what there is; to other memory
  std::unordered_map<const Object*, std::map<uint64_t, Object*>> made_;
  Replacements replaced_;
};

}  // namespace

void splitSlots(ir::Module& module) {
  for (ir::Function* function : module.functions) Splitting(module, *function).run();
}

}  // namespace manyrt::compiler::passes
