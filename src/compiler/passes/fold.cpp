// One walk: operands are folded before what uses them. A new peephole is a function of one instruction that gives the value
// which takes its place, and a line in kPeepholes.
#include "compiler/passes/fold.h"

#include <algorithm>
#include <bit>

#include "compiler/ir/evaluate.h"
#include "compiler/passes/known_bits.h"
#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Value;

bool isConstant(const Value* value) { return value->by != nullptr && value->by->op == Opcode::kConstant; }

// Whether each component and each lane is this constant.
bool isConstant(const Value* value, uint64_t bits) {
  if (value->by != nullptr && value->by->op == Opcode::kSpread) return isConstant(value->by->operands[0], bits);
  return isConstant(value) && std::all_of(value->by->numbers.begin(), value->by->numbers.end(),
                                          [&](uint64_t number) { return number == (bits & ir::maskOf(value->type.kind)); });
}

// x + 0, x - 0, x | 0, x ^ 0, x << 0, x * 1, x / 1, x & ~0, p + 0
Value* withNeutral(const Instruction& i) {
  if (i.operands.size() != 2 || i.results.empty() || i.operands[0]->type.isFloating()) return nullptr;
  Value *a = i.operands[0], *b = i.operands[1];
  switch (i.op) {
    case Opcode::kAdd:
    case Opcode::kOr:
    case Opcode::kXor:
      if (isConstant(a, 0)) return b;
      [[fallthrough]];
    case Opcode::kSub:
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
    case Opcode::kOffset:
      return isConstant(b, 0) ? a : nullptr;
    case Opcode::kMul:
      if (isConstant(a, 1)) return b;
      [[fallthrough]];
    case Opcode::kSDiv:
    case Opcode::kUDiv:
      return isConstant(b, 1) ? a : nullptr;
    case Opcode::kAnd:
      if (isConstant(a, ~uint64_t{0})) return b;
      return isConstant(b, ~uint64_t{0}) ? a : nullptr;
    default:
      return nullptr;
  }
}

// x * 0, x & 0
Value* withZero(const Instruction& i) {
  if (i.op != Opcode::kMul && i.op != Opcode::kAnd) return nullptr;
  for (Value* operand : i.operands) {
    if (isConstant(operand, 0)) return operand;
  }
  return nullptr;
}

// A choice between equal values, or one that is decided.
Value* decided(const Instruction& i) {
  if (i.op != Opcode::kSelect) return nullptr;
  if (i.operands[1] == i.operands[2] || isConstant(i.operands[0], 1)) return i.operands[1];
  return isConstant(i.operands[0], 0) ? i.operands[2] : nullptr;
}

// The value that an extraction or a second conversion gets back. It is x in (i32)(i64)x, c as component 2 of (a, b, c, d), the
// condition x in (x ? 1 : 0) != 0.
Value* undone(const Instruction& i) {
  if (i.operands.empty()) return nullptr;
  const Instruction* inner = i.operands[0]->by;
  if (inner == nullptr || inner->operands.empty()) return nullptr;
  Value* before = inner->operands[0];
  switch (i.op) {
    case Opcode::kTrunc:
      return (inner->op == Opcode::kSExt || inner->op == Opcode::kZExt) && before->type == i.result()->type ? before : nullptr;
    case Opcode::kNe:
      return inner->op == Opcode::kZExt && before->type.isBool() && isConstant(i.operands[1], 0) ? before : nullptr;
    case Opcode::kBitcast:
      return inner->op == Opcode::kBitcast && before->type == i.result()->type ? before : nullptr;
    case Opcode::kPtrToInt:
      return inner->op == Opcode::kIntToPtr ? before : nullptr;
    case Opcode::kIntToPtr:
      return inner->op == Opcode::kPtrToInt && before->type == i.result()->type ? before : nullptr;
    case Opcode::kExtract:
      if (inner->op == Opcode::kSplat) return before;
      if (inner->op == Opcode::kBuild) return inner->operands[i.numbers[0]];
      if (inner->op == Opcode::kInsert && inner->numbers[0] == i.numbers[0]) return inner->operands[1];
      return nullptr;
    default:
      return nullptr;
  }
}

// Whether two operands are one value, or constants of the same numbers.
bool isEqual(const Value* a, const Value* b) {
  return a == b || (isConstant(a) && isConstant(b) && a->type == b->type && a->by->numbers == b->by->numbers);
}

