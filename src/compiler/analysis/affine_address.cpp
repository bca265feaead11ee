// Taking a sum apart, by what each operation does to the factor of its operands.
#include "compiler/analysis/affine_address.h"

#include "compiler/ir/evaluate.h"

namespace manyrt::compiler::analysis {

using ir::Instruction;
using ir::Opcode;
using ir::Value;

namespace {

const Instruction* constantOf(const Value& value) {
  return value.by != nullptr && value.by->op == Opcode::kConstant ? value.by : nullptr;
}

}  // namespace

void AffineAddress::add(const Value& value, uint64_t factor, Width width) {
  const Instruction* by = value.by;
  if (value.type.isPointer() && value.type.space == AddressSpace::kPrivate) is_shared_ = false;
  const bool is_plain = !value.type.isVector() && !value.type.hasLanes();
  if (by != nullptr && is_plain && parts_++ < kMostParts) {
    const auto sum = [&](uint64_t sign) {
      is_certain_ = is_certain_ && width != Width::kUnsigned;
      add(*by->operands[0], factor, width);
      add(*by->operands[1], factor * sign, width);
    };
    switch (by->op) {
      case Opcode::kConstant:
        bytes_ += static_cast<uint64_t>(ir::signedOf(value.type.kind, by->numbers[0])) * factor;
        return;
      case Opcode::kAdd:
        return sum(1);
      case Opcode::kSub:
        return sum(~uint64_t{0});
      case Opcode::kMul:
      case Opcode::kShl: {
        const size_t which = by->op == Opcode::kMul && constantOf(*by->operands[0]) != nullptr ? 0 : 1;
        const Instruction* constant = constantOf(*by->operands[which]);
        if (constant == nullptr) break;
        auto times = static_cast<uint64_t>(ir::signedOf(value.type.kind, constant->numbers[0]));
        if (by->op == Opcode::kShl && times >= 32) break;
        if (by->op == Opcode::kShl) times = uint64_t{1} << times;
        is_certain_ = is_certain_ && width != Width::kUnsigned;
        return add(*by->operands[1 - which], factor * times, width);
      }
      case Opcode::kSExt:
      case Opcode::kZExt:
        if (width != Width::kOwn || by->operands[0]->type.kind != ir::Kind::kI32) break;
        return add(*by->operands[0], factor, by->op == Opcode::kSExt ? Width::kSigned : Width::kUnsigned);
      case Opcode::kOffset:
        add(*by->operands[0], factor, width);
        return add(*by->operands[1], factor, width);
      default:
        break;
    }
  }
  const auto [at, is_new] = terms_.try_emplace({&value, width}, 0);
  at->second += factor;
  if (at->second == 0) terms_.erase(at);
}

std::optional<int64_t> AffineAddress::stride(const Divergence& divergence) const {
  constexpr int64_t kMostStride = int64_t{1} << 24;  // times fewer lanes than 128: far from a wrap of 32 bits
  int64_t sum = 0;
  for (const auto& [term, factor] : terms_) {
    const Pace pace = divergence.of(*term.first);
    if (pace.isVarying()) return std::nullopt;
    if (!pace.isLinear()) continue;
    const auto times = static_cast<int64_t>(factor);
    if (pace.stride > kMostStride || pace.stride < -kMostStride || times > kMostStride || times < -kMostStride)
      return std::nullopt;
    sum += pace.stride * times;
  }
  return sum;
}

}  // namespace manyrt::compiler::analysis
