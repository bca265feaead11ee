// Values that differ between the vectors ("own" to each) are found first, as a set that only grows. Then the region is written
// once. It has an instruction with such a value once for each vector, and all others once. Control that all vectors take
// together stands once around them; control that a vector takes alone is copied as a whole.
#include "compiler/passes/lanes/jam_items.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/ir/writer.h"
#include "compiler/passes/control.h"
#include "compiler/passes/copy.h"
#include "compiler/passes/lanes/own_values.h"
#include "compiler/passes/lanes/squares.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Region;
using ir::Shape;
using ir::Type;
using ir::Value;

bool hasInside(const Region& region, Opcode op) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) { found = found || i.op == op; });
  return found;
}

// How many vectors are worth it along a dimension; 1: none.
class Worth {
 public:
  Worth(const Instruction& items, const OwnValues& own, uint8_t dimension) : items_(items), own_(own), dimension_(dimension) {}

  uint8_t count() {
    loops(*items_.regions[0]);
    return refused_ || most_ == kMost + 1 ? 1 : most_;
  }

 private:
  static constexpr uint8_t kMost = 4;
  static constexpr size_t kRegisters = 24, kInstructions = 160;  // of all vectors in a loop
  static constexpr size_t kFarInstructions = 640;                // the same, where loads take longer than all else

  void loops(const Region& region) {
    for (const Instruction* i : region.body) {
      if (i->op == Opcode::kLoop && std::none_of(i->regions.begin(), i->regions.end(),
                                                 [](const Region* inner) { return hasInside(*inner, Opcode::kLoop); })) {
        loop(*i);
        continue;
      }
      for (const Region* inner : i->regions) loops(*inner);
    }
  }

  void loop(const Instruction& i) {
    if (own_.isControl(i)) {
      refused_ = true;
      return;
    }
    Counts counts;
    for (const Value* each : i.regions[0]->parameters) counts.carried += own_.is(*each) && each->type.hasLanes() ? 1u : 0u;
    for (const Region* region : i.regions) count(*region, &counts);
    const auto [carried, own, shared_loads, far_loads] = counts;
    // Vectors across the rows of lanes share loads. Vectors along a row share none, and only hide the latency of a sum.
    const bool gains = dimension_ == items_.dimension ? carried >= 1 && carried <= 2 : shared_loads >= 1 && carried >= 1;
    if (!gains) return;
    uint8_t count = kMost;
    if (far_loads != 0) {
      most_ = std::min(most_, fewest(counts));
      return;
    }
    while (count > 1 && (count * carried + shared_loads + 2 > kRegisters || count * own > kInstructions)) count /= 2;
    most_ = std::min(most_, count);
  }

  struct Counts {
    size_t carried = 0;       // vectors from turn to turn
    size_t own = 0;           // instructions
    size_t shared_loads = 0;  // of vectors
    size_t far_loads = 0;     // of these, whose lanes lie apart
  };

  // Lanes from places that lie apart are an access each, for all vectors together. Sharing these saves more than it costs to
  // keep values in memory that registers have no room for.
  uint8_t fewest(const Counts& counts) const {
    uint8_t best = 1;
    size_t least = 0;
    for (uint8_t count = 1; count <= kMost; count *= 2) {
      if (count * counts.own > kFarInstructions) break;
      const size_t live = count * counts.carried + counts.shared_loads + 2;
      const size_t spilled = live > kRegisters ? live - kRegisters : 0;
      const size_t once = counts.shared_loads - counts.far_loads + counts.far_loads * items_.lanes;
      const size_t cost = kMost * (once + count * counts.own + 2 * std::min(spilled, count * counts.carried)) / count;
      if (count == 1 || cost < least) {
        best = count;
        least = cost;
      }
    }
    return best;
  }

