// Functions of one component that CUDA does otherwise than the CPU; found before those of math.h and integer.h. On a GPU double
// is slow, so that a float stays one; native_ functions are the approximate instructions. Those of half_ functions alone that
// keep within 8192 units in the last place over the whole range are approximate too. Sets and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

template <Float T>
T quiet_nan(T x) {
  return __builtin_bit_cast(float, 0x7fc00000u) + x;
}

template <Double T>
T quiet_nan(T x) {
  return __builtin_bit_cast(double, 0x7ff8000000000000ul) + x;
}

template <Float T>
T acospi(T x) {
  return acosf(x) * 0x1.45f306p-2f;
}

template <Float T>
T asinpi(T x) {
  return asinf(x) * 0x1.45f306p-2f;
}

template <Float T>
T atanpi(T x) {
  return atanf(x) * 0x1.45f306p-2f;
}

template <Float T>
T atan2pi(T y, T x) {
  return atan2f(y, x) * 0x1.45f306p-2f;
}

template <Float T>
T cbrt(T x) {
  return __builtin_cbrtf(x);
}

template <Double T>
T cbrt(T x) {
  return ::cbrt(x);
}

template <Float T>
T cospi(T x) {
  return ::cospif(x);
}

template <Double T>
T cospi(T x) {
  return ::cospi(x);
}

template <Float T>
T exp10(T x) {
  return ::exp10f(x);
}

template <Double T>
T exp10(T x) {
  return ::exp10(x);
}

template <Float T>
T fmax(T x, T y) {
  return ::fmaxf(x, y);
}

template <Double T>
T fmax(T x, T y) {
  return ::fmax(x, y);
}

template <Float T>
T fmin(T x, T y) {
  return ::fminf(x, y);
}

template <Double T>
T fmin(T x, T y) {
  return ::fmin(x, y);
}

// The sign of the gamma function: negative between -1 and 0, -3 and -2, and so on; 0 at zero and the negative integers.
template <Floating T>
int sign_of_gamma(T x) {
  T w = floor(x);
  if (is_pole_of_gamma(x)) return 0;
  return x < 0 && w != x && floor(w * (T)0.5) * 2 != w ? -1 : 1;
}

template <Float T>
T lgamma_r(T x, int* sign) {
  *sign = sign_of_gamma(x);
  return ::lgammaf(x);
}

template <Double T>
T lgamma_r(T x, int* sign) {
  *sign = sign_of_gamma(x);
  return ::lgamma(x);
}

template <Floating T>
T mad(T a, T b, T c) {
  return fma(a, b, c);
}

// Up to 2^24 the exponent is exact as a float.
template <Float T>
T pown(T x, int y) {
  return y >= -16777216 && y <= 16777216 ? ::powf(x, (float)y) : (float)::pow((double)x, (double)y);
}

// 1/n is rounded, and a power makes that large: the error of the exponent, times the logarithm, puts it right.
template <Float T>
T rootn(T a, int b) {
  if (b == 0 || (a < 0 && !(b & 1))) return quiet_nan<T>(0);
  float n = (float)b, p = 1 / n, x = ::fabsf(a), r = ::powf(x, p);
  if (x > 0 && x <= largest<T> && r > 0 && r <= largest<T>) r += r * (::fmaf(-n, p, 1.0f) / n * ::logf(x));
  return b & 1 ? ::copysignf(r, a) : r;
}

template <Float T>
T round(T x) {
  return ::roundf(x);
}

template <Double T>
T round(T x) {
  return ::round(x);
}

template <Float T>
T rsqrt(T x) {
  return ::rsqrtf(x);
}

template <Double T>
T rsqrt(T x) {
  return ::rsqrt(x);
}

template <Float T>
T sincos(T x, T* cosine) {
  T s, c;
  ::sincosf(x, &s, &c);
  *cosine = c;
  return s;
}

template <Double T>
T sincos(T x, T* cosine) {
  T s, c;
  ::sincos(x, &s, &c);
  *cosine = c;
  return s;
}

template <Float T>
T sinpi(T x) {
  return ::sinpif(x);
}

template <Double T>
T sinpi(T x) {
  return ::sinpi(x);
}

template <Float T>
T tanpi(T x) {
  return ::sinpif(x) / ::cospif(x);
}

template <Float T>
T tgamma(T x) {
  return ::tgammaf(x);
}

template <Float T>
T native_cos(T x) {
  return __cosf(x);
}

template <Float T>
T native_divide(T x, T y) {
  return __fdividef(x, y);
}

template <Float T>
T native_exp(T x) {
  return __expf(x);
}

template <Float T>
T native_exp10(T x) {
  return __exp10f(x);
}

template <Float T>
T native_log(T x) {
  return __logf(x);
}

template <Float T>
T native_log2(T x) {
  return __log2f(x);
}

template <Float T>
T native_log10(T x) {
  return __log10f(x);
}

template <Float T>
T native_powr(T x, T y) {
  return __powf(x, y);
}

template <Float T>
T native_recip(T x) {
  return __fdividef(1.0f, x);
}

template <Float T>
T native_sin(T x) {
  return __sinf(x);
}

template <Float T>
T native_tan(T x) {
  return __tanf(x);
}

template <Float T>
T half_exp(T x) {
  return __expf(x);
}

template <Float T>
T half_exp10(T x) {
  return __exp10f(x);
}

template <Long T>
T mul_hi(T x, T y) {
  return __mul64hi(x, y);
}

template <ULong T>
T mul_hi(T x, T y) {
  return __umul64hi(x, y);
}

}  // namespace manyrt::library
