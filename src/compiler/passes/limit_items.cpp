// An id of an item, or its sum with a small constant, is compared with a value that the group has, or can compute ahead. Ids
// are below 2^31 with room for such a sum (unit.h), so that a conversion of one to 32 bits loses nothing. Limits in 64 bits are
// exact: bounds of 64 bits are clamped to a number that no id reaches.
#include "compiler/passes/limit_items.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

namespace manyrt::compiler::passes {
namespace {

using ir::Function;
using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Region;
using ir::Type;
using ir::Value;

constexpr uint64_t kMostMore = 65535;         // that may be added to an id
constexpr uint64_t kFar = uint64_t{1} << 40;  // beyond each id

std::optional<uint64_t> constantOf(const Value& value) {
  if (value.by == nullptr || value.by->op != Opcode::kConstant || value.type.isVector()) return std::nullopt;
  return value.by->numbers[0];
}

struct Id {
  uint64_t dimension = 0;
  bool is_global = false;
  uint64_t more = 0;
};

std::optional<Id> idOf(const Value& value) {
  const Instruction* by = value.by;
  if (by == nullptr || value.type.isVector() || !value.type.isInteger()) return std::nullopt;
  switch (by->op) {
    case Opcode::kTrunc:
      if (ir::bitsOf(value.type.kind) < 32) return std::nullopt;
      return idOf(*by->operands[0]);
    case Opcode::kZExt:
    case Opcode::kSExt:
      return idOf(*by->operands[0]);
    case Opcode::kAdd: {
      const bool left = constantOf(*by->operands[0]).has_value();
      const std::optional<uint64_t> more = constantOf(*by->operands[left ? 0 : 1]);
      if (!more || *more > kMostMore) return std::nullopt;
      std::optional<Id> id = idOf(*by->operands[left ? 1 : 0]);
      if (!id || (id->more += *more) > kMostMore) return std::nullopt;
      return id;
    }
    case Opcode::kWorkItem: {
      const bool is_global = by->work_item == WorkItem::kGlobalId;
      if (!is_global && by->work_item != WorkItem::kLocalId) return std::nullopt;
      const std::optional<uint64_t> dimension = constantOf(*by->operands[0]);
      if (!dimension || *dimension > 2) return std::nullopt;
      return Id{*dimension, is_global, 0};
    }
    default:
      return std::nullopt;
  }
}

// "id op bound", which holds for the items that go on.
enum class Order : uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual };

struct Limit {
  Id id;
  Order order = Order::kLess;
  Value* bound = nullptr;
  bool is_signed = false;
};

class Limiting {
 public:
  Limiting(ir::Module& module, Function& kernel) : module_(module), kernel_(kernel) { noteParameters(*kernel.body); }

  void region(Region& region) {
    std::vector<Instruction*> body;
    for (size_t at = 0; at < region.body.size(); ++at) {
      Instruction* i = region.body[at];
      if (i->op == Opcode::kItems && i->results.empty()) {
        const bool is_last = region.owner == nullptr && at + 2 == region.body.size();
        ahead_.clear();
        while (takeOne(*i, is_last)) {
        }
        body.insert(body.end(), ahead_.begin(), ahead_.end());
        for (Instruction* each : ahead_) each->parent = &region;
      } else if (i->op != Opcode::kItems) {
        for (Region* inner : i->regions) this->region(*inner);
      }
      body.push_back(i);
    }
    region.body = std::move(body);
  }

 private:
  void noteParameters(const Region& region) {
    groups_.insert(region.parameters.begin(), region.parameters.end());
    for (const Instruction* i : region.body) {
      if (i->op == Opcode::kItems) continue;
      for (const Region* inner : i->regions) noteParameters(*inner);
    }
  }