  // The first side of an `if` for an index that may wrap is not counted: it does not run as a rule.
  void count(const Region& region, Counts* counts) {
    for (const Instruction* i : region.body) {
      if (i->op == Opcode::kLoad && i->result()->type.hasLanes()) {
        const bool is_shared = !own_.is(*i->result());
        refused_ = refused_ || (!is_shared && (i->operands[0]->type.hasLanes() || i->step() != nullptr));
        counts->shared_loads += is_shared ? 1 : 0;
        counts->far_loads += is_shared && isFar(*i) ? 1 : 0;
      }
      counts->own += own_.is(*i) && i->op != Opcode::kConstant ? 1u : 0u;
      for (size_t k = 0; k < i->regions.size(); ++k) {
        if (k != 0 || i->op != Opcode::kIf || !isForWraps(*i)) count(*i->regions[k], counts);
      }
    }
  }
  static bool isFar(const Instruction& load) {
    const Type type = load.result()->type;
    return load.operands[0]->type.hasLanes() || load.step() != nullptr || load.numbers.empty() ||
           load.numbers[0] != ir::bytesOf(type);
  }
  static bool isForWraps(const Instruction& i) {
    const Region &first = *i.regions[0], &second = *i.regions[1];
    const auto isLoad = [](const Instruction* each) { return each->op == Opcode::kLoad; };
    const auto in_first = std::find_if(first.body.begin(), first.body.end(), isLoad);
    const auto in_second = std::find_if(second.body.begin(), second.body.end(), isLoad);
    return in_first != first.body.end() && in_second != second.body.end() && (*in_first)->operands[0]->type.hasLanes() &&
           !(*in_second)->operands[0]->type.hasLanes();
  }

  const Instruction& items_;
  const OwnValues& own_;
  const uint8_t dimension_;
  uint8_t most_ = kMost + 1;
  bool refused_ = false;
};

class Jam {
 public:
  // `squares`: null: each vector's loads and stores are its own.
  Jam(ir::Module& module, ir::Function& function, const Instruction& items, const OwnValues& own, uint8_t dimension,
      uint8_t count, const Squares* squares = nullptr)
      : module_(module),
        function_(function),
        items_(items),
        own_(own),
        squares_(squares),
        dimension_(dimension),
        writer_(module, function),
        copiers_(count, Copier(module, function)) {}

  void write(const Region& from, Region& to) {
    writer_.moveTo(&to);
    writer_.where = items_.where;
    Value* fits = squares_ == nullptr ? nullptr : fit(to);
    if (fits == nullptr) return region(from, to);
    Instruction* either = writer_.add(Opcode::kIf, {fits});
    region(from, *writer_.enter(either));
    oneByOne(from, *writer_.enter(either));
    writer_.moveTo(&to);
    writer_.end(Opcode::kYield);
  }

 private:
  void region(const Region& from, Region& to, bool ends = true) {
    for (const Instruction* i : from.body) {
      if (!ends && i == from.body.back()) break;
      writer_.moveTo(&to);
      writer_.where = i->where;
      instruction(*i, to);
    }
  }

  void instruction(const Instruction& i, Region& to) {
    if (ir::isTerminator(i.op)) {
      const Instruction* target = targetOf(i);
      const bool ends_items = target == &items_;
      writer_.end(i.op, ends_items ? std::vector<Value*>() : expanded(i.operands, receivers(i, *target)));
    } else if (own_.isId(i)) {
      id(i, to);
    } else if (squares_ != nullptr && squares_->decides(i)) {
      second(i, to);
    } else if (squares_ != nullptr && squares_->has(i)) {
      square(i, to);
    } else if (i.op == Opcode::kAddress && i.object->per_item) {
      address(i, to);
    } else if (!i.regions.empty() && !own_.isControl(i)) {
      control(i, to);
    } else if (own_.is(i)) {
      for (Copier& copier : copiers_) to.body.push_back(copier.copy(i, to));
    } else {
      to.body.push_back(copiers_[0].copy(i, to));
      for (Value* result : i.results) share(result, copiers_[0].of(result));
    }
  }

