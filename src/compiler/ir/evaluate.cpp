// Operations on bits, component by component. Floating numbers are computed in their own type, halves in float and then
// rounded, as the compiled code does.
#include "compiler/ir/evaluate.h"

#include <bit>
#include <cmath>

#include "compiler/parser/half.h"

namespace manyrt::compiler::ir {

double realOf(Kind kind, uint64_t bits) {
  if (kind == Kind::kF16) return valueOfHalf(static_cast<uint16_t>(bits));
  if (kind == Kind::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

uint64_t bitsOfReal(Kind kind, double value) {
  if (kind == Kind::kF16) return halfBits(value);
  if (kind == Kind::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<uint64_t>(value);
}

int64_t signedOf(Kind kind, uint64_t bits) {
  const uint32_t unused = 64 - bitsOf(kind);
  return static_cast<int64_t>(bits << unused) >> unused;
}

namespace {

constexpr uint64_t kLowest = uint64_t{1} << 63;

bool integers(uint64_t* result, Opcode op, Kind kind, uint64_t a, uint64_t b) {
  const uint32_t width = bitsOf(kind);
  const int64_t signed_a = signedOf(kind, a), signed_b = signedOf(kind, b);
  switch (op) {
    case Opcode::kAdd:
      *result = a + b;
      return true;
    case Opcode::kSub:
      *result = a - b;
      return true;
    case Opcode::kMul:
      *result = a * b;
      return true;
    case Opcode::kSDiv:
    case Opcode::kSRem:
      if (b == 0 || (signed_b == -1 && a == kLowest >> (64 - width))) return false;
      *result = static_cast<uint64_t>(op == Opcode::kSDiv ? signed_a / signed_b : signed_a % signed_b);
      return true;
    case Opcode::kUDiv:
    case Opcode::kURem:
      if (b == 0) return false;
      *result = op == Opcode::kUDiv ? a / b : a % b;
      return true;
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
      if (b >= width) return false;
      *result = op == Opcode::kShl ? a << b : op == Opcode::kLShr ? a >> b : static_cast<uint64_t>(signed_a >> b);
      return true;
    case Opcode::kAnd:
      *result = a & b;
      return true;
    case Opcode::kOr:
      *result = a | b;
      return true;
    default:
      *result = a ^ b;
      return true;
  }
}

template <typename T>
T floats(Opcode op, T a, T b) {
  switch (op) {
    case Opcode::kFAdd:
      return a + b;
    case Opcode::kFSub:
      return a - b;
    case Opcode::kFMul:
      return a * b;
    default:
      return a / b;
  }
}

uint64_t floating(Opcode op, Kind kind, uint64_t a, uint64_t b) {
  if (kind == Kind::kF64) return bitsOfReal(kind, floats(op, realOf(kind, a), realOf(kind, b)));
  return bitsOfReal(kind, floats(op, static_cast<float>(realOf(kind, a)), static_cast<float>(realOf(kind, b))));
}

uint64_t fused(Kind kind, uint64_t a, uint64_t b, uint64_t c, bool fuses) {
  if (kind == Kind::kF64) {
    const double x = realOf(kind, a), y = realOf(kind, b), z = realOf(kind, c);
    return bitsOfReal(kind, fuses ? std::fma(x, y, z) : x * y + z);
  }
  const float x = static_cast<float>(realOf(kind, a)), y = static_cast<float>(realOf(kind, b)),
              z = static_cast<float>(realOf(kind, c));
  return bitsOfReal(kind, fuses ? std::fma(x, y, z) : x * y + z);
}

bool compared(Opcode op, Kind kind, uint64_t a, uint64_t b) {
  const int64_t signed_a = signedOf(kind, a), signed_b = signedOf(kind, b);
  switch (op) {
    case Opcode::kEq:
      return a == b;
    case Opcode::kNe:
      return a != b;
    case Opcode::kSLt:
      return signed_a < signed_b;
    case Opcode::kSLe:
      return signed_a <= signed_b;
    case Opcode::kULt:
      return a < b;
    case Opcode::kULe:
      return a <= b;
    default:
      break;
  }
  const double x = realOf(kind, a), y = realOf(kind, b);
  return op == Opcode::kFEq ? x == y : op == Opcode::kFNe ? x != y : op == Opcode::kFLt ? x < y : x <= y;
}

// As x86-64 converts: what a register of 32 or 64 bits does not hold is its lowest value.
uint64_t toInteger(Kind kind, double value, bool is_signed) {
  if (bitsOf(kind) < 32 || (kind == Kind::kI32 && is_signed)) {
    const bool fits = value > -2147483649.0 && value < 2147483648.0;
    return static_cast<uint64_t>(static_cast<int64_t>(fits ? static_cast<int32_t>(value) : INT32_MIN));
  }
  const auto whole = [](double x) {
    return x >= -0x1p63 && x < 0x1p63 ? static_cast<uint64_t>(static_cast<int64_t>(x)) : kLowest;
  };
  if (kind == Kind::kI32 || is_signed || !(value >= 0x1p63)) return whole(value);
  return whole(value - 0x1p63) ^ kLowest;
}

uint64_t toFloating(Kind kind, Kind from, uint64_t bits, bool is_signed) {
  const int64_t number = signedOf(from, bits);
  if (kind == Kind::kF32) {
    return std::bit_cast<uint32_t>(is_signed ? static_cast<float>(number) : static_cast<float>(bits));
  }
  return bitsOfReal(kind, is_signed ? static_cast<double>(number) : static_cast<double>(bits));
}

// The same bits with other limits between components.
void bitcast(Bits* result, Type to, Type from, const Bits& a) {
  const uint32_t source = bytesOf(from.kind), target = bytesOf(to.kind);
  *result = {};
  for (uint32_t byte = 0; byte < source * from.components; ++byte) {
    const uint64_t value = a[byte / source] >> (8 * (byte % source)) & 0xff;
    (*result)[byte / target] |= value << (8 * (byte % target));
  }
}

bool component(uint64_t* result, const Instruction& instruction, Kind kind, const Bits* operands, uint32_t i, bool fuses) {
  const Opcode op = instruction.op;
  const Kind from = instruction.operands.empty() ? kind : instruction.operands[0]->type.kind;
  const uint64_t a = operands[0][i];
  switch (shapeOf(op)) {
    case Shape::kIntegers:
    case Shape::kBits:
      return integers(result, op, kind, a, operands[1][i]);
    case Shape::kFloats:
      *result = floating(op, kind, a, operands[1][i]);
      return true;
    case Shape::kFloat:
      *result = a ^ (maskOf(kind) & ~(maskOf(kind) >> 1));
      return true;
    case Shape::kFused:
      *result = fused(kind, a, operands[1][i], operands[2][i], fuses);
      return true;
    case Shape::kCompareBits:
    case Shape::kCompareIntegers:
    case Shape::kCompareFloats:
      *result = compared(op, from, a, operands[1][i]);
      return true;
    case Shape::kSelect:
      *result = operands[0][instruction.operands[0]->type.isVector() ? i : 0] != 0 ? operands[1][i] : operands[2][i];
      return true;
    case Shape::kNarrow:
      *result = a;
      return true;
    case Shape::kWiden:
      *result = op == Opcode::kSExt ? static_cast<uint64_t>(signedOf(from, a)) : a;
      return true;
    case Shape::kFloatNarrow:
    case Shape::kFloatWiden:
      *result = bitsOfReal(kind, realOf(from, a));
      return true;
    case Shape::kFloatToInteger:
      *result = toInteger(kind, realOf(from, a), op == Opcode::kFPToSI);
      return true;
    case Shape::kIntegerToFloat:
      *result = toFloating(kind, from, a, op == Opcode::kSIToFP);
      return true;
    case Shape::kFromPointer:
    case Shape::kToPointer:
      *result = a;
      return true;
    default:
      return false;
  }
}

}  // namespace

bool evaluate(Bits* result, const Instruction& instruction, const Bits* operands, bool fuses) {
  if (instruction.results.empty()) return false;
  const Type type = instruction.result()->type;
  const std::vector<uint64_t>& numbers = instruction.numbers;
  Bits made{};
  switch (shapeOf(instruction.op)) {
    case Shape::kConstant:
      for (uint32_t i = 0; i < type.components; ++i) made[i] = numbers[i];
      break;
    case Shape::kBitcast:
      bitcast(&made, type, instruction.operands[0]->type, operands[0]);
      break;
    case Shape::kSplat:
      made.fill(operands[0][0]);
      break;
    case Shape::kBuild:
      for (uint32_t i = 0; i < type.components; ++i) made[i] = operands[i][0];
      break;
    case Shape::kExtract:
      made[0] = operands[0][numbers[0]];
      break;
    case Shape::kInsert:
      made = operands[0];
      made[numbers[0]] = operands[1][0];
      break;
    case Shape::kShuffle:
      for (uint32_t i = 0; i < type.components; ++i) made[i] = operands[0][numbers[i]];
      break;
    case Shape::kOffset:
      made[0] = operands[0][0] + operands[1][0];
      break;
    default:
      for (uint32_t i = 0; i < type.components; ++i) {
        if (!component(&made[i], instruction, type.kind, operands, i, fuses)) return false;
      }
      break;
  }
  for (uint64_t& word : made) word &= maskOf(type.kind);
  *result = made;
  return true;
}

}  // namespace manyrt::compiler::ir
