// Half precision: a sign, five bits of an exponent with the bias 15, ten bits of a fraction.
#include "compiler/parser/half.h"

#include <cmath>

namespace manyrt::compiler {
namespace {

constexpr int kMinExponent = -14;  // of normal numbers
constexpr int kFractionBits = 10;
constexpr double kMaxHalf = 65504;
constexpr uint16_t kInfinity = 0x7c00, kQuietNan = 0x7e00, kSign = 0x8000;

}  // namespace

uint16_t halfBits(double value) {
  const uint16_t sign = std::signbit(value) ? kSign : 0;
  if (std::isnan(value)) return sign | kQuietNan;
  const double magnitude = std::fabs(value);
  if (magnitude >= kMaxHalf + 16) return sign | kInfinity;  // a tie between the largest half and what would follow it
  int exponent = kMinExponent;
  if (magnitude >= std::ldexp(1.0, kMinExponent)) exponent = std::ilogb(magnitude);
  // In units of the last place: exact, and rounded once. A value rounded up to the next power of two carries into the exponent.
  const double units = std::ldexp(magnitude, kFractionBits - exponent), rest = units - std::floor(units);
  uint32_t whole = static_cast<uint32_t>(units);
  if (rest > 0.5 || (rest == 0.5 && (whole & 1) != 0)) ++whole;
  const uint32_t below = static_cast<uint32_t>(exponent - kMinExponent) << kFractionBits;  // 0 for subnormal numbers
  return static_cast<uint16_t>(sign | (below + whole));
}

double valueOfHalf(uint16_t bits) {
  const int exponent = bits >> kFractionBits & 31;
  const int fraction = bits & 1023;
  double magnitude = std::ldexp(fraction, kMinExponent - kFractionBits);
  if (exponent == 31)
    magnitude = fraction != 0 ? std::nan("") : INFINITY;
  else if (exponent != 0)
    magnitude = std::ldexp(1024 + fraction, exponent - 15 - kFractionBits);
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

double roundedToHalf(double value) { return valueOfHalf(halfBits(value)); }

}  // namespace manyrt::compiler
