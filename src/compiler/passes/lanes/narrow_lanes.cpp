// The low bits of sums, bitwise operations and choices follow from the low bits of their operands. An operation becomes narrow
// if its users ask for no other bits, and if its operands cost nothing to make narrow. These are wide copies of narrow values,
// values that are the same for all lanes, or narrow operations themselves. An operation that stays wide keeps others wide,
// until no more do.
#include "compiler/passes/lanes/narrow_lanes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/ir/writer.h"
#include "compiler/passes/known_bits.h"
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Region;
using ir::Type;
using ir::Value;

class NarrowLanes {
 public:
  NarrowLanes(ir::Module& module, ir::Function& function, Kind kind)
      : kind_(kind), writer_(module, function), function_(function) {}

  void run() {
    ir::forEach(*function_.body, [&](Instruction& i) {
      for (const Value* operand : i.operands) users_[operand].push_back(&i);
      if (isOperation(i)) narrow_.insert(&i);
      if (isComparison(i)) narrow_.insert(&i);
    });
    if (narrow_.empty()) return;
    std::vector<const Instruction*> left(narrow_.begin(), narrow_.end());
    while (!left.empty()) {
      const Instruction* i = left.back();
      left.pop_back();
      if (!narrow_.contains(i) || stays(*i)) continue;
      narrow_.erase(i);
      for (const Value* operand : i->operands) {
        if (operand->by != nullptr && narrow_.contains(operand->by)) left.push_back(operand->by);
      }
      for (const Instruction* user : usersOf(*i->result())) {
        left.push_back(user);
        // A condition is as narrow as the values that it chooses from, also where it is joined with others: so these are looked
        // at again.
        for (const Value* operand : user->operands) {
          if (operand->by != nullptr) left.push_back(operand->by);
        }
      }
    }
    if (narrow_.empty()) return;
    region(*function_.body);
    ir::forEach(*function_.body, [&](Instruction& i) { replacements_.apply(i); });
  }

 private:
  uint32_t bits() const { return ir::bitsOf(kind_); }
  static bool isWide(const Value& value) { return value.type.kind == Kind::kI32; }

  // The operations that may become narrow.
  bool isOperation(const Instruction& i) const {
    if (i.results.empty() || !i.result()->type.hasLanes() || !isWide(*i.result())) return false;
    switch (i.op) {
      case Opcode::kAdd:
      case Opcode::kSub:
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kXor:
      case Opcode::kSelect:
        return true;
      case Opcode::kShl:
        return isShift(i);
      case Opcode::kLShr:
        return isShift(i) && isShort(*i.operands[0]);
      default:
        return false;
    }
  }
  bool isShift(const Instruction& i) const {
    return isNumber(*i.operands[1]) && !i.result()->type.isVector() && i.operands[1]->by->numbers[0] < bits();
  }
  // A comparison of two values that the narrow type holds, both unsigned or both signed.
  bool isComparison(const Instruction& i) const {
    const ir::Shape shape = ir::shapeOf(i.op);
    if (shape != ir::Shape::kCompareIntegers && shape != ir::Shape::kCompareBits) return false;
    const Value &a = *i.operands[0], &b = *i.operands[1];
    if (!i.result()->type.hasLanes() || !isWide(a)) return false;
    return (isShort(a) && isShort(b)) || (isSigned(a) && isSigned(b) && i.op != Opcode::kULt && i.op != Opcode::kULe);
  }
  static bool isNumber(const Value& value) { return value.by != nullptr && value.by->op == Opcode::kConstant; }
  bool isShort(const Value& value) const { return (bitsThatMayBe(value) & ~ir::maskOf(kind_)) == 0; }
  bool isSigned(const Value& value) const {
    if (isNumber(value)) {
      const auto limit = int64_t{1} << (bits() - 1);
      return std::all_of(value.by->numbers.begin(), value.by->numbers.end(), [&](uint64_t number) {
        const int64_t own = static_cast<int32_t>(number);
        return own >= -limit && own < limit;
      });
    }
    return (value.by != nullptr && value.by->op == Opcode::kSExt && ir::bitsOf(value.by->operands[0]->type.kind) <= bits()) ||
           (bitsThatMayBe(value) & ~(ir::maskOf(kind_) >> 1)) == 0;
  }

  static bool isExtension(const Instruction& i) { return i.op == Opcode::kZExt || i.op == Opcode::kSExt; }
  // Whether the narrow form of a value costs nothing, or nearly so.
  bool isFree(const Value& value) const {
    if (!value.type.hasLanes()) return true;
    if (value.by == nullptr) return false;
    if (isExtension(*value.by)) return ir::bitsOf(value.by->operands[0]->type.kind) <= bits();
    return value.by->op == Opcode::kSpread || (isOperation(*value.by) && narrow_.contains(value.by));
  }