// x in (x + y) - y, (x - y) + y and (x ^ y) ^ y of integers, which wrap, and of truth values: !!c is c ^ 1 ^ 1.
Value* takenBack(const Instruction& i) {
  const Opcode before = i.op == Opcode::kAdd ? Opcode::kSub : i.op == Opcode::kSub ? Opcode::kAdd : Opcode::kXor;
  if (i.op != Opcode::kAdd && i.op != Opcode::kSub && i.op != Opcode::kXor) return nullptr;
  for (size_t side = 0; side < (i.op == Opcode::kSub ? 1 : 2); ++side) {
    const Instruction* inner = i.operands[side]->by;
    const Value* y = i.operands[1 - side];
    if (inner == nullptr || inner->op != before) continue;
    if (isEqual(inner->operands[1], y)) return inner->operands[0];
    if (before != Opcode::kSub && isEqual(inner->operands[0], y)) return inner->operands[1];
  }
  return nullptr;
}

// (i32)(u8)x of an i32 that has no other bits.
Value* cutForNothing(const Instruction& i) {
  if (i.op != Opcode::kZExt || i.operands[0]->by == nullptr || i.operands[0]->by->op != Opcode::kTrunc) return nullptr;
  Value* before = i.operands[0]->by->operands[0];
  const bool is_same = before->type == i.result()->type && !i.operands[0]->type.isBool();
  return is_same && (bitsThatMayBe(*before) & ~ir::maskOf(i.operands[0]->type.kind)) == 0 ? before : nullptr;
}

constexpr Value* (*kPeepholes[])(const Instruction&) = {withNeutral, withZero, decided, undone, takenBack, cutForNothing};

// The same for lanes, where there are other bits: a mask saves vectors of another element's size. Returns the constant of the
// mask, which goes before it; null: it is something else.
Instruction* cutByMask(ir::Module& module, ir::Function& function, Instruction& i) {
  if (i.op != Opcode::kZExt || !i.result()->type.hasLanes() || i.operands[0]->by == nullptr) return nullptr;
  const Instruction& cut = *i.operands[0]->by;
  if (cut.op != Opcode::kTrunc || cut.operands[0]->type != i.result()->type) return nullptr;
  Instruction* mask = module.makeInstruction(Opcode::kConstant);
  mask->where = i.where;
  mask->parent = i.parent;
  module.makeValue(function, i.result()->type.plain(), mask);
  mask->numbers.assign(i.result()->type.components, ir::maskOf(cut.result()->type.kind));
  i.op = Opcode::kAnd;
  i.operands = {cut.operands[0], mask->result()};
  return mask;
}

// A mask that has all lanes on is none.
void dropMask(Instruction& i) {
  if (i.mask() != nullptr && isConstant(i.mask(), 1)) i.operands.pop_back();
}

void foldRegion(ir::Module& module, ir::Function& function, ir::Region& region, Replacements* replaced) {
  for (size_t at = 0; at < region.body.size(); ++at) {
    Instruction* i = region.body[at];
    replaced->apply(*i);
    dropMask(*i);
    for (ir::Region* inner : i->regions) foldRegion(module, function, *inner, replaced);
    if (!ir::isPure(i->op) || i->op == Opcode::kConstant || i->results.empty()) continue;
    Value* same = nullptr;
    for (const auto& peephole : kPeepholes) {
      if (same == nullptr) same = peephole(*i);
    }
    if (same != nullptr && same->type == i->result()->type) {
      replaced->replace(i->result(), same);
      continue;
    }
    if (Instruction* mask = cutByMask(module, function, *i); mask != nullptr) {
      region.body.insert(region.body.begin() + static_cast<ptrdiff_t>(at), mask);
      ++at;
      continue;
    }
    // Floating sums and products stay as they are: what rounds once is the processor's to say.
    if (i->operands.empty() || i->op == Opcode::kFma ||
        !std::all_of(i->operands.begin(), i->operands.end(), [](const Value* each) { return isConstant(each); })) {
      continue;
    }
    ir::Bits operands[ir::kMaxComponents], result;
    for (size_t k = 0; k < i->operands.size(); ++k)
      std::copy(i->operands[k]->by->numbers.begin(), i->operands[k]->by->numbers.end(), operands[k].begin());
    if (!ir::evaluate(&result, *i, operands, true)) continue;
    i->op = Opcode::kConstant;
    i->operands.clear();
    i->numbers.assign(result.begin(), result.begin() + i->result()->type.components);
  }
}

}  // namespace

void fold(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    Replacements replaced;
    foldRegion(module, *function, *function->body, &replaced);
  }
}

}  // namespace manyrt::compiler::passes
