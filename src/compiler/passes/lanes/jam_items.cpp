// What differs between the vectors is found first, as a set of values that only grows ("own" to each). Then the region is
// written once: an instruction with such a value once for each vector, all others once, control that all take together once
// around all of them. Control that a vector takes alone is copied as a whole.
#include "compiler/passes/lanes/jam_items.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "compiler/ir/writer.h"
#include "compiler/passes/control.h"
#include "compiler/passes/copy.h"

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

// Of a region of items: what differs between vectors that lie side by side along a dimension.
class Own {
 public:
  Own(const Region& region, uint8_t dimension) : dimension_(dimension) {
    do {
      changed_ = false;
      visit(region);
    } while (changed_);
  }

  bool is(const Value& value) const { return values_.contains(&value); }
  // Whether a vector takes its own way through an instruction with regions.
  bool isControl(const Instruction& i) const { return control_.contains(&i); }
  bool is(const Instruction& i) const {
    const auto own = [&](const Value* each) { return is(*each); };
    return isControl(i) || std::any_of(i.operands.begin(), i.operands.end(), own) ||
           std::any_of(i.results.begin(), i.results.end(), own);
  }
  bool isId(const Instruction& i) const {
    if (i.op != Opcode::kWorkItem) return false;
    const bool is_id = i.work_item == WorkItem::kGlobalId || i.work_item == WorkItem::kLocalId;
    const Instruction* by = i.operands.empty() ? nullptr : i.operands[0]->by;
    return is_id && by != nullptr && by->op == Opcode::kConstant && by->numbers[0] == dimension_;
  }

 private:
  void add(const Value& value) { changed_ |= values_.insert(&value).second; }
  void addControl(const Instruction& i) {
    changed_ |= control_.insert(&i).second;
    for (const Value* result : i.results) add(*result);
  }

  void visit(const Region& region) {
    for (const Instruction* i : region.body) {
      if (ir::isTerminator(i->op)) {
        terminator(*i);
        continue;
      }
      const bool from_own = std::any_of(i->operands.begin(), i->operands.end(), [&](const Value* each) { return is(*each); });
      if (i->regions.empty()) {
        const bool is_pure_call =
            i->op == Opcode::kBuiltin && i->signature.builtin != nullptr && i->signature.builtin->kind == BuiltinKind::kPure;
        const bool acts = (i->op == Opcode::kBuiltin && !is_pure_call) || i->op == Opcode::kCall;
        if (from_own || acts || isId(*i) || (i->op == Opcode::kAddress && i->object->per_item)) {
          for (const Value* result : i->results) add(*result);
        }
        continue;
      }
      if (i->op == Opcode::kIf && is(*i->operands[0])) addControl(*i);
      if (i->op == Opcode::kLoop) carry(i->operands, i->regions[0]->parameters);
      for (const Region* inner : i->regions) visit(*inner);
    }
  }

  void terminator(const Instruction& i) {
    const Instruction* target = targetOf(i);
    if (target->op == Opcode::kItems) return;
    for (const Region* region = i.parent; region->owner != target; region = region->owner->parent) {
      if (!isControl(*region->owner)) continue;
      // All that it leaves is left by each vector in its own turn.
      for (const Instruction* at = region->owner; at != target; at = at->parent->owner) addControl(*at);
      addControl(*target);
      break;
    }
    carry(i.operands, receivers(i, *target));
  }

  void carry(const std::vector<Value*>& values, const std::vector<Value*>& to) {
    for (size_t k = 0; k < to.size(); ++k) {
      if (is(*values[k])) add(*to[k]);
    }
  }

  const uint8_t dimension_;
  std::unordered_set<const Value*> values_;
  std::unordered_set<const Instruction*> control_;
  bool changed_ = false;
};

// How many vectors are worth it along a dimension; 1: none.
class Worth {
 public:
  Worth(const Instruction& items, const Own& own, uint8_t dimension) : items_(items), own_(own), dimension_(dimension) {}

  uint8_t count() {
    loops(*items_.regions[0]);
    return refused_ || most_ == kMost + 1 ? 1 : most_;
  }