  void share(const Value* value, Value* by) {
    for (Copier& copier : copiers_) copier.replace(value, by);
  }

  // Copies the id for the first vector, and adds to it for the others.
  void id(const Instruction& i, Region& to) {
    to.body.push_back(copiers_[0].copy(i, to));
    Value* first = copiers_[0].of(i.result());
    const uint64_t step = dimension_ == items_.dimension ? items_.lanes : 1;
    if (number_ != nullptr)
      copiers_[0].replace(i.result(), writer_.binary(Opcode::kAdd, first, writer_.resize(number_, first->type.kind, false)));
    for (size_t k = 1; k < copiers_.size(); ++k)
      copiers_[k].replace(i.result(), writer_.binary(Opcode::kAdd, first, writer_.constant(first->type, k * step)));
  }

  // Whether the bounds are kept and no condition holds in all vectors; null: there are none.
  Value* fit(Region& to) {
    Value* all = nullptr;
    const auto add = [&](Value* own) { all = all == nullptr ? own : writer_.binary(Opcode::kAnd, all, own); };
    std::vector<Copier> vectors(copiers_.size(), Copier(module_, function_));
    for (const Bound& bound : squares_->bounds()) {
      Value* number = early(*bound.number, 0, &vectors[0], to);
      const uint64_t last = bound.last - static_cast<uint64_t>(bound.change) * (copiers_.size() - 1);
      add(writer_.compare(Opcode::kULe, number, writer_.constant(number->type, last)));
    }
    Value* any = nullptr;
    for (Value* condition : squares_->conditions()) {
      for (size_t k = 0; k < vectors.size(); ++k) {
        Value* own = early(*condition, k, &vectors[k], to);
        any = any == nullptr ? own : writer_.binary(Opcode::kOr, any, own);
      }
    }
    if (any != nullptr) add(writer_.binary(Opcode::kXor, any, writer_.constant({Kind::kBool}, 1)));
    return all;
  }

  // A pure value of a vector, before its place.
  Value* early(Value& value, uint64_t number, Copier* copier, Region& to) {
    if (copier->of(&value) != &value || value.by == nullptr || !isInside(*value.by, *items_.regions[0]))
      return copier->of(&value);
    for (Value* operand : value.by->operands) (void)early(*operand, number, copier, to);
    to.body.push_back(copier->copy(*value.by, to));
    Value* made = copier->of(&value);
    if (number == 0 || !own_.isId(*value.by)) return made;
    Value* own = writer_.binary(Opcode::kAdd, made, writer_.constant(made->type, number));
    copier->replace(&value, own);
    return own;
  }
  static bool isInside(const Instruction& i, const Region& region) {
    for (const Region* at = i.parent; at != nullptr; at = at->owner == nullptr ? nullptr : at->owner->parent) {
      if (at == &region) return true;
    }
    return false;
  }

  // Writes the second side of an if in its place.
  void second(const Instruction& i, Region& to) {
    const Region& from = *i.regions[1];
    for (size_t k = 0; k + 1 < from.body.size(); ++k) {
      writer_.where = from.body[k]->where;
      instruction(*from.body[k], to);
    }
    for (size_t k = 0; k < i.results.size(); ++k) {
      for (Copier& copier : copiers_) copier.replace(i.results[k], copier.of(from.body.back()->operands[k]));
    }
  }

  void square(const Instruction& i, Region& to) {
    const auto count = static_cast<uint8_t>(copiers_.size());
    if (i.op == Opcode::kStore) {
      std::vector<Value*> parts;
      for (Copier& copier : copiers_) parts.push_back(copier.of(i.operands[0]));
      Type type = parts[0]->type;
      type.components = count;
      Value* all = writer_.add(Opcode::kBuild, std::move(parts), type)->result();
      Instruction* store = copiers_[0].copy(i, to);
      store->operands[0] = all;
      to.body.push_back(store);
      return;
    }
    Instruction* load = copiers_[0].copy(i, to);
    load->result()->type.components = count;
    to.body.push_back(load);
    for (uint32_t k = 0; k < count; ++k) copiers_[k].replace(i.result(), writer_.extract(load->result(), k));
  }

