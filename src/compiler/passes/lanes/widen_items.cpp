// Which items get lanes, and how many. Both forms are written first; what they cost is counted on them as they are.
#include "compiler/passes/lanes/widen_items.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/analysis/divergence.h"
#include "compiler/builtins/lane_call.h"
#include "compiler/ir/writer.h"
#include "compiler/passes/lanes/own_values.h"
#include "compiler/passes/lanes/squares.h"
#include "compiler/passes/lanes/widening.h"
#include "compiler/unit.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Shape;
using ir::Type;
using ir::Value;

// A vector has as many lanes as numbers of four bytes. It has as many as numbers of eight bytes if more than one in four of the
// loads, stores and floating-point operations has eight bytes; an elementary function counts as ten. Addresses and counters are
// not asked: most of them have no lanes.
uint8_t lanesFor(const Region& region, uint32_t vector_bytes) {
  uint32_t all = 0, long_ones = 0;
  ir::forEach(region, [&](const Instruction& i) {
    Type type;
    if (i.op == Opcode::kLoad || (i.result() != nullptr && i.result()->type.isFloating())) type = i.result()->type;
    if (i.op == Opcode::kStore) type = i.operands[0]->type;
    if (i.op == Opcode::kConstant || type.isVoid() || type.isPointer()) return;
    const bool is_elementary =
        i.op == Opcode::kBuiltin && i.signature.builtin != nullptr && isElementary(i.signature.builtin->name);
    const uint32_t weight = is_elementary ? 10 : 1;
    all += weight;
    if (ir::bytesOf(type.kind) == 8) long_ones += weight;
  });
  return static_cast<uint8_t>(std::max(vector_bytes / (4 * long_ones > all ? 8 : 4), 4u));
}

// --- what a region costs, in simple operations

class Cost {
 public:
  // `squares`: of a region with lanes, if enough vectors may lie side by side; null: not known.
  Cost(uint32_t lanes, uint32_t vector_bytes, const Squares* squares = nullptr)
      : lanes_(lanes), vector_bytes_(vector_bytes), squares_(squares) {}

  double of(const Region& region) const {
    double sum = 0;
    for (const Instruction* i : region.body) sum += of(*i);
    return sum;
  }

 private:
  static constexpr double kTurns = 8;        // of a loop
  static constexpr double kUneven = 2;       // times as many, where lanes leave it at different times
  static constexpr double kFunction = 2;     // of the language,
  static constexpr double kElementary = 20;  // and of mathematics
  static constexpr double kAlone = 4;        // a lane's access to a place of its own
  static constexpr double kDivision = 8;     // of integers
  static constexpr double kApart = 2;        // the same a step after its neighbour's
  static constexpr double kFar = 4;          // or further away than is known
  static constexpr double kInTiles = 1;      // where a loop, or vectors side by side, may take several of a row at once
  static constexpr double kAlonePut = 5;     // the same of a store
  static constexpr double kForeseen = 1;     // a branch in a loop, which a processor foresees or not
  static constexpr double kEachLane = 4;     // to take a lane out and put its result back

  double registers(Type type) const {
    const double bytes = std::max<double>(ir::bytesOf(type.kind), 4) * type.lanes * type.components;
    return type.hasLanes() ? std::max(1.0, bytes / vector_bytes_) : type.components;
  }

  double of(const Instruction& i) const {
    double inner = 0;
    loops_ += i.op == Opcode::kLoop ? 1 : 0;
    for (const Region* region : i.regions) inner += of(*region);
    loops_ -= i.op == Opcode::kLoop ? 1 : 0;
    switch (ir::shapeOf(i.op)) {
      case Shape::kConstant:
      case Shape::kAddress:
      case Shape::kWorkItem:
        return 0;
      case Shape::kIf:
        return 1 + branches(i, inner);
      case Shape::kLoop:
        return turns(i) * inner;
      case Shape::kEach:
        return lanes_ * (inner + kEachLane);
      case Shape::kLoad:
        return access(*i.operands[0], i, i.result()->type);
      case Shape::kStore:
        return access(*i.operands[1], i, i.operands[0]->type);
      case Shape::kBuiltin:
        return function(i) * (i.result() == nullptr ? 1
                              : goesLaneByLane(i)   ? lanes_ * i.result()->type.components
                                                    : registers(i.result()->type));
      case Shape::kWiden:
      case Shape::kOffset:
      case Shape::kIntegers:
      case Shape::kBits:
      case Shape::kCompareIntegers:
        if (i.result()->type.lanes == 1 && !i.result()->type.isVector()) return ofScalars(i);
        return registers(i.result()->type);
      default:
        return 1 + inner + (i.result() == nullptr ? 0 : registers(i.result()->type) - 1);
    }
  }

