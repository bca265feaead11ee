// Elements of every type as numbers: how a test writes and reads them, without the library's own conversions. Values of tests
// are small integers, which every type has, but the unsigned ones, which get them modulo 2^n.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "rt_comm.h"

namespace commtest {

inline constexpr int32_t kTypes[] = {RT_COMM_I8,  RT_COMM_U8,  RT_COMM_I16, RT_COMM_U16,  RT_COMM_I32, RT_COMM_U32,
                                     RT_COMM_I64, RT_COMM_U64, RT_COMM_F16, RT_COMM_BF16, RT_COMM_F32, RT_COMM_F64};
inline constexpr const char* kTypeNames[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"};
inline constexpr int32_t kReductions[] = {RT_COMM_SUM, RT_COMM_PRODUCT, RT_COMM_MINIMUM, RT_COMM_MAXIMUM, RT_COMM_AVERAGE};
inline constexpr const char* kReductionNames[] = {"sum", "product", "minimum", "maximum", "average"};

inline size_t sizeOf(int32_t type) {
  constexpr size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return sizes[type];
}
inline bool isFloating(int32_t type) { return type >= RT_COMM_F16; }
inline bool isSigned(int32_t type) { return isFloating(type) || type % 2 == 0; }

// A float of `mantissa` bits and `exponent` bits from a number that it has exactly.
inline uint16_t smallFloat(double value, int exponent_bits, int mantissa_bits) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (value == 0) return sign;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // [0.5, 1)
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto mantissa = static_cast<uint32_t>(std::ldexp(fraction * 2 - 1, mantissa_bits));
  return static_cast<uint16_t>(sign | static_cast<uint32_t>(exponent - 1 + bias) << mantissa_bits | mantissa);
}

inline double fromSmallFloat(uint16_t bits, int exponent_bits, int mantissa_bits) {
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const double mantissa = std::ldexp(bits & ((1 << mantissa_bits) - 1), -mantissa_bits);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double value = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else {
    value = exponent == 0 ? std::ldexp(mantissa, 1 - bias) : std::ldexp(1 + mantissa, exponent - bias);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

inline void write(void* to, int32_t type, double value) {
  const auto put = [&](auto element) { std::memcpy(to, &element, sizeof element); };
  const auto whole = static_cast<uint64_t>(static_cast<int64_t>(value));
  if (type == RT_COMM_F16) return put(smallFloat(value, 5, 10));
  if (type == RT_COMM_BF16) return put(smallFloat(value, 8, 7));
  if (type == RT_COMM_F32) return put(static_cast<float>(value));
  if (type == RT_COMM_F64) return put(value);
  std::memcpy(to, &whole, sizeOf(type));  // little-endian, as every platform of the library
}

// Signed numbers and fractions as they are; of unsigned ones the number.
inline double read(const void* from, int32_t type) {
  const auto get = [&](auto element) {
    std::memcpy(&element, from, sizeof element);
    return element;
  };
  switch (type) {
    case RT_COMM_I8:
      return get(int8_t{});
    case RT_COMM_U8:
      return get(uint8_t{});
    case RT_COMM_I16:
      return get(int16_t{});
    case RT_COMM_U16:
      return get(uint16_t{});
    case RT_COMM_I32:
      return get(int32_t{});
    case RT_COMM_U32:
      return get(uint32_t{});
    case RT_COMM_I64:
      return static_cast<double>(get(int64_t{}));
    case RT_COMM_U64:
      return static_cast<double>(get(uint64_t{}));
    case RT_COMM_F16:
      return fromSmallFloat(get(uint16_t{}), 5, 10);
    case RT_COMM_BF16:
      return fromSmallFloat(get(uint16_t{}), 8, 7);
    case RT_COMM_F32:
      return get(float{});
    default:
      return get(double{});
  }
}

using Bytes = std::vector<unsigned char>;

// The value that rank r gives as element i. Averages of fractions are exact: their operands are multiples of 12.
inline double operand(int32_t type, int32_t reduction, int rank, uint64_t i) {
  const int whole = static_cast<int>((i * 7 + static_cast<uint64_t>(rank) * 5 + i / 13) % 7);  // 0 to 6
  if (reduction == RT_COMM_PRODUCT) return isSigned(type) ? whole % 4 - 1 : whole % 4;         // at most 3 in size
  if (reduction == RT_COMM_AVERAGE && isFloating(type)) return 12 * (whole - 3);
  return isSigned(type) ? whole - 3 : whole;
}

// Element i of the result of `ranks` operands.
inline double reduced(int32_t type, int32_t reduction, int ranks, uint64_t i) {
  double result = operand(type, reduction, 0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const double next = operand(type, reduction, rank, i);
    if (reduction == RT_COMM_PRODUCT) {
      result *= next;
    } else if (reduction == RT_COMM_MINIMUM) {
      result = std::fmin(result, next);
    } else if (reduction == RT_COMM_MAXIMUM) {
      result = std::fmax(result, next);
    } else {
      result += next;
    }
  }
  if (reduction == RT_COMM_AVERAGE) result = isFloating(type) ? result / ranks : std::trunc(result / ranks);
  return result;
}

}  // namespace commtest