  // Makes limits of the first condition after pure operations. `is_last`: nothing comes after the items, so a return does
  // nothing.
  bool takeOne(Instruction& items, bool is_last) {
    Region& inner = *items.regions[0];
    auto at = std::find_if(inner.body.begin(), inner.body.end(), [](const Instruction* i) { return !ir::isPure(i->op); });
    if (at == inner.body.end() || (*at)->op != Opcode::kIf || !(*at)->results.empty()) return false;
    const Instruction& branch = **at;
    const bool is_whole = at + 2 == inner.body.end();
    int does_nothing = -1;  // the side of the items beyond the limits
    for (int side = 0; side < 2; ++side) {
      const Region& region = *branch.regions[static_cast<size_t>(side)];
      const Opcode last = region.body.back()->op;
      if (region.body.size() == 1 && ((last == Opcode::kReturn && is_last) || (last == Opcode::kYield && is_whole)))
        does_nothing = side;
    }
    if (does_nothing < 0) return false;
    Region& other = *branch.regions[static_cast<size_t>(1 - does_nothing)];
    if (other.body.back()->op != Opcode::kYield) return false;
    std::vector<Limit> limits;
    if (!read(*branch.operands[0], does_nothing == 1, &limits)) return false;
    std::vector<Value*> bounds;
    for (const Limit& limit : limits) {
      Value* bound = hoisted(limit.bound);
      if (bound == nullptr) return false;
      bounds.push_back(bound);
    }
    for (size_t k = 0; k < limits.size(); ++k) add(items, limits[k], bounds[k]);
    // The instructions of the other side take the place of the if.
    std::vector<Instruction*> body(inner.body.begin(), at);
    for (Instruction* i : other.body) {
      if (i->op == Opcode::kYield && i == other.body.back()) break;
      i->parent = &inner;
      body.push_back(i);
    }
    body.insert(body.end(), at + 1, inner.body.end());
    inner.body = std::move(body);
    return true;
  }

  // Limits that together are the condition, or (`truth` false) its contrary.
  bool read(const Value& condition, bool truth, std::vector<Limit>* limits) {
    const Instruction* by = condition.by;
    if (by == nullptr || condition.type.isVector()) return false;
    if (by->op == (truth ? Opcode::kAnd : Opcode::kOr) && condition.type.isBool())
      return read(*by->operands[0], truth, limits) && read(*by->operands[1], truth, limits);
    if (by->op == Opcode::kXor && condition.type.isBool() && constantOf(*by->operands[1]) == uint64_t{1})
      return read(*by->operands[0], !truth, limits);
    const bool equal = by->op == (truth ? Opcode::kEq : Opcode::kNe);
    const bool is_signed = by->op == Opcode::kSLt || by->op == Opcode::kSLe;
    const bool strict = by->op == Opcode::kSLt || by->op == Opcode::kULt;
    if (!equal && !is_signed && !strict && by->op != Opcode::kULe) return readUnequal(*by, truth, limits);
    if (!by->operands[0]->type.isInteger() || by->operands[0]->type.isVector() || ir::bitsOf(by->operands[0]->type.kind) < 32)
      return false;
    const std::optional<Id> left = idOf(*by->operands[0]), right = idOf(*by->operands[1]);
    if (left.has_value() == right.has_value()) return false;
    Limit limit{left ? *left : *right, Order::kEqual, by->operands[left ? 1 : 0], is_signed};
    if (!equal) {
      bool less = left.has_value(), or_equal = !strict;
      if (!truth) {
        less = !less;
        or_equal = !or_equal;
      }
      limit.order = less ? (or_equal ? Order::kLessEqual : Order::kLess) : or_equal ? Order::kGreaterEqual : Order::kGreater;
    }
    limits->push_back(limit);
    return true;
  }

  // All but the item with the id 0.
  static bool readUnequal(const Instruction& by, bool truth, std::vector<Limit>* limits) {
    if (by.op != (truth ? Opcode::kNe : Opcode::kEq) || !by.operands[0]->type.isInteger() || by.operands[0]->type.isVector())
      return false;
    const std::optional<Id> id = idOf(*by.operands[0]);
    if (!id || id->more != 0 || constantOf(*by.operands[1]) != uint64_t{0}) return false;
    limits->push_back({*id, Order::kGreater, by.operands[1], false});
    return true;
  }

  // --- ahead of the items

