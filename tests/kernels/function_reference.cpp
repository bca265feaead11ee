// True values of functions for many arguments at once, for function_errors. Compiled with -ffast-math, so that loops call the C
// library's functions for vectors. They may be off by some units in the last place of a double, and wrong for special values.
#include "function_reference.h"

#include <cmath>

namespace reference {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNone = 1e300;  // the value is no number

// Beyond these bounds the result is the same, or not a float: the C library's functions for vectors are slow there.
double within(double x, double low, double high) {
  const double y = x < low ? low : x;
  return y > high ? high : y;
}

template <typename F>
void each(double* out, const double* x, size_t count, F f) {
  for (size_t i = 0; i < count; ++i) out[i] = f(x[i]);
}

}  // namespace

bool fill(const std::string& name, double* out, const double* x, size_t count) {
#define FOR(word, value) \
  if (name == #word) return each(out, x, count, [](double a) { return value; }), true
  FOR(exp, std::exp(within(a, -110, 100)));
  FOR(exp2, std::exp(within(a, -160, 140) * 0.69314718055994530942));
  FOR(exp10, std::exp(within(a, -50, 45) * 2.30258509299404568402));
  FOR(expm1, std::expm1(within(a, -110, 100)));
  FOR(log, a < 0 ? kNone : std::log(within(a, 0x1p-200, 0x1p200)));
  FOR(log2, a < 0 ? kNone : std::log2(within(a, 0x1p-200, 0x1p200)));
  FOR(log10, a < 0 ? kNone : std::log10(within(a, 0x1p-200, 0x1p200)));
  FOR(log1p, a < -1 ? kNone : std::log1p(within(a, -1, 0x1p200)));
  FOR(sin, std::sin(a));
  FOR(cos, std::cos(a));
  FOR(tan, std::tan(a));
  FOR(sinpi, std::sin((a - 2 * std::rint(a * 0.5)) * kPi));
  FOR(cospi, std::cos((a - 2 * std::rint(a * 0.5)) * kPi));
  FOR(tanpi, std::tan((a - std::rint(a)) * kPi));
  FOR(asin, std::fabs(a) > 1 ? kNone : std::asin(within(a, -1, 1)));
  FOR(acos, std::fabs(a) > 1 ? kNone : std::acos(within(a, -1, 1)));
  FOR(atan, std::atan(a));
  FOR(asinpi, std::fabs(a) > 1 ? kNone : std::asin(within(a, -1, 1)) / kPi);
  FOR(acospi, std::fabs(a) > 1 ? kNone : std::acos(within(a, -1, 1)) / kPi);
  FOR(atanpi, std::atan(a) / kPi);
  FOR(sinh, std::sinh(within(a, -100, 100)));
  FOR(cosh, std::cosh(within(a, -100, 100)));
  FOR(tanh, std::tanh(within(a, -20, 20)));
  FOR(asinh, std::asinh(a));
  FOR(acosh, a < 1 ? kNone : std::acosh(within(a, 1, 0x1p200)));
  FOR(atanh, std::fabs(a) > 1 ? kNone : std::atanh(within(a, -1, 1)));
  FOR(cbrt, std::cbrt(a));
  FOR(erf, std::erf(within(a, -6, 6)));
  FOR(erfc, std::erfc(within(a, -6, 12)));
  FOR(rsqrt, 1 / std::sqrt(a));
#undef FOR
  return false;
}

// In units of the last place of a float next to the true value; what is not plainly below `below` gives 1e9.
void errors(float* out, const float* got, const double* expected, size_t count, double below) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    uint32_t own, rounded;
    const float nearest = static_cast<float>(expected[i]);
    __builtin_memcpy(&bits, expected + i, sizeof bits);
    __builtin_memcpy(&own, got + i, sizeof own);
    __builtin_memcpy(&rounded, &nearest, sizeof rounded);
    const uint64_t exponent = bits >> 52 & 0x7ff;
    const uint64_t power = exponent < 897 ? 897 : exponent;  // of the smallest normal float
    const uint64_t inverse = (2046 + 23 - power) << 52;      // 2^23 / 2^e, e at most 128
    double scale;
    __builtin_memcpy(&scale, &inverse, sizeof scale);
    const double error = std::fabs(static_cast<double>(got[i]) - expected[i]) * scale;
    const bool plain = exponent > 800 && exponent < 1151 && error < below;
    const bool none = expected[i] == kNone && (own & 0x7fffffffu) > 0x7f800000u;
    const bool same = own == rounded && expected[i] != kNone && exponent > 800;
    out[i] = plain ? static_cast<float>(error) : none || same ? 0.0f : 1e9f;
  }
}

}  // namespace reference
