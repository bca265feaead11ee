// All of this is a guess about time and says nothing about values: a wrong one costs an instruction, or a line of a cache.
#include "compiler/passes/lanes/prefetch_rows.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

constexpr size_t kMostPlaces = 8;       // of a region
constexpr int64_t kLine = 64;           // bytes
constexpr uint64_t kGroupsAhead = 256;  // bytes: four lines

// Ids as bits: of an item in its group along a dimension, and of the group. A global id is both.
constexpr uint32_t kItem = 1, kGroup = 8, kAnyId = 64;

uint32_t idOf(const Instruction& i) {
  if (i.op != Opcode::kWorkItem) return 0;
  uint32_t bits = 0;
  switch (i.work_item) {
    case WorkItem::kGlobalId:
      bits = kItem | kGroup;
      break;
    case WorkItem::kLocalId:
      bits = kItem;
      break;
    case WorkItem::kGroupId:
    case WorkItem::kFirstGlobalId:
      bits = kGroup;
      break;
    case WorkItem::kGlobalLinearId:
    case WorkItem::kLocalLinearId:
      return kAnyId;
    default:
      return 0;
  }
  const Instruction* dimension = i.operands.empty() ? nullptr : i.operands[0]->by;
  if (dimension == nullptr || dimension->op != Opcode::kConstant) return kAnyId;
  return dimension->numbers[0] < 3 ? bits << dimension->numbers[0] : 0;
}

// The ids that values follow from.
class Ids {
 public:
  explicit Ids(const Region& body) {
    ir::forEach(body, [&](const Instruction& i) {
      if (i.op != Opcode::kLoop) return;
      for (const Region* region : i.regions) {
        for (size_t k = 0; k < region->parameters.size(); ++k) {
          if (k < i.operands.size() && region == i.regions[0]) begins_[region->parameters[k]] = i.operands[k];
        }
      }
    });
  }
  // A value that a loop carries follows from the ids of its initial value.
  uint32_t of(const Value& value, uint32_t depth = 40) {
    if (const auto at = known_.find(&value); at != known_.end()) return at->second;
    if (depth == 0) return kAnyId;
    uint32_t found = 0;
    if (value.by != nullptr) {
      found = idOf(*value.by);
      for (const Value* operand : value.by->operands) found |= of(*operand, depth - 1);
    } else if (const auto at = begins_.find(&value); at != begins_.end()) {
      found = of(*at->second, depth - 1);
    }
    return known_[&value] = found;
  }

 private:
  std::unordered_map<const Value*, const Value*> begins_;
  std::unordered_map<const Value*, uint32_t> known_;
};

// The amount that a turn of a loop adds to a value.
struct Turn {
  enum class Kind : uint8_t { kNone, kNumber, kSome, kUnknown };  // kSome: a number that is not known here, but always the same
  Kind kind = Kind::kNone;
  int64_t number = 0;

  bool isUnknown() const { return kind == Kind::kUnknown; }
  bool isNone() const { return kind == Kind::kNone; }
  bool isFar() const { return kind == Kind::kSome || (kind == Kind::kNumber && std::abs(number) >= kLine); }
};

Turn unknown() { return {Turn::Kind::kUnknown, 0}; }

class LoopTurns {
 public:
  // `others`: ids of items and groups that go to the same places, if a product has them.
  LoopTurns(const Instruction& loop, Ids& ids, uint32_t others) : loop_(loop), ids_(ids), others_(others) {
    for (const Region* region : loop.regions) {
      inside_.insert(region->parameters.begin(), region->parameters.end());
      ir::forEach(*region, [&](const Instruction& i) {
        inside_.insert(i.results.begin(), i.results.end());
        for (const Region* inner : i.regions) inside_.insert(inner->parameters.begin(), inner->parameters.end());
      });
    }
  }

  Turn of(const Value& value) {
    if (!inside_.contains(&value)) return {};
    if (const auto at = known_.find(&value); at != known_.end()) return at->second;
    known_[&value] = unknown();
    return known_[&value] = value.by == nullptr ? ofParameter(value) : computed(*value.by);
  }

 private:
  static bool isNumber(const Value& value) { return value.by != nullptr && value.by->op == Opcode::kConstant; }
  static int64_t numberOf(const Value& value) {
    const uint64_t bits = value.by->numbers[0];
    return value.type.kind == ir::Kind::kI32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
  }

  static Turn sum(Turn a, Turn b, int64_t sign) {
    if (a.isUnknown() || b.isUnknown()) return unknown();
    if (a.kind == Turn::Kind::kSome || b.kind == Turn::Kind::kSome) return {Turn::Kind::kSome, 0};
    const int64_t number = a.number + sign * b.number;
    return number == 0 ? Turn() : Turn{Turn::Kind::kNumber, number};
  }