  const std::vector<Instruction*>& usersOf(const Value& value) const {
    static const auto* const kNone = new std::vector<Instruction*>;  // never destroyed: builds go on at the end of the process
    const auto at = users_.find(&value);
    return at == users_.end() ? *kNone : at->second;
  }

  bool stays(const Instruction& i) const {
    const size_t first = i.op == Opcode::kSelect ? 1 : 0;
    for (size_t k = first; k < i.operands.size(); ++k) {
      if (!isFree(*i.operands[k])) return false;
    }
    const std::vector<Instruction*>& users = usersOf(*i.result());
    if (!isOperation(i))
      return std::any_of(users.begin(), users.end(), [&](const Instruction* user) { return wantsMask(*user); });
    bool ends = !users.empty();
    for (const Instruction* user : users) {
      if (user->op == Opcode::kTrunc) {
        ends = ends && ir::bitsOf(user->result()->type.kind) <= bits();
      } else {
        ends = ends && narrow_.contains(user) && (user->op != Opcode::kSelect || user->operands[0] != i.result());
      }
    }
    return ends;
  }
  // Whether this user makes a narrow number of a condition.
  bool wantsMask(const Instruction& user) const {
    if (user.op == Opcode::kSelect) return narrow_.contains(&user) || ir::bitsOf(user.result()->type.kind) <= bits();
    if (!isExtension(user)) return false;
    const std::vector<Instruction*>& users = usersOf(*user.result());
    return std::any_of(users.begin(), users.end(), [&](const Instruction* each) { return narrow_.contains(each); });
  }

  void region(Region& region) {
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      Region here;
      writer_.moveTo(&here);
      writer_.where = i->where;
      instruction(*i);
      for (Instruction* each : here.body) {
        each->parent = &region;
        body.push_back(each);
      }
      body.push_back(i);
      for (Region* inner : i->regions) this->region(*inner);
    }
    region.body = std::move(body);
  }

  // The wide forms of narrow operations stay without a use: passes after this one drop them.
  void instruction(Instruction& i) {
    if (i.op == Opcode::kTrunc && i.operands[0]->by != nullptr && narrow_.contains(i.operands[0]->by)) {
      Value* own = made_.at(i.operands[0]);
      if (own->type == i.result()->type) {
        replacements_.replace(i.result(), own);
      } else {
        i.operands[0] = own;
      }
      return;
    }
    if (!narrow_.contains(&i)) return;
    if (!isOperation(i)) {
      const bool has_sign = !isShort(*i.operands[0]) || !isShort(*i.operands[1]);
      if (!has_sign && i.op == Opcode::kSLt) i.op = Opcode::kULt;
      if (!has_sign && i.op == Opcode::kSLe) i.op = Opcode::kULe;
      for (Value*& operand : i.operands) operand = narrowed(*operand);
      return;
    }
    const size_t first = i.op == Opcode::kSelect ? 1 : 0;
    std::vector<Value*> operands(i.operands.begin(), i.operands.begin() + static_cast<ptrdiff_t>(first));
    for (size_t k = first; k < i.operands.size(); ++k) operands.push_back(narrowed(*i.operands[k]));
    Type type = i.result()->type;
    type.kind = kind_;
    made_[i.result()] = writer_.add(i.op, std::move(operands), type)->result();
  }

  Value* narrowed(Value& value) {
    if (const auto at = made_.find(&value); at != made_.end()) return at->second;
    Type type = value.type;
    type.kind = kind_;
    if (isNumber(value)) {
      Value* made = writer_.constant(type, 0);
      for (size_t k = 0; k < value.by->numbers.size(); ++k) made->by->numbers[k] = value.by->numbers[k] & ir::maskOf(kind_);
      return made;
    }
    if (value.by != nullptr && isExtension(*value.by) && ir::bitsOf(value.by->operands[0]->type.kind) <= bits()) {
      Value* from = value.by->operands[0];
      return from->type.kind == kind_ ? from : writer_.unary(value.by->op, from, type);
    }
    if (value.type.hasLanes() && value.by != nullptr && value.by->op == Opcode::kSpread)
      return writer_.unary(Opcode::kSpread, narrowed(*value.by->operands[0]), type);
    return writer_.unary(Opcode::kTrunc, &value, type);  // the same for all lanes
  }

  const Kind kind_;
  ir::Writer writer_;
  ir::Function& function_;
  std::unordered_map<const Value*, std::vector<Instruction*>> users_;
  std::unordered_set<const Instruction*> narrow_;  // operations, and comparisons of them
  std::unordered_map<const Value*, Value*> made_;
  Replacements replacements_;
};

}  // namespace

void narrowLanes(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    if (!function->for_groups) continue;
    for (const Kind kind : {Kind::kI8, Kind::kI16}) NarrowLanes(module, *function, kind).run();
  }
}

}  // namespace manyrt::compiler::passes