  // The vectors in turn, in a loop that counts them.
  void oneByOne(const Region& from, Region& to) {
    writer_.moveTo(&to);
    Instruction* loop = writer_.add(Opcode::kLoop, {writer_.constant({Kind::kI64}, 0)});
    Region* body = writer_.enter(loop);
    body->parameters = {module_.makeValue(function_, {Kind::kI64}, nullptr)};
    Value* number = body->parameters[0];
    Value* goes_on = writer_.compare(Opcode::kULt, number, writer_.constant(number->type, copiers_.size()));
    Instruction* leaves = writer_.add(Opcode::kIf, {goes_on});
    writer_.enter(leaves);
    writer_.end(Opcode::kYield);
    writer_.enter(leaves);
    writer_.end(Opcode::kBreak);
    Jam one(module_, function_, items_, own_, dimension_, 1);
    one.number_ = number;
    one.region(from, *body, false);
    writer_.moveTo(body);
    writer_.end(Opcode::kContinue, {number});
    Region* step = writer_.enter(loop);
    step->parameters = {module_.makeValue(function_, {Kind::kI64}, nullptr)};
    Value* next = writer_.binary(Opcode::kAdd, step->parameters[0], writer_.constant({Kind::kI64}, 1));
    writer_.end(Opcode::kNext, {next});
    writer_.moveTo(&to);
    writer_.end(Opcode::kYield);
  }

  // Slots of items lie along dimension 0.
  void address(const Instruction& i, Region& to) {
    to.body.push_back(copiers_[0].copy(i, to));
    Value* first = copiers_[0].of(i.result());
    Value* step = writer_.constant({Kind::kI64}, i.object->lane_stride * (dimension_ == 0 ? items_.lanes : 1));
    if (dimension_ == 1) {
      Instruction* size = writer_.add(Opcode::kWorkItem, {writer_.constant({Kind::kI32}, 0)}, {Kind::kI64});
      size->work_item = WorkItem::kLocalSize;
      step = writer_.binary(Opcode::kMul, size->result(), step);
    }
    for (size_t k = 1; k < copiers_.size(); ++k) {
      Value* more = writer_.binary(Opcode::kMul, step, writer_.constant({Kind::kI64}, k));
      copiers_[k].replace(i.result(), writer_.offset(first, more));
    }
  }

  // The values that `to` receives: one for each vector where they are its own.
  std::vector<Value*> expanded(const std::vector<Value*>& values, const std::vector<Value*>& to) {
    std::vector<Value*> all;
    for (size_t k = 0; k < to.size(); ++k) {
      const size_t count = own_.is(*to[k]) ? copiers_.size() : 1;
      for (size_t c = 0; c < count; ++c) all.push_back(copiers_[c].of(values[k]));
    }
    return all;
  }

  // Makes new values in place of these: one for each vector where they are its own.
  void define(const std::vector<Value*>& values, Instruction* by, std::vector<Value*>* into) {
    for (const Value* value : values) {
      const size_t count = own_.is(*value) ? copiers_.size() : 1;
      for (size_t c = 0; c < count; ++c) {
        Value* made = module_.makeValue(function_, value->type, by);
        if (into != nullptr) into->push_back(made);
        if (count == 1) {
          share(value, made);
        } else {
          copiers_[c].replace(value, made);
        }
      }
    }
  }

  void control(const Instruction& i, Region& to) {
    Instruction* made = module_.makeInstruction(i.op);
    *made = i;
    made->parent = &to;
    made->results.clear();
    made->regions.clear();
    if (i.op == Opcode::kLoop) made->operands = expanded(i.operands, i.regions[0]->parameters);
    if (i.op == Opcode::kIf) made->operands = {copiers_[0].of(i.operands[0])};
    to.body.push_back(made);
    for (const Region* inner : i.regions) {
      Region* own = module_.makeRegion(made);
      define(inner->parameters, nullptr, &own->parameters);
      region(*inner, *own);
    }
    define(i.results, made, nullptr);
  }