  Instruction* make(Opcode op, std::vector<Value*> operands, Type type) {
    Instruction* made = module_.makeInstruction(op);
    made->operands = std::move(operands);
    module_.makeValue(kernel_, type, made);
    ahead_.push_back(made);
    return made;
  }
  Value* constant(uint64_t number) {
    Instruction* made = make(Opcode::kConstant, {}, {Kind::kI64});
    made->numbers = {number};
    return made->result();
  }
  Value* binary(Opcode op, Value* a, Value* b) { return make(op, {a, b}, {Kind::kI64})->result(); }
  Value* workItem(WorkItem which, uint64_t dimension) {
    Instruction* number = make(Opcode::kConstant, {}, {Kind::kI32});
    number->numbers = {dimension};
    Instruction* made = make(Opcode::kWorkItem, {number->result()}, {Kind::kI64});
    made->work_item = which;
    return made->result();
  }
  Value* smaller(Value* a, Value* b, Opcode order) {
    Value* less = make(order, {a, b}, {Kind::kBool})->result();
    return make(Opcode::kSelect, {less, a, b}, {Kind::kI64})->result();
  }

  static bool isInItems(const Instruction& i) {
    for (const Region* region = i.parent; region != nullptr && region->owner != nullptr; region = region->owner->parent) {
      if (region->owner->op == Opcode::kItems) return true;
    }
    return false;
  }

  // Computes a value ahead of the items, by pure operations on values that no item has of its own. Null: it is an item's.
  Value* hoisted(Value* value, int depth = 0) {
    const Instruction* by = value->by;
    if (by == nullptr) return groups_.contains(value) ? value : nullptr;
    if (!isInItems(*by)) return value;
    if (depth > 8 || !ir::isPure(by->op) || by->op == Opcode::kAddress) return nullptr;
    switch (by->work_item) {
      case WorkItem::kGlobalId:
      case WorkItem::kLocalId:
      case WorkItem::kGlobalLinearId:
      case WorkItem::kLocalLinearId:
        return nullptr;
      default:
        break;
    }
    std::vector<Value*> operands;
    for (Value* operand : by->operands) {
      operands.push_back(hoisted(operand, depth + 1));
      if (operands.back() == nullptr) return nullptr;
    }
    Instruction* made = module_.makeInstruction(by->op);
    *made = *by;
    made->results.clear();
    made->operands = std::move(operands);
    made->parent = nullptr;
    ahead_.push_back(made);
    return module_.makeValue(kernel_, value->type, made);
  }

  void add(Instruction& items, const Limit& limit, Value* bound) {
    if (bound->type.kind != Kind::kI64) {
      bound = make(limit.is_signed ? Opcode::kSExt : Opcode::kZExt, {bound}, {Kind::kI64})->result();
    } else if (limit.is_signed) {
      bound = smaller(bound, constant(kFar), Opcode::kSLt);
      Value* low = constant(~kFar + 1);
      Value* less = make(Opcode::kSLt, {bound, low}, {Kind::kBool})->result();
      bound = make(Opcode::kSelect, {less, low, bound}, {Kind::kI64})->result();
    } else {
      bound = smaller(bound, constant(kFar), Opcode::kULt);
    }
    // The bound of the local id: it is less by all that the condition adds to that id.
    if (limit.id.is_global) bound = binary(Opcode::kSub, bound, workItem(WorkItem::kFirstGlobalId, limit.id.dimension));
    if (limit.id.more != 0) bound = binary(Opcode::kSub, bound, constant(limit.id.more));
    Value* next =
        limit.order == Order::kLess || limit.order == Order::kGreaterEqual ? bound : binary(Opcode::kAdd, bound, constant(1));
    const auto put = [&](Value* value, bool is_end) {
      items.operands.push_back(value);
      items.numbers.push_back(2 * limit.id.dimension + (is_end ? 1 : 0));
    };
    switch (limit.order) {
      case Order::kLess:
      case Order::kLessEqual:
        return put(next, true);
      case Order::kGreater:
      case Order::kGreaterEqual:
        return put(next, false);
      case Order::kEqual:
        put(bound, false);
        return put(next, true);
    }
  }

  ir::Module& module_;
  Function& kernel_;
  std::unordered_set<const Value*> groups_;  // parameters of the kernel and of regions of the group
  std::vector<Instruction*> ahead_;
};

}  // namespace

void limitItems(ir::Module& module) {
  for (Function* function : module.functions) {
    if (!function->for_groups) continue;
    Limiting(module, *function).region(*function->body);
  }
}

}  // namespace manyrt::compiler::passes
