// Each value is looked at once: chains of sums are used many times.
#include "compiler/passes/lanes/turn_changes.h"

#include <algorithm>
#include <cstdlib>

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Kind;
using ir::Opcode;
using ir::Value;

namespace {

constexpr uint64_t kMostFactor = 65536;
constexpr int64_t kMostChange = int64_t{1} << 40;  // of an address: no turn goes further

bool isNumber(const Value& value) { return value.by != nullptr && value.by->op == Opcode::kConstant; }

std::optional<int64_t> product(int64_t a, int64_t b, const Value& left, const Value& right) {
  const Value& factor = a != 0 ? right : left;
  const int64_t change = a != 0 ? a : b;
  if ((a != 0 && b != 0) || !isNumber(factor) || factor.by->numbers[0] > kMostFactor) return std::nullopt;
  return change * static_cast<int64_t>(factor.by->numbers[0]);
}

}  // namespace

void addBounds(const Bounds& more, Bounds* bounds) {
  for (const Bound& each : more) {
    if (std::find(bounds->begin(), bounds->end(), each) == bounds->end()) bounds->push_back(each);
  }
}

std::optional<int64_t> TurnChanges::of(const Value& value, Bounds* bounds) const {
  if (!differs_(value)) return 0;
  const Known& known = find(value);
  if (!known.change || (bounds == nullptr && !known.bounds.empty())) return std::nullopt;
  if (bounds != nullptr) addBounds(known.bounds, bounds);
  return known.change;
}

const TurnChanges::Known& TurnChanges::find(const Value& value) const {
  if (const auto at = known_.find(&value); at != known_.end()) return at->second;
  Known made = computed(value);
  if (made.change && std::abs(*made.change) > kMostChange) made.change.reset();
  return known_.emplace(&value, std::move(made)).first->second;
}

TurnChanges::Known TurnChanges::computed(const Value& value) const {
  if (value.by == nullptr || !ir::isPure(value.by->op) || value.by->op == Opcode::kWorkItem) return {given_(value), {}};
  const Instruction& by = *value.by;
  Known made;
  const auto none = [] { return Known(); };
  int64_t a = 0, b = 0;
  for (size_t k = 0; k < by.operands.size(); ++k) {
    const auto each = of(*by.operands[k], &made.bounds);
    if (!each) return none();
    if (k == 0) a = *each;
    if (k >= 1) b = k == 1 ? *each : b | *each;
  }
  made.change = 0;
  if (a == 0 && b == 0) return made;
  if (value.type.isVector() || (!value.type.isPointer() && ir::bitsOf(value.type.kind) < 32)) return none();
  switch (by.op) {
    case Opcode::kAdd:
    case Opcode::kOffset:
      made.change = a + b;
      return made;
    case Opcode::kSub:
      made.change = a - b;
      return made;
    case Opcode::kMul:
      made.change = product(a, b, *by.operands[0], *by.operands[1]);
      return made;
    case Opcode::kShl:
      if (b != 0 || !isNumber(*by.operands[1]) || by.operands[1]->by->numbers[0] > 16) return none();
      made.change = a * (int64_t{1} << by.operands[1]->by->numbers[0]);
      return made;
    case Opcode::kTrunc:
    case Opcode::kSExt:
    case Opcode::kSpread:
    case Opcode::kSteps:
      made.change = a;
      return made;
    case Opcode::kZExt:
      if (by.operands[0]->type.hasLanes() || a < 0 || a > 65536) return none();
      addBounds({{by.operands[0], ir::maskOf(by.operands[0]->type.kind), a}}, &made.bounds);
      made.change = a;
      return made;
    default:
      return none();
  }
}

bool TurnChanges::isBounded(const Value& condition, Bounds* bounds) const {
  const Instruction* by = condition.by;
  if (by == nullptr || condition.type.hasLanes()) return false;
  if (by->op == Opcode::kOr) return isBounded(*by->operands[0], bounds) && isBounded(*by->operands[1], bounds);
  if (by->op != Opcode::kULt) return false;
  Value* number = by->operands[1];
  const Instruction* less = by->operands[0]->by;
  uint64_t last = 0;
  if (less != nullptr && less->op == Opcode::kConstant) {  // last < number
    last = less->numbers[0];
  } else if (less != nullptr && less->op == Opcode::kAdd && less->operands[0] == number && isNumber(*less->operands[1])) {
    last = ir::maskOf(number->type.kind) - less->operands[1]->by->numbers[0];  // number + c < number
  } else {
    return false;
  }
  Bounds own;
  const auto change = of(*number, &own);
  if (!change || *change < 0 || static_cast<uint64_t>(*change) > last / 64) return false;
  addBounds(own, bounds);
  addBounds({{number, last, *change}}, bounds);
  return true;
}

}  // namespace manyrt::compiler::passes
