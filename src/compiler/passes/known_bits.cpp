// A walk towards the operands that ends after a few operations: values further away may have any bits.
#include "compiler/passes/known_bits.h"

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Opcode;
using ir::Value;

uint64_t bitsThatMayBe(const Value& value, uint32_t depth) {
  const uint64_t all = ir::maskOf(value.type.kind);
  const Instruction* by = value.by;
  if (by == nullptr || depth == 0) return all;
  const auto of = [&](size_t k) { return bitsThatMayBe(*by->operands[k], depth - 1); };
  const bool shifts_by_number = by->operands.size() == 2 && by->operands[1]->by != nullptr &&
                                by->operands[1]->by->op == Opcode::kConstant && !value.type.isVector() &&
                                by->operands[1]->by->numbers[0] < 64;
  switch (by->op) {
    case Opcode::kConstant: {
      uint64_t some = 0;
      for (const uint64_t number : by->numbers) some |= number;
      return some & all;
    }
    case Opcode::kZExt:
    case Opcode::kSpread:
      return of(0);
    case Opcode::kTrunc:
      return of(0) & all;
    case Opcode::kAnd:
      return of(0) & of(1);
    case Opcode::kOr:
    case Opcode::kXor:
      return of(0) | of(1);
    case Opcode::kSelect:
      return of(1) | of(2);
    case Opcode::kShl:
      return shifts_by_number ? of(0) << by->operands[1]->by->numbers[0] & all : all;
    case Opcode::kLShr:
      return shifts_by_number ? of(0) >> by->operands[1]->by->numbers[0] : all;
    default:
      return all;
  }
}

}  // namespace manyrt::compiler::passes