  Turn product(const Value& turned, Turn turn, const Value& factor) {
    constexpr int64_t kElement = 16;
    const bool is_size = isNumber(factor) && std::abs(numberOf(factor)) <= kElement;
    if (!is_size && (ids_.of(turned) & others_) != 0) return unknown();  // some turns later: a cache has it
    if (turn.kind != Turn::Kind::kNumber || !isNumber(factor)) return {Turn::Kind::kSome, 0};
    constexpr int64_t kMostNumber = int64_t{1} << 24;
    if (std::abs(turn.number) > kMostNumber || std::abs(numberOf(factor)) > kMostNumber) return {Turn::Kind::kSome, 0};
    return {Turn::Kind::kNumber, turn.number * numberOf(factor)};
  }

  Turn computed(const Instruction& by) {
    std::vector<Turn> turns;
    if (!ir::isPure(by.op)) return unknown();
    for (const Value* operand : by.operands) turns.push_back(of(*operand));
    if (std::all_of(turns.begin(), turns.end(), [](Turn each) { return each.isNone(); })) return {};
    switch (by.op) {
      case Opcode::kAdd:
      case Opcode::kOffset:
        return sum(turns[0], turns[1], 1);
      case Opcode::kSub:
        return sum(turns[0], turns[1], -1);
      case Opcode::kZExt:
      case Opcode::kSExt:
      case Opcode::kTrunc:
        return turns[0];
      case Opcode::kMul:
        if (turns[0].isUnknown() || turns[1].isUnknown() || (!turns[0].isNone() && !turns[1].isNone())) return unknown();
        return turns[0].isNone() ? product(*by.operands[1], turns[1], *by.operands[0])
                                 : product(*by.operands[0], turns[0], *by.operands[1]);
      case Opcode::kShl:
        if (turns[0].isUnknown() || !turns[1].isNone() || !isNumber(*by.operands[1]) || by.operands[1]->by->numbers[0] > 24)
          return unknown();
        return turns[0].kind == Turn::Kind::kNumber && std::abs(turns[0].number) < (1 << 24)
                   ? Turn{Turn::Kind::kNumber, turns[0].number * (int64_t{1} << by.operands[1]->by->numbers[0])}
                   : Turn{Turn::Kind::kSome, 0};
      default:
        return unknown();
    }
  }

  // For a value that a loop carries: the amount that is added to it on the way through the body and the step.
  Turn ofParameter(const Value& parameter) {
    const std::vector<Value*>& carried = loop_.regions[0]->parameters;
    const auto at = std::find(carried.begin(), carried.end(), &parameter);
    const Region &body = *loop_.regions[0], &step = *loop_.regions[1];
    if (at == carried.end() || body.body.back()->op != Opcode::kContinue || step.body.back()->op != Opcode::kNext)
      return unknown();
    Turn all;
    const Value* value = bare(*step.body.back()->operands[static_cast<size_t>(at - carried.begin())], &all);
    const auto given = std::find(step.parameters.begin(), step.parameters.end(), value);
    if (given == step.parameters.end()) return unknown();
    value = bare(*body.body.back()->operands[static_cast<size_t>(given - step.parameters.begin())], &all);
    return value == &parameter ? all : unknown();
  }
  const Value* bare(const Value& value, Turn* all) {
    const Value* at = &value;
    while (at->by != nullptr && (at->by->op == Opcode::kAdd || at->by->op == Opcode::kOffset)) {
      const Value& added = *at->by->operands[1];
      if (!isNumber(added) && inside_.contains(&added)) break;
      const Turn own = isNumber(added) ? Turn{Turn::Kind::kNumber, numberOf(added)} : Turn{Turn::Kind::kSome, 0};
      *all = sum(*all, own, 1);
      at = at->by->operands[0];
    }
    return at;
  }

  const Instruction& loop_;
  Ids& ids_;
  const uint32_t others_;
  std::unordered_set<const Value*> inside_;
  std::unordered_map<const Value*, Turn> known_;
};

// A pointer as a sum of terms and a number of bytes: two with the same terms lie near each other.
struct Sum {
  std::map<uint32_t, int64_t> terms;  // by the number of the value: how often
  int64_t bytes = 0;
};

void addTerms(const Value& value, int64_t times, uint32_t depth, Sum* sum) {
  const Instruction* by = value.by;
  const auto isNumber = [](const Value& each) { return each.by != nullptr && each.by->op == Opcode::kConstant; };
  const Opcode op = by == nullptr ? Opcode::kConstant : by->op;
  if (by != nullptr && depth > 0 && std::abs(times) < (1 << 24)) {
    if (op == Opcode::kConstant && !value.type.isVector() && !value.type.isFloating()) {
      sum->bytes += times * static_cast<int32_t>(by->numbers[0]);  // more is no neighbour of anything
      return;
    }
    if (op == Opcode::kAdd || op == Opcode::kOffset || op == Opcode::kSub) {
      addTerms(*by->operands[0], times, depth - 1, sum);
      return addTerms(*by->operands[1], op == Opcode::kSub ? -times : times, depth - 1, sum);
    }
    if (op == Opcode::kZExt || op == Opcode::kSExt || op == Opcode::kTrunc)
      return addTerms(*by->operands[0], times, depth - 1, sum);
    if (op == Opcode::kMul && isNumber(*by->operands[1]) && by->operands[1]->by->numbers[0] < (1 << 24))
      return addTerms(*by->operands[0], times * static_cast<int64_t>(by->operands[1]->by->numbers[0]), depth - 1, sum);
  }
  sum->terms[value.id] += times;
}