  // A loop may take the turns that one just before it has left: few, unless lanes leave that one each in its own turn. A loop
  // that lanes leave at different times runs until the last one has left.
  static double turns(const Instruction& loop) {
    for (const Value* each : loop.operands) {
      const Instruction* first = each->by;
      if (first == nullptr || first->op != Opcode::kLoop || first->parent != loop.parent) continue;
      return endsByLanes(*first) ? kTurns / 2 : 1;
    }
    return endsByLanes(loop) ? kUneven * kTurns : kTurns;
  }

  static bool endsByLanes(const Instruction& loop) {
    const std::vector<Instruction*>& body = loop.regions[0]->body;
    return std::any_of(body.begin(), body.end(), [](const Instruction* i) {
      if (i->op != Opcode::kIf || i->operands[0]->by == nullptr || i->operands[0]->by->op != Opcode::kAny) return false;
      return std::any_of(i->regions.begin(), i->regions.end(),
                         [](const Region* side) { return side->body.back()->op == Opcode::kBreak; });
    });
  }

  static double function(const Instruction& i) {
    return i.signature.builtin != nullptr && isElementary(i.signature.builtin->name) ? kElementary : kFunction;
  }

  // Conversions that saturate or round in another way have no form for vectors of lanes.
  static bool goesLaneByLane(const Instruction& i) {
    return i.result()->type.hasLanes() && i.signature.builtin != nullptr && i.signature.builtin->name == "convert_";
  }

  // Addresses are parts of other instructions. A processor does more of the other scalar operations at once than of vectors.
  static double ofScalars(const Instruction& i) {
    const bool divides = i.op == Opcode::kSDiv || i.op == Opcode::kUDiv || i.op == Opcode::kSRem || i.op == Opcode::kURem;
    const bool is_address = i.op == Opcode::kOffset || ir::shapeOf(i.op) == Shape::kWiden;
    return is_address ? 0 : divides ? kDivision : 0.5;
  }

  // An if that asks whether any lane is on counts in full: one of many is. If it chooses between two forms, the cheaper one
  // counts: as a rule all lanes agree. A rare side does not count: it is the other form of an access. Any other side runs half
  // the time.
  double branches(const Instruction& i, double both) const {
    if (i.operands[0]->by != nullptr && i.operands[0]->by->op == Opcode::kAny) {
      const bool has_two = i.regions[0]->body.size() > 1 && i.regions[1]->body.size() > 1;
      return has_two ? std::min(of(*i.regions[0]), of(*i.regions[1])) : both;
    }
    for (size_t side = 0; side < 2; ++side) {
      if (isRare(*i.regions[side])) return of(*i.regions[1 - side]);
    }
    return both / 2 + (loops_ != 0 ? kForeseen : 0);
  }

  static bool isRare(const Region& region) {
    return std::any_of(region.body.begin(), region.body.end(), [](const Instruction* i) { return i->is_rare; });
  }