 private:
  static constexpr uint8_t kMost = 4;
  static constexpr size_t kRegisters = 24, kInstructions = 160;  // of all vectors in a loop

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
    const auto [carried, own, shared_loads] = counts;
    // Across the lanes' rows a load is saved; along them only a sum is there that would wait.
    const bool gains = dimension_ == items_.dimension ? carried >= 1 && carried <= 2 : shared_loads >= 1 && carried >= 1;
    if (!gains) return;
    uint8_t count = kMost;
    while (count > 1 && (count * carried + shared_loads + 2 > kRegisters || count * own > kInstructions)) count /= 2;
    most_ = std::min(most_, count);
  }

  struct Counts {
    size_t carried = 0;       // vectors from turn to turn
    size_t own = 0;           // instructions
    size_t shared_loads = 0;  // of vectors
  };
  // Where an index may wrap, the first side of an `if` is for that: it does not run.
  void count(const Region& region, Counts* counts) {
    for (const Instruction* i : region.body) {
      if (i->op == Opcode::kLoad && i->result()->type.hasLanes()) {
        refused_ = refused_ || i->operands[0]->type.hasLanes() || i->step() != nullptr;
        counts->shared_loads += own_.is(*i->result()) ? 0 : 1;
      }
      counts->own += own_.is(*i) && i->op != Opcode::kConstant ? 1u : 0u;
      for (size_t k = 0; k < i->regions.size(); ++k) {
        if (k != 0 || i->op != Opcode::kIf || !isForWraps(*i)) count(*i->regions[k], counts);
      }
    }
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
  const Own& own_;
  const uint8_t dimension_;
  uint8_t most_ = kMost + 1;
  bool refused_ = false;
};

class Jam {
 public:
  Jam(ir::Module& module, ir::Function& function, const Instruction& items, const Own& own, uint8_t dimension, uint8_t count)
      : module_(module),
        function_(function),
        items_(items),
        own_(own),
        dimension_(dimension),
        writer_(module, function),
        copiers_(count, Copier(module, function)) {}

  void write(const Region& from, Region& to) { region(from, to); }

 private:
  void region(const Region& from, Region& to) {
    for (const Instruction* i : from.body) {
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

  // The first vector's, and those of the others from it.
  void id(const Instruction& i, Region& to) {
    to.body.push_back(copiers_[0].copy(i, to));
    Value* first = copiers_[0].of(i.result());
    const uint64_t step = dimension_ == items_.dimension ? items_.lanes : 1;
    for (size_t k = 1; k < copiers_.size(); ++k)
      copiers_[k].replace(i.result(), writer_.binary(Opcode::kAdd, first, writer_.constant(first->type, k * step)));
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

  // Values that become `to`: each vector's, where these are.
  std::vector<Value*> expanded(const std::vector<Value*>& values, const std::vector<Value*>& to) {
    std::vector<Value*> all;
    for (size_t k = 0; k < to.size(); ++k) {
      const size_t count = own_.is(*to[k]) ? copiers_.size() : 1;
      for (size_t c = 0; c < count; ++c) all.push_back(copiers_[c].of(values[k]));
    }
    return all;
  }

  // New ones in their place.
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
  const Own& own_;
  const uint8_t dimension_;
  ir::Writer writer_;
  std::vector<Copier> copiers_;  // one for each vector
};

// What the pass has thought of; all else stays one vector at a time.
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

// What vectors cannot do together: slots that the lanes of one have, items that end, lanes one by one, ids of another kind.
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

void jam(ir::Module& module, ir::Function& function, Instruction& items) {
  if (!items.results.empty() || !canBe(*items.regions[0])) return;
  const uint8_t across = items.dimension == 0 ? 1 : 0;
  for (const uint8_t dimension : {across, items.dimension}) {
    const uint32_t size = function.likely_group[dimension];
    const Own own(*items.regions[0], dimension);
    const uint8_t count = Worth(items, own, dimension).count();
    if (count < 2 || (size != 0 && size < count * (dimension == items.dimension ? items.lanes : 1u))) continue;
    items.jam = count;
    items.jam_dimension = dimension;
    Region* region = module.makeRegion(&items);
    Jam(module, function, items, own, dimension, count).write(*items.regions[0], *region);
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