class Prefetching {
 public:
  Prefetching(ir::Module& module, const ir::Function& function) : module_(module), ids_(*function.body) {
    ir::forEach(*function.body, [&](const Instruction& i) {
      asked_ |= i.work_item == WorkItem::kFirstGlobalId ? 0 : idOf(i);
      const WorkItem id = i.op == Opcode::kWorkItem ? i.work_item : WorkItem::kNone;
      apart_ = apart_ || id == WorkItem::kLocalId || id == WorkItem::kGroupId;
    });
  }

  void items(const Instruction& items) {
    items_ = &items;
    for (size_t k = 0; k < items.regions.size(); ++k) {
      if (k == 1) continue;  // the rest of a row
      known_.clear();
      together_ = k == 2 && items.jam_dimension == items.dimension ? items.jam : 1;
      region(*items.regions[k]);
    }
  }

 private:
  void region(Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      if (i->op == Opcode::kLoad || i->op == Opcode::kStore) {
        if (Instruction* made = ofAccess(*i)) body.push_back(made);
      }
      body.push_back(i);
      if (i->op == Opcode::kLoop) loops_.emplace_back(*i, ids_, ~((kItem | kGroup) << items_->dimension) & (kAnyId - 1));
      for (Region* inner : i->regions) this->region(*inner);
      if (i->op == Opcode::kLoop) loops_.pop_back();
    }
    region.body = std::move(body);
  }

  // The prefetch that goes before it; null: none.
  Instruction* ofAccess(const Instruction& i) {
    const Value& pointer = *i.operands[i.op == Opcode::kLoad ? 0 : 1];
    const ir::Type type = i.op == Opcode::kLoad ? i.result()->type : i.operands[0]->type;
    const bool is_near = !pointer.type.hasLanes() && i.numbers.size() == 1 && i.numbers[0] == ir::bytesOf(type.plain());
    if (!is_near || pointer.type.space != AddressSpace::kGlobal || i.is_rare || known_.size() == kMostPlaces) return nullptr;
    // Where a place does not follow from one of the ids, many items read it. One loop has read it, and the next one finds it in
    // the cache.
    const uint32_t followed = ids_.of(pointer);
    if (((asked_ & ~followed) | ((asked_ | followed) & kAnyId)) != 0) return nullptr;
    uint64_t ahead = kGroupsAhead;
    if (!loops_.empty()) {
      if (!loops_.back().of(pointer).isFar()) return nullptr;
      for (LoopTurns& loop : loops_) {
        const Turn turn = loop.of(pointer);
        if (turn.isNone() || turn.isUnknown()) return nullptr;
      }
      ahead = (uint64_t{items_->lanes} * (together_ + 1u) - 1) * ir::bytesOf(type.plain());
    } else if (!apart_ || items_->dimension != 0 || (followed & (kItem << 1)) == 0) {
      return nullptr;  // its groups may be one long row, or it has rows that no other item goes along
    }
    Sum sum;
    addTerms(pointer, 1, 40, &sum);
    std::erase_if(sum.terms, [](const auto& term) { return term.second == 0; });
    const bool is_known = std::any_of(known_.begin(), known_.end(), [&](const Sum& other) {
      return other.terms == sum.terms && std::abs(other.bytes - sum.bytes) < kLine;
    });
    if (is_known) return nullptr;
    known_.push_back(std::move(sum));
    Instruction* made = module_.makeInstruction(Opcode::kPrefetch);
    made->where = i.where;
    made->parent = i.parent;
    made->operands = {const_cast<Value*>(&pointer)};
    made->numbers = {ahead};
    return made;
  }

  ir::Module& module_;
  Ids ids_;
  uint32_t asked_ = 0;  // ids that the kernel asks for
  bool apart_ = false;  // it tells groups apart, which are not joined to rows then
  const Instruction* items_ = nullptr;
  uint32_t together_ = 1;  // vectors of one row
  std::vector<LoopTurns> loops_;
  std::vector<Sum> known_;  // places that are asked for
};

void region(Prefetching& prefetching, const Region& from) {
  for (const Instruction* i : from.body) {
    if (i->op == Opcode::kItems) {
      if (i->lanes > 1) prefetching.items(*i);
      continue;
    }
    for (const Region* inner : i->regions) region(prefetching, *inner);
  }
}

}  // namespace

void prefetchRows(ir::Module& module) {
  for (const ir::Function* function : module.functions) {
    if (!function->for_groups) continue;
    Prefetching prefetching(module, *function);
    region(prefetching, *function->body);
  }
}

}  // namespace manyrt::compiler::passes