  double access(const Value& pointer, const Instruction& i, Type type) const {
    if (!pointer.type.hasLanes() && i.numbers.empty() && i.step() == nullptr) return registers(type.plain());
    // Up to eight bytes of a lane are one access.
    const double words = std::max(1.0, static_cast<double>(ir::bytesOf(type.kind)) * type.components / 8);
    const double places = static_cast<double>(lanes_) * words;
    if (squares_ != nullptr && squares_->has(i)) return kInTiles * places;
    if (pointer.type.hasLanes()) return (i.op == Opcode::kStore ? kAlonePut : kAlone) * places;
    if (i.step() != nullptr) return (loops_ != 0 ? kInTiles : kFar) * places;
    const auto step = static_cast<int64_t>(i.numbers[0]);
    const double row = registers(type.with(static_cast<uint8_t>(lanes_)));
    if (step == static_cast<int64_t>(ir::packedBytesOf(type)) || step == 0) return row;
    return std::min(kApart * places, inPieces(i, type, step) * row);
  }

  // How many instructions a vector of elements takes that are a few apart: all between them are loaded, and the lanes are
  // chosen. For stores, only where masks are quick.
  double inPieces(const Instruction& i, Type type, int64_t step) const {
    constexpr int64_t kMostPieces = 8, kMostPut = 4;
    const auto size = static_cast<int64_t>(ir::bytesOf(type.kind));
    const bool is_load = i.op == Opcode::kLoad;
    if (type.isVector() || step < 0 || step % size != 0 || step / size > (is_load ? kMostPieces : kMostPut)) return HUGE_VAL;
    if (!is_load && (vector_bytes_ < 64 || size < 4)) return HUGE_VAL;
    return static_cast<double>(step / size * (is_load ? 2 : 3));
  }

  const uint32_t lanes_, vector_bytes_;
  const Squares* const squares_;
  mutable uint32_t loops_ = 0;  // around
};

// Whether a switch has so many regions that lanes cannot pay: they go through all of them in turn. Most such regions are blocks
// that gotos jump to, and forms for lanes would take long.
bool hasManyBlocks(const Region& region) {
  constexpr size_t kMostBlocks = 100;
  bool found = false;
  ir::forEach(region,
              [&](const Instruction& i) { found = found || (i.op == Opcode::kSwitch && i.regions.size() > kMostBlocks); });
  return found;
}

// Which of the ids that make neighbours different are asked for.
bool asksFor(const Region& region, uint64_t dimension) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) {
    if (i.op != Opcode::kWorkItem || i.operands.empty()) return;
    const bool is_id = i.work_item == WorkItem::kGlobalId || i.work_item == WorkItem::kLocalId;
    const Instruction* by = i.operands[0]->by;
    found = found || (is_id && by != nullptr && by->op == Opcode::kConstant && by->numbers[0] == dimension);
  });
  return found;
}

class Items {
 public:
  Items(ir::Module& module, ir::Function& function) : module_(module), function_(function) {
    for (uint32_t dimension = 0; dimension < 3; ++dimension)
      if (dimension == 0 || asksFor(*function.body, dimension)) along_[dimension].emplace(function, dimension, kMaxItems);
  }

