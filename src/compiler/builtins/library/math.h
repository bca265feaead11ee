// Math functions, for one component: what OpenCL C has and the C library lacks, or has with other special cases. A float is
// best computed in double where that is at hand. Sets and words: language.h. Where CUDA has something better, cuda_math.h has
// it.
#pragma once

#include "language.h"

namespace manyrt::library {

// A declaration alone: the compiler's __builtin_ of that name, which it has an instruction for or takes from the C library.
template <Floating T>
T acos(T x);
template <Floating T>
T acosh(T x);
template <Floating T>
T asin(T x);
template <Floating T>
T asinh(T x);
template <Floating T>
T atan(T x);
template <Floating T>
T atan2(T y, T x);
template <Floating T>
T atanh(T x);
template <Reals T>
T ceil(T x);
template <Reals T>
T copysign(T x, T y);
template <Floating T>
T cos(T x);
template <Floating T>
T cosh(T x);
template <Floating T>
T erf(T x);
template <Floating T>
T erfc(T x);
template <Floating T>
T exp(T x);
template <Floating T>
T exp2(T x);
template <Floating T>
T expm1(T x);
template <Reals T>
T fabs(T x);
template <Reals T>
T floor(T x);
template <Reals T>
T fma(T a, T b, T c);
template <Floating T>
T fmod(T x, T y);
template <Floating T>
T hypot(T x, T y);
template <Floating T>
T ldexp(T x, int k);
template <Floating T>
T log(T x);
template <Floating T>
T log10(T x);
template <Floating T>
T log1p(T x);
template <Floating T>
T log2(T x);
template <Floating T>
T logb(T x);
template <Floating T>
T modf(T x, T* whole);
template <Floating T>
T nextafter(T x, T y);
template <Floating T>
T pow(T x, T y);
template <Floating T>
T remainder(T x, T y);
template <Reals T>
T rint(T x);
template <Floating T>
T sin(T x);
template <Floating T>
T sinh(T x);
template <Reals T>
T sqrt(T x);
template <Floating T>
T tan(T x);
template <Floating T>
T tanh(T x);
template <Reals T>
T trunc(T x);

// ---- Helpers

template <Reals T>
Unsigned<T> bits_of(T x) {
  Unsigned<T> r;
  __builtin_memcpy(&r, &x, sizeof r);
  return r;
}

template <Reals T>
T from_bits(Unsigned<T> x) {
  T r;
  __builtin_memcpy(&r, &x, sizeof r);
  return r;
}

template <Float T>
T quiet_nan(T x) {
  return __builtin_nanf("") + x;
}

template <Double T>
T quiet_nan(T x) {
  return __builtin_nan("") + x;
}

// ---- Functions of the specification

template <Double T>
T acospi(T x) {
  return acos(x) / 0x1.921fb54442d18p1;
}

template <Double T>
T asinpi(T x) {
  return asin(x) / 0x1.921fb54442d18p1;
}

template <Double T>
T atanpi(T x) {
  return atan(x) / 0x1.921fb54442d18p1;
}

template <Double T>
T atan2pi(T y, T x) {
  return atan2(y, x) / 0x1.921fb54442d18p1;
}

template <Reals T>
T fdim(T x, T y) {
  const T r = x > y ? x - y : to<T>(0);
  return x <= y ? r : x > y ? r : x + y;
}

template <Reals T>
T fmax(T x, T y) {
  return y > x ? y : x == x ? x : y;
}

template <Reals T>
T fmin(T x, T y) {
  return y < x ? y : x == x ? x : y;
}

template <Float T>
T below_one() {
  return 0x1.fffffep-1f;
}

template <Double T>
T below_one() {
  return 0x1.fffffffffffffp-1;
}

template <Floating T>
T fract(T x, T* whole) {
  T w = floor(x);
  *whole = w;
  T r = x - w;
  if (x == w) r = x == 0 || fabs(x) > largest<T> ? copysign<T>(0, x) : 0;
  return r >= 1 ? below_one<T>() : r;
}

template <Float T>
T frexp(T x, int* exponent) {
  *exponent = 0;
  return __builtin_frexpf(x, exponent);
}

template <Double T>
T frexp(T x, int* exponent) {
  *exponent = 0;
  return __builtin_frexp(x, exponent);
}

template <Float T>
int ilogb(T x) {
  return x == 0 ? -2147483647 - 1 : !(fabs(x) <= largest<T>) ? 2147483647 : __builtin_ilogbf(x);
}

template <Double T>
int ilogb(T x) {
  return x == 0 ? -2147483647 - 1 : !(fabs(x) <= largest<T>) ? 2147483647 : __builtin_ilogb(x);
}

// The reentrant functions: lgamma itself writes a variable of libm's.
extern "C" float mrt_libm_lgammaf(float, int*) __asm__("lgammaf_r");
extern "C" double mrt_libm_lgamma(double, int*) __asm__("lgamma_r");

// OpenCL's sign at zero and the negative integers, where the C library gives one of the two.
template <Floating T>
bool is_pole_of_gamma(T x) {
  return x <= 0 && floor(x) == x && x >= -largest<T>;
}

template <Float T>
T lgamma_r(T x, int* sign) {
  int s = 1;
  T r = mrt_libm_lgammaf(x, &s);
  *sign = is_pole_of_gamma(x) ? 0 : s;
  return r;
}

template <Double T>
T lgamma_r(T x, int* sign) {
  int s = 1;
  T r = mrt_libm_lgamma(x, &s);
  *sign = is_pole_of_gamma(x) ? 0 : s;
  return r;
}

template <Floating T>
T lgamma(T x) {
  int sign;
  return lgamma_r(x, &sign);
}

template <Floating T>
T mad(T a, T b, T c) {
  return fused(a, b, c);
}

template <Reals T>
T maxmag(T a, T b) {
  T x = fabs(a), y = fabs(b);
  return x > y ? a : y > x ? b : fmax(a, b);
}

template <Reals T>
T minmag(T a, T b) {
  T x = fabs(a), y = fabs(b);
  return x < y ? a : y < x ? b : fmin(a, b);
}

template <Floats T>
T nan(Unsigned<T> code) {
  return from_bits<T>(0x7fc00000u | (code & 0x3fffffu));
}

template <Doubles T>
T nan(Unsigned<T> code) {
  return from_bits<T>(0x7ff8000000000000ul | (code & 0x7fffffffffffful));
}

template <Double T>
T pown(T x, int y) {
  return pow<T>(x, y);
}

template <Floating T>
T powr(T x, T y) {
  bool odd = x == 0 || fabs(x) > largest<T> ? y == 0 : x == 1 && fabs(y) > largest<T>;
  return !(x >= 0) || y != y || odd ? quiet_nan<T>(0) : pow(fabs(x), y);
}

// The last seven bits of the quotient: what is left of 128 b is taken apart bit by bit, without rounding.
template <Floating T>
T remquo(T a, T b, int* quotient) {
  T x = fabs(a), y = fabs(b);
  *quotient = 0;
  if (!(x <= largest<T>) || !(y > 0)) return a != a ? a : b != b ? b : quiet_nan<T>(0);
  int q = 0;
  x = fmod(x, 128 * y);
  for (int k = 64; k > 0; k >>= 1) {
    T s = (T)k * y;
    if (x >= s) {
      x -= s;
      q += k;
    }
  }
  if (x > y - x || (x == y - x && (q & 1))) {
    x -= y;
    ++q;
  }
  q &= 127;
  *quotient = (a < 0) != (b < 0) ? -q : q;
  return x == 0 ? copysign<T>(0, a) : a < 0 ? -x : x;
}

// 1/n is rounded, and a power makes that large: the error of the exponent, times the logarithm, puts it right.
template <Double T>
T rootn(T a, int b) {
  if (b == 0 || (a < 0 && !(b & 1))) return quiet_nan<T>(0);
  double n = b, p = 1 / n, x = fabs(a), r = pow(x, p);
  if (x > 0 && x <= largest<T> && r > 0 && r <= largest<T>) r += r * (fma(-n, p, 1.0) / n * log(x));
  return b & 1 ? copysign(r, a) : r;
}

// Written out, because the compilers vectorise trunc and not round.
template <Reals T>
T round(T x) {
  T t = trunc(x);
  return fabs(x - t) >= to<T>(0.5) ? t + copysign(to<T>(1), x) : t;
}

template <Reals T>
T rsqrt(T x) {
  return 1 / sqrt(x);
}

template <Floating T>
T sincos(T x, T* cosine) {
  T s = sin(x);
  *cosine = cos(x);
  return s;
}

template <Double T>
T tanpi(T x) {
  double n = rint(x), t = x - n, h = n * 0.5;
  if (t == 0) return h == rint(h) ? copysign<T>(0, x) : copysign<T>(0, -x);
  if (fabs(t) <= 0.25) return tan(t * 0x1.921fb54442d18p1);
  return copysign(1 / tan((0.5 - fabs(t)) * 0x1.921fb54442d18p1), t);
}

template <Float T>
T tgamma(T x) {
  return (float)__builtin_tgamma(x);
}

template <Double T>
T tgamma(T x) {
  return __builtin_tgamma(x);
}

// ---- half_ and native_: here as exact as the others

template <Reals T>
T divide(T x, T y) {
  return x / y;
}

template <Reals T>
T recip(T x) {
  return 1 / x;
}

template <Floats T>
T half_cos(T x) {
  return cos(x);
}

template <Floats T>
T half_exp(T x) {
  return exp(x);
}

template <Floats T>
T half_exp2(T x) {
  return exp2(x);
}

template <Floats T>
T half_exp10(T x) {
  return exp10(x);
}

template <Floats T>
T half_log(T x) {
  return log(x);
}

template <Floats T>
T half_log2(T x) {
  return log2(x);
}

template <Floats T>
T half_log10(T x) {
  return log10(x);
}

template <Floats T>
T half_rsqrt(T x) {
  return rsqrt(x);
}

template <Floats T>
T half_sin(T x) {
  return sin(x);
}

template <Floats T>
T half_sqrt(T x) {
  return sqrt(x);
}

template <Floats T>
T half_tan(T x) {
  return tan(x);
}

template <Floats T>
T half_recip(T x) {
  return recip(x);
}

template <Floats T>
T half_divide(T x, T y) {
  return divide(x, y);
}

template <Floats T>
T half_powr(T x, T y) {
  return powr(x, y);
}

template <Floats T>
T native_cos(T x) {
  return cos(x);
}

template <Floats T>
T native_exp(T x) {
  return exp(x);
}

template <Floats T>
T native_exp2(T x) {
  return exp2(x);
}

template <Floats T>
T native_exp10(T x) {
  return exp10(x);
}

template <Floats T>
T native_log(T x) {
  return log(x);
}

template <Floats T>
T native_log2(T x) {
  return log2(x);
}

template <Floats T>
T native_log10(T x) {
  return log10(x);
}

template <Floats T>
T native_rsqrt(T x) {
  return rsqrt(x);
}

template <Floats T>
T native_sin(T x) {
  return sin(x);
}

template <Floats T>
T native_sqrt(T x) {
  return sqrt(x);
}

template <Floats T>
T native_tan(T x) {
  return tan(x);
}

template <Floats T>
T native_recip(T x) {
  return recip(x);
}

template <Floats T>
T native_divide(T x, T y) {
  return divide(x, y);
}

template <Floats T>
T native_powr(T x, T y) {
  return powr(x, y);
}

}  // namespace manyrt::library
