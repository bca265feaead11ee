// Exponential functions, logarithms, powers, roots, hyperbolic functions and the error function of float, for a number and for
// a vector of them (parts.h). Every result that is not a number has the same bits.
#pragma once

#include "parts.h"

namespace manyrt::library {

// exp and exp2 are computed in float, which is nearly twice as fast: at most 1.03 units in the last place.

// 2^n (1 + r + ...) for |r| <= 0.35 and a whole number n, at most 151 from zero.
template <Floats T>
T scaled_exp(T r, T n) {
  const T q = r * r, low = fused(r, 0x1.555492p-3f, 0x1.fffffcp-2f);
  const T high = fused(fused(r, 0x1.6a2422p-10f, 0x1.123a0ap-7f), r, 0x1.5558f2p-5f);
  return times_two_to(1.0f + fused(fused(high, q, low), q, r), n);
}

template <Floats T>
T exp(T x) {
  const T t = max(min(x, to<T>(90)), to<T>(-105)), n = rint(t * 0x1.715476p+0f);
  const T r = scaled_exp(fused(n, -0x1.7f7d1cp-20f, fused(n, -0x1.62e4p-1f, t)), n);
  return x == x ? r : __builtin_nanf("");
}

template <Floats T>
T exp2(T x) {
  const T t = max(min(x, to<T>(129)), to<T>(-151)), n = rint(t), r = scaled_exp((t - n) * 0x1.62e430p-1f, n);
  return x == x ? r : __builtin_nanf("");
}

template <Floats T>
T exp10(T x) {
  const T r = to<T>(exp2_of<double>(to<double>(x) * 0x1.a934f0979a371p+1));
  return x == x ? r : __builtin_nanf("");
}

template <Floats T>
T expm1(T x) {
  const T r = to<T>(expm1_of<double>(to<double>(x) * 0x1.71547652b82fep+0));
  return x == x ? x == 0.0f ? x : r : __builtin_nanf("");
}

// ---- Logarithms

// The result of a logarithm: r for numbers above zero, else -infinity, infinity or NaN.
template <Floats T>
T logarithm_of(T x, T r) {
  r = x == 0.0f ? -__builtin_inff() : r;
  r = x > largest<T> ? x : r;
  return x >= 0.0f ? r : __builtin_nanf("");
}

// In float, as exp: at most 0.93 units in the last place. Subnormal numbers are made normal first.
template <Floats T>
T log(T x) {
  const auto small = x < smallest<T>;
  const T y = small ? x * 0x1p24f : x;
  const Unsigned<T> u = bits_of(y) + 0x004afb0du;
  const T r = from_bits<T>(bits_of(y) - (u & 0xff800000u) + 0x3f800000u) - 1.0f, q = r * r, h = q * q;
  const T k = from_bits<T>((u >> 23) + 0x4b000000u) - (small ? to<T>(0x1.00012ep23) : to<T>(0x1.0000fep23));
  const T high = fused(fused(r, -0x1.38b852p-4f, 0x1.055c40p-3f), q, fused(r, -0x1.0d8518p-3f, 0x1.22d9f8p-3f));
  const T low = fused(fused(r, -0x1.547246p-3f, 0x1.99a00ap-3f), q, fused(r, -0x1.000228p-2f, 0x1.555554p-2f));
  const T s = fused(fused(high, h, low), r * q, fused(k, 0x1.7f7d1cp-20f, q * -0.5f));
  return logarithm_of(x, fused(k, 0x1.62e4p-1f, r + s));
}

template <Floats T>
T log2(T x) {
  return logarithm_of(x, to<T>(log2_of<double>(to<double>(x))));
}

template <Floats T>
T log10(T x) {
  return logarithm_of(x, to<T>(log_of<double>(to<double>(x)) * 0x1.bcb7b1526e50ep-2));
}

template <Floats T>
T log1p(T x) {
  const T r = to<T>(log1p_of<double>(to<double>(x)));
  return x == 0.0f ? x : logarithm_of(x + 1.0f, r);
}

// ---- Powers and roots

// |x|^y, from the logarithm: for finite x that are not zero.
template <Doubles T>
T power_of(T x, T y) {
  return exp2_of(log2_of(fabs(x)) * y);
}

// y if |y| is below 2^24, else 0: all floats from 2^24 on are even numbers.
template <Floats T>
T small_part(T y) {
  return fabs(y) < 0x1p24f ? y : 0.0f;
}

template <Floats T>
auto is_fraction(T y) {
  return to<T>(to<int>(small_part(y))) != small_part(y);
}

template <Floats T>
auto is_odd(T y) {
  const T a = small_part(y);
  const auto whole = to<T>(to<int>(a)) == y, odd = (to<int>(a) & 1) != 0;
  return whole & odd;
}

// a^y for a = 0 and infinity.
template <Floats T>
T power_of_limit(T a, T y) {
  const auto grows = ((a == 0.0f) & (y < 0.0f)) | ((a > 0.0f) & (y > 0.0f));
  return grows ? __builtin_inff() : 0.0f;
}

template <Floats T>
T pow(T x, T y) {
  const T a = fabs(x);
  const auto fraction = is_fraction(y);
  const auto odd = is_odd(y);
  const auto limit = (a == 0.0f) | (a > largest<T>), sure = (x == 1.0f) | (y == 0.0f);
  const auto fails = ((x < 0.0f) & (a <= largest<T>)&fraction) | (x != x) | (y != y);
  T r = to<T>(power_of<double>(to<double>(x), to<double>(y)));
  r = limit ? power_of_limit(a, y) : r;
  r = a == 1.0f ? 1.0f : r;
  r = odd ? copysign(r, x) : r;
  return sure ? 1.0f : fails ? __builtin_nanf("") : r;
}

template <Floats T>
T powr(T x, T y) {
  T r = to<T>(power_of<double>(to<double>(x), to<double>(y)));
  const auto limit = (x == 0.0f) | (x > largest<T>);
  r = limit ? power_of_limit(x, y) : r;
  r = y == 0.0f ? 1.0f : r;
  const auto holds = (x >= 0.0f) & (y == y), fails = (limit & (y == 0.0f)) | ((x == 1.0f) & (fabs(y) > largest<T>));
  return holds ? fails ? __builtin_nanf("") : r : __builtin_nanf("");
}

template <Floats T>
T pown(T x, Signed<T> n) {
  const T a = fabs(x);
  const auto limit = (a == 0.0f) | (a > largest<T>);
  T r = to<T>(power_of<double>(to<double>(x), to<double>(n)));
  r = limit ? power_of_limit(a, to<T>(n)) : r;
  r = (n & 1) != 0 ? copysign(r, x) : r;
  r = x == x ? r : __builtin_nanf("");
  return n == 0 ? 1.0f : r;
}

template <Floats T>
T rootn(T x, Signed<T> n) {
  const T a = fabs(x);
  const auto limit = (a == 0.0f) | (a > largest<T>), fails = (n == 0) | ((x < 0.0f) & ((n & 1) == 0)) | (x != x);
  T r = to<T>(exp2_of<double>(log2_of<double>(to<double>(a)) / to<double>(n)));
  r = limit ? power_of_limit(a, to<T>(n)) : r;
  r = (n & 1) != 0 ? copysign(r, x) : r;
  return fails ? __builtin_nanf("") : r;
}

template <Floats T>
T cbrt(T x) {
  const T a = fabs(x), r = to<T>(exp2_of<double>(log2_of<double>(to<double>(a)) * 0x1.5555555555555p-2));
  const auto plain = (a > 0.0f) & (a <= largest<T>);
  return plain ? copysign(r, x) : x == x ? x : __builtin_nanf("");
}

template <Doubles T>
T length_of(T x, T y) {
  return sqrt(fused(x, x, y * y));
}

template <Floats T>
T hypot(T x, T y) {
  const T r = to<T>(length_of<double>(to<double>(x), to<double>(y)));
  const auto endless = (fabs(x) > largest<T>) | (fabs(y) > largest<T>);
  return endless ? __builtin_inff() : r == r ? r : __builtin_nanf("");
}

// ---- What a division leaves

// A quotient of floats below 2^28 is so far from the next whole number that it is cut, or rounded, at the right one; its
// product with the divisor has at most 53 bits, and what is left is a float.
template <Doubles T>
T cut_division_of(T x, T y) {
  return x - trunc(x / y) * y;
}
template <Doubles T>
T rounded_division_of(T x, T y) {
  return x - rint(x / y) * y;
}
template <Float T>
T far_fmod(T x, T y) {
  return __builtin_fmodf(x, y);
}
template <Float T>
T far_remainder(T x, T y) {
  return __builtin_remainderf(x, y);
}

template <Floats T>
T fmod(T x, T y) {
  const T r = to<T>(cut_division_of<double>(to<double>(x), to<double>(y)));
  const auto far = (fabs(x) >= 0x1p26f * fabs(y)) | (fabs(y) > largest<T>);
  return rarely_of_two(far, far_fmod<T>, x, y, copysign(r, x));
}

template <Floats T>
T remainder(T x, T y) {
  const T r = to<T>(rounded_division_of<double>(to<double>(x), to<double>(y)));
  const auto far = (fabs(x) >= 0x1p26f * fabs(y)) | (fabs(y) > largest<T>);
  return rarely_of_two(far, far_remainder<T>, x, y, r == 0.0f ? copysign(r, x) : r);
}

// ---- Parts of numbers

template <Floats T>
T ldexp(T x, Signed<T> n) {
  const Signed<T> k = n < -300 ? -300 : n > 300 ? 300 : n;
  return to<T>(to<double>(x) * two_to<double>(to<double>(k)));
}

template <Doubles T>
T binary_exponent_of(T x) {
  return from_bits<T>((bits_of(fabs(x)) >> 52) + 0x4330000000000000ul) - 0x1.00000000003ffp52;
}

template <Floats T>
Signed<T> ilogb(T x) {
  const Signed<T> k = to<int>(binary_exponent_of<double>(to<double>(x)));
  return x == 0.0f ? -2147483647 - 1 : fabs(x) <= largest<T> ? k : 2147483647;
}

template <Floats T>
T logb(T x) {
  const T k = to<T>(binary_exponent_of<double>(to<double>(x)));
  return x == 0.0f ? -__builtin_inff() : fabs(x) <= largest<T> ? k : x * x;
}

template <Floats T>
T nextafter(T x, T y) {
  const auto outward = (y > x) == (x > 0.0f);
  const T far = from_bits<T>(bits_of(x) + (outward ? 1u : 0xffffffffu));
  const T r = x == 0.0f ? copysign(from_bits<T>(bits_of(x * 0.0f) | 1u), y) : far;
  return x == y ? y : x < y ? r : x > y ? r : x + y;
}

// ---- Hyperbolic functions

template <Doubles T>
T sinh_of(T x) {
  const T e = expm1_of(x * 0x1.71547652b82fep+0);
  return 0.5 * (e + e / (e + 1.0));
}

template <Doubles T>
T cosh_of(T x) {
  const T e = exp2_of(x * 0x1.71547652b82fep+0);
  return 0.5 * (e + 1.0 / e);
}

template <Doubles T>
T asinh_of(T x) {
  const T q = x * x;
  return log1p_of(x + q / (1.0 + sqrt(q + 1.0)));
}

template <Doubles T>
T acosh_of(T x) {
  const T t = x - 1.0;
  return log1p_of(t + sqrt(t * (x + 1.0)));
}

template <Doubles T>
T atanh_of(T x) {
  return 0.5 * log1p_of(2.0 * x / (1.0 - x));
}

template <Floats T>
T sinh(T x) {
  const T r = copysign(to<T>(sinh_of<double>(to<double>(fabs(x)))), x);
  return x == x ? r : __builtin_nanf("");
}

template <Floats T>
T cosh(T x) {
  const T r = to<T>(cosh_of<double>(to<double>(fabs(x))));
  return x == x ? r : __builtin_nanf("");
}

// In float: at most 3.2 units in the last place. From 10 on it is one.
template <Floats T>
T tanh(T x) {
  const T e = expm1_of(min(fabs(x), to<T>(10)) * 0x1.715476p+1f);
  return x == x ? copysign(e / (e + 2.0f), x) : __builtin_nanf("");
}

template <Floats T>
T asinh(T x) {
  const T a = fabs(x), r = copysign(to<T>(asinh_of<double>(to<double>(a))), x);
  return a <= largest<T> ? r : x == x ? x : __builtin_nanf("");
}

template <Floats T>
T acosh(T x) {
  const T r = to<T>(acosh_of<double>(to<double>(x)));
  return x > largest<T> ? x : x >= 1.0f ? r : __builtin_nanf("");
}

template <Floats T>
T atanh(T x) {
  const T a = fabs(x), r = to<T>(atanh_of<double>(to<double>(a)));
  return a <= 1.0f ? copysign(a == 1.0f ? __builtin_inff() : r, x) : __builtin_nanf("");
}

// ---- The error function

// In float, 1 - 2^log2(erfc): at most 2.4 units in the last place with fused products, else 3.1. From 3.93 on it is one.
template <Floats T>
T erf(T x) {
  const T r = expm1_of(log2_erfc(min(fabs(x), to<T>(3.93))));
  return x == x ? copysign(r, x) : __builtin_nanf("");
}

template <Doubles T>
T erfc_of(T x) {
  const T a = fabs(x), r = erfc_above_zero(a < 10.2 ? a : 10.2);
  return x < 0.0 ? 2.0 - r : r;
}

template <Floats T>
T erfc(T x) {
  const T r = to<T>(erfc_of<double>(to<double>(x)));
  return x == x ? r : __builtin_nanf("");
}

}  // namespace manyrt::library