  ir::Module& module_;
  ir::Function& function_;
  const Instruction& items_;
  const OwnValues& own_;
  const Squares* const squares_;
  const uint8_t dimension_;
  Value* number_ = nullptr;  // of the only vector that is written, if it is not the first one
  ir::Writer writer_;
  std::vector<Copier> copiers_;  // one for each vector
};

// The instructions that the pass knows; with any other one, items stay one vector at a time.
bool isKnown(const Instruction& i) {
  switch (i.op) {
    case Opcode::kLoad:
    case Opcode::kStore:
      return !i.is_volatile;
    case Opcode::kBuiltin:
      return i.signature.builtin != nullptr && i.signature.builtin->kind == BuiltinKind::kPure;
    case Opcode::kFence:
    case Opcode::kIf:
    case Opcode::kLoop:
    case Opcode::kYield:
    case Opcode::kContinue:
    case Opcode::kNext:
    case Opcode::kBreak:
      return true;
    default:
      return ir::isPure(i.op);
  }
}

// Whether vectors can go together: not with slots that lanes of one have, items that end, lanes one by one, ids of another
// kind.
bool canBe(const Region& region) {
  bool can = true;
  ir::forEach(region, [&](const Instruction& i) {
    const bool is_slot = i.op == Opcode::kAddress && i.object->space == AddressSpace::kPrivate && !i.object->per_item;
    const bool is_linear_id =
        i.op == Opcode::kWorkItem &&
        (i.work_item == WorkItem::kGlobalLinearId || i.work_item == WorkItem::kLocalLinearId ||
         (!i.operands.empty() && (i.operands[0]->by == nullptr || i.operands[0]->by->op != Opcode::kConstant)));
    can = can && isKnown(i) && !is_slot && !is_linear_id;
  });
  return can;
}

// Slots of items have a stride of their own there.
bool hasItemsSlots(const Region& region) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) { found = found || (i.op == Opcode::kAddress && i.object->per_item); });
  return found;
}

void jam(ir::Module& module, ir::Function& function, Instruction& items) {
  if (!items.results.empty() || !canBe(*items.regions[0])) return;
  const uint8_t across = items.dimension == 0 ? 1 : 0;
  for (const uint8_t dimension : {across, items.dimension}) {
    const uint32_t size = function.likely_group[dimension];
    const OwnValues own(*items.regions[0], dimension);
    if (own.isAskedInControl(*items.regions[0])) continue;
    const Squares squares(*items.regions[0], own);
    const bool is_square = dimension == across && squares.pay(items.lanes) && !hasItemsSlots(*items.regions[0]);
    const uint32_t of_each = dimension == items.dimension ? items.lanes : 1;
    uint8_t count = is_square ? items.lanes : Worth(items, own, dimension).count();
    while (!is_square && count > 1 && size != 0 && size < count * of_each) count /= 2;  // rows are known to be short
    if (count < 2 || (size != 0 && size < count * of_each)) continue;
    items.jam = count;
    items.jam_dimension = dimension;
    Region* region = module.makeRegion(&items);
    Jam(module, function, items, own, dimension, count, is_square ? &squares : nullptr).write(*items.regions[0], *region);
    return;
  }
}

void region(ir::Module& module, ir::Function& function, const Region& from) {
  for (Instruction* i : from.body) {
    if (i->op == Opcode::kItems) {
      if (i->lanes > 1) jam(module, function, *i);
      continue;
    }
    for (const Region* inner : i->regions) region(module, function, *inner);
  }
}

}  // namespace

void jamItems(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    if (function->for_groups) region(module, *function, *function->body);
  }
}

}  // namespace manyrt::compiler::passes