  void region(Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      const bool is_scalar = i->op == Opcode::kItems && i->lanes == 1;
      Instruction* other = is_scalar ? widen(*i) : nullptr;
      if (other != nullptr) {
        eitherOf(*i, *other, region, &body);
        continue;
      }
      if (is_scalar && i->lanes > 1 && leavesItems(*i)) {
        leave(*i, region, &body);
        continue;
      }
      body.push_back(i);
      if (i->op == Opcode::kItems) continue;
      for (Region* inner : i->regions) this->region(*inner);
    }
    region.body = std::move(body);
  }

 private:
  // Along another dimension than 0 only where that costs clearly less: memory lies along dimension 0, and groups are longer
  // that way. Along dimension 2 only where groups are known to have room there.
  static constexpr double kClearly = 0.7;
  static constexpr uint32_t kRoom = 4;

  struct Form {
    Instruction* items = nullptr;  // null: there is none
    double cost = 0;               // of an item
  };

  // Gives the items lanes, or leaves them. Where groups may be too short for the lanes along one dimension: the same items with
  // lanes along the other one; else null.
  Instruction* widen(Instruction& items) {
    from_ = items.regions[0];
    const Region& from = *from_;
    if (hasManyBlocks(from)) return stay(items, ir::kManyBlocks);
    const uint8_t lanes = lanesFor(from, module_.vector_bytes);
    const auto has = [&](uint8_t dimension) {
      return dimension == 0 || (dimension < 3 && asksFor(from, dimension) && !hasItemsSlots(from));
    };
    if (module_.lanes_along >= 0) {
      const auto along = static_cast<uint8_t>(module_.lanes_along);
      const Form forced = has(along) ? form(items, along, lanes) : Form();
      take(items, forced.items != nullptr ? forced : form(items, 0, lanes));
      return nullptr;
    }
    const double alone = Cost(lanes, module_.vector_bytes).of(from);
    const Form across = best(items, 0, lanes), down = has(1) ? best(items, 1, lanes) : Form();
    const auto isClearly = [&](const Form& form, const Form& than) {
      return form.items != nullptr && form.cost < kClearly * (than.items != nullptr ? than.cost : alone);
    };
    const bool is_down = isClearly(down, across);
    const Form &flat = is_down ? down : across, &other = is_down ? across : down;
    const Form deep = function_.likely_group[2] >= kRoom && has(2) ? best(items, 2, lanes) : Form();
    const Form& chosen = isClearly(deep, flat) ? deep : flat;
    if (chosen.items == nullptr) return stay(items, why_not_);
    if (chosen.cost >= alone) return stay(items, ir::kCostsMore);
    take(items, chosen);
    const bool is_known = function_.likely_group[0] != 0;
    return is_known || other.items == nullptr || other.cost >= alone || !items.results.empty() ? nullptr : other.items;
  }

  static Instruction* stay(Instruction& items, const char* why) {
    items.why_no_lanes = why;
    return nullptr;
  }

  // With as many lanes as vectors have, or, where rows are known to be shorter, as fit those.
  Form best(const Instruction& items, uint8_t dimension, uint8_t lanes) {
    const uint32_t size = function_.likely_group[dimension];
    while (size != 0 && lanes > 4 && lanes / 2u >= size) lanes /= 2;
    Form made = form(items, dimension, lanes);
    if (size != 0) made.cost *= static_cast<double>((size + lanes - 1) / lanes * lanes) / size;
    return made;
  }

  Form form(const Instruction& items, uint8_t dimension, uint8_t lanes) {
    Instruction* made = module_.makeInstruction(Opcode::kItems);
    made->where = items.where;
    made->parent = items.parent;
    made->operands = items.operands;
    made->numbers = items.numbers;
    made->results = items.results;
    made->lanes = lanes;
    made->dimension = dimension;
    if (!write(*made, *items.regions[0], *along_[dimension])) return {};
    const Region& whole = *made->regions[0];
    const uint8_t across = dimension == 0 ? 1 : 0;
    const OwnValues own(whole, across);
    const Squares squares(whole, own);
    const uint32_t rows = function_.likely_group[across];
    const bool fits = rows == 0 || rows >= lanes;
    return {made, Cost(lanes, module_.vector_bytes, fits ? &squares : nullptr).of(whole) / lanes};
  }

  static void take(Instruction& items, const Form& form) {
    if (form.items == nullptr) return;
    items.lanes = form.items->lanes;
    items.dimension = form.items->dimension;
    items.regions = form.items->regions;
    for (Region* region : items.regions) region->owner = &items;
  }

  // The size of the group chooses: `other` runs if the row is too short for the lanes, and shorter than along the other
  // dimension.
  void eitherOf(Instruction& items, Instruction& other, Region& region, std::vector<Instruction*>* body) {
    ir::Writer writer(module_, function_);
    writer.where = items.where;
    Region here;
    writer.moveTo(&here);
    const auto size = [&](uint8_t dimension) {
      Instruction* made = writer.add(Opcode::kWorkItem, {writer.constant({ir::Kind::kI32}, dimension)}, {ir::Kind::kI64});
      made->work_item = WorkItem::kLocalSize;
      return made->result();
    };
    Value *own = size(items.dimension), *others = size(other.dimension);
    Value* is_short = writer.compare(Opcode::kULt, own, writer.constant(own->type, items.lanes));
    Value* is_shorter = writer.compare(Opcode::kULt, own, others);
    Instruction* either = writer.add(Opcode::kIf, {writer.binary(Opcode::kAnd, is_short, is_shorter)});
    for (Instruction* each : here.body) {
      each->parent = &region;
      body->push_back(each);
    }
    for (Instruction* each : {&other, &items}) {
      Region* side = writer.enter(either);
      each->parent = side;
      side->body.push_back(each);
      writer.end(Opcode::kYield);
    }
  }

  // Whether what whole vectors leave of a row goes item by item. The groups that are known leave nothing. A second form with
  // lanes takes a compiler as long as the first, and would be for groups that may never come.
  bool leavesItems(const Instruction& items) const {
    const uint32_t size = function_.likely_group[items.dimension];
    if (size == 0 || size % items.lanes != 0 || function_.group_size[0] != 0) return false;
    if (!items.operands.empty() || !items.results.empty()) return false;
    uint32_t count = 0;
    bool ends = false;
    ir::forEach(*from_, [&](const Instruction& i) {
      ++count;
      ends = ends || i.op == Opcode::kReturn;
    });
    return count > module_.long_items && !ends;
  }

  // Leaves whole vectors to `items`. Items as they were follow, from the end of the last vector on.
  void leave(Instruction& items, Region& region, std::vector<Instruction*>* body) {
    Region& rest = *items.regions[1];
    rest.body.clear();
    ir::Writer writer(module_, function_);
    writer.where = items.where;
    writer.moveTo(&rest);
    writer.end(Opcode::kYield);
    Region here;
    writer.moveTo(&here);
    Instruction* size = writer.add(Opcode::kWorkItem, {writer.constant({ir::Kind::kI32}, items.dimension)}, {ir::Kind::kI64});
    size->work_item = WorkItem::kLocalSize;
    Value* whole = writer.binary(Opcode::kAnd, size->result(), writer.constant({ir::Kind::kI64}, ~uint64_t{items.lanes - 1u}));
    Instruction* left = module_.makeInstruction(Opcode::kItems);
    left->where = items.where;
    left->operands = {whole};
    left->numbers = {uint64_t{2} * items.dimension};
    left->regions = {from_};
    left->why_no_lanes = ir::kLeftItems;
    from_->owner = left;
    body->push_back(&items);
    for (Instruction* each : here.body) body->push_back(each);
    body->push_back(left);
    for (size_t k = body->size() - here.body.size() - 1; k < body->size(); ++k) (*body)[k]->parent = &region;
  }

  // The slots of items lie along dimension 0.
  static bool hasItemsSlots(const Region& from) {
    bool found = false;
    ir::forEach(from, [&](const Instruction& i) { found = found || (i.object != nullptr && i.object->per_item); });
    return found;
  }

  bool write(Instruction& items, const Region& from, const analysis::Divergence& divergence) {
    Region* whole = module_.makeRegion(&items);
    Region* rest = module_.makeRegion(&items);
    Value* mask = module_.makeValue(function_, Type{ir::Kind::kBool}.with(items.lanes), nullptr);
    rest->parameters.push_back(mask);
    SlotLayouts layouts(module_, function_, from, items.lanes);
    const Neighbours neighbours(from, divergence);
    for (Region* to : {whole, rest}) {
      Widening widening(module_, function_, divergence, neighbours, layouts, items.lanes);
      if (widening.write(from, *to, to == rest ? mask : nullptr)) continue;
      why_not_ = widening.whyNot();
      return false;
    }
    return true;
  }

  ir::Module& module_;
  ir::Function& function_;
  // For the kernel as it was: they do not know the values that have lanes already.
  std::optional<analysis::Divergence> along_[3];  // by dimension: of 1 and 2 where these are asked for
  Region* from_ = nullptr;                        // the items that were widened last, as they were
  const char* why_not_ = nullptr;                 // the last form that could not be made
};

}  // namespace

void widenItems(ir::Module& module) {
  if (module.vector_bytes == 0) return;
  for (ir::Function* function : module.functions) {
    if (function->for_groups) Items(module, *function).region(*function->body);
  }
}

}  // namespace manyrt::compiler::passes
