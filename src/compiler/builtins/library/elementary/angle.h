// Sine, cosine, tangent and what undoes them, of float, for a number and for a vector of them (parts.h). Every result that is
// not a number has the same bits.
#pragma once

#include "parts.h"

namespace manyrt::library {

// ---- Sine, cosine, tangent of angles in radians

// x - n pi and x - n pi/2. The first part of pi has 33 bits, so that its product with n below 2^20 is exact.
template <Doubles T>
T without_half_turns(T x, T n) {
  return fused(n, -0x1.0b4611a626331p-33, x - n * 0x1.921fb544p+1);
}

template <Doubles T>
T without_quarter_turns(T x, T n) {
  return fused(n, -0x1.0b4611a626331p-34, x - n * 0x1.921fb544p+0);
}

// The sine of x half turns, |x| < 2^50; and the others.
template <Doubles T>
T sinpi_of(T x) {
  const T n = rint(x);
  return negated_if_odd(sine_near_zero((x - n) * 0x1.921fb54442d18p+1), n);
}

template <Doubles T>
T cospi_of(T x) {
  const T n = rint(x - 0.5);
  return negated_if_odd(-sine_near_zero((x - n - 0.5) * 0x1.921fb54442d18p+1), n);
}

template <Doubles T>
T tanpi_of(T x) {
  const T n = rint(2.0 * x);
  return tangent_of(fused(n, -0.5, x) * 0x1.921fb54442d18p+1, n);
}

// Numbers from 2^18 on, which are rare: a whole number of quarter turns, and the angle that is left. Only a window of the
// digits of 1/pi is used: those before it give whole turns, and those after it do not show.
template <Float T>
double far_angle(T x, int* quarters) {
  const unsigned long digits[] = {0, 0x517cc1b727220a94ul, 0xfe13abe8fa9a6ee0ul, 0x6db14acc9e21c820ul, 0xff28b1d5ef5de2b0ul};
  const unsigned int whole = bits_of(x);
  const int first = (int)(whole >> 23 & 255u) - 87, word = first >> 6, shift = first & 63;
  unsigned __int128 window = (unsigned __int128)digits[word] << 64 | digits[word + 1];
  if (shift != 0) window = window << shift | digits[word + 2] >> (64 - shift);
  const unsigned __int128 turns = window * ((whole & 0x7fffffu) | 0x800000u);
  *quarters = (int)(((unsigned long)(turns >> 64) + 0x2000000000000000ul) >> 62);
  const unsigned __int128 left = turns - ((unsigned __int128)*quarters << 126);
  return ((double)(long)(left >> 64) * 0x1p-63 + (double)(unsigned long)left * 0x1p-127) * 0x1.921fb54442d18p+1;
}

template <Float T>
T far_sin(T x) {
  int n = 0;
  if (!(fabs(x) <= largest<T>)) return __builtin_nanf("");
  const double r = far_angle(x, &n), s = n & 1 ? cosine_near_zero<double>(r) : sine_near_zero<double>(r);
  const bool negative = ((n & 2) != 0) != (x < 0);
  return (float)(negative ? -s : s);
}

template <Float T>
T far_cos(T x) {
  int n = 0;
  if (!(fabs(x) <= largest<T>)) return __builtin_nanf("");
  const double r = far_angle(x, &n), c = n & 1 ? -sine_near_zero<double>(r) : cosine_near_zero<double>(r);
  return (float)(n & 2 ? -c : c);
}

template <Float T>
T far_tan(T x) {
  int n = 0;
  if (!(fabs(x) <= largest<T>)) return __builtin_nanf("");
  const double r = far_angle(x, &n), t = tangent_of<double>(r, (double)n);
  return (float)(x < 0 ? -t : t);
}

template <Doubles T>
T sin_of(T x) {
  const T n = rint(x * 0x1.45f306dc9c883p-2);
  return negated_if_odd(sine_near_zero(without_half_turns(x, n)), n);
}

// Takes away an odd number of quarter turns, 2n + 1.
template <Doubles T>
T cos_of(T x) {
  const T n = rint(fused(x, 0x1.45f306dc9c883p-2, -0.5));
  return negated_if_odd(-sine_near_zero(without_quarter_turns(x, fused(n, 2.0, 1.0))), n);
}

template <Doubles T>
T tan_of(T x) {
  const T n = rint(x * 0x1.45f306dc9c883p-1);
  return tangent_of(without_quarter_turns(x, n), n);
}

// In float, where products are fused: takes away less than 2^17 half turns, in three parts, of which the first leaves no error.
// At most 2.1 units in the last place. Beyond 2^18, and for NaN, the others are called.
template <Floats T>
T fused_sin(T x) {
  const T t = fused(x, 0x1.45f306p-2f, 0x1.8p23f), n = t - 0x1.8p23f;  // n, and its lowest bit
  const T r = fused(n, 0x1.ee59dap-49f, fused(n, 0x1.777a5cp-24f, fused(n, -0x1.921fb6p+1f, x)));
  const T y = from_bits<T>(bits_of(sine_near_zero(r)) ^ (bits_of(t) << 31));
  return rarely_beyond(to<T>(0x1p18), far_sin<T>, x, x == 0.0f ? x : y);
}

template <Floats T>
T fused_cos(T x) {
  const T n = rint(fused(x, 0x1.45f306p-2f, -0.5f)), k = fused(n, 2.0f, 1.0f);
  const T r = fused(k, 0x1.ee59dap-50f, fused(k, 0x1.777a5cp-25f, fused(k, -0x1.921fb6p+0f, x)));
  const T y = from_bits<T>(bits_of(sine_near_zero(r)) ^ (bits_of(n + 0x1.800002p23f) << 31));
  return rarely_beyond(to<T>(0x1p18), far_cos<T>, x, y);
}

template <Floats T>
T wide_sin(T x) {
  T r = to<T>(sin_of<double>(to<double>(x)));
  r = x == 0.0f ? x : r;
  return rarely_beyond(to<T>(0x1p18), far_sin<T>, x, r);
}

template <Floats T>
T wide_cos(T x) {
  return rarely_beyond(to<T>(0x1p18), far_cos<T>, x, to<T>(cos_of<double>(to<double>(x))));
}

template <Floats T>
T sin(T x) {
  return fuses ? fused_sin(x) : wide_sin(x);
}

template <Floats T>
T cos(T x) {
  return fuses ? fused_cos(x) : wide_cos(x);
}

template <Floats T>
T tan(T x) {
  T r = to<T>(tan_of<double>(to<double>(x)));
  r = x == 0.0f ? x : r;
  r = x == x ? r : __builtin_nanf("");
  return rarely_beyond(to<T>(0x1p18), far_tan<T>, x, r);
}

// ---- The same of half turns. Numbers from 2^24 on are even.

template <Floats T>
T sinpi(T x) {
  const T r = to<T>(sinpi_of<double>(to<double>(fabs(x) < 0x1p24f ? x : 0.0f)));
  const auto zero = (fabs(x) <= largest<T>)&(r == 0.0f);
  return zero ? copysign(r, x) : fabs(x) <= largest<T> ? r : __builtin_nanf("");
}

template <Floats T>
T cospi(T x) {
  const T r = to<T>(cospi_of<double>(to<double>(fabs(x) < 0x1p24f ? x : 0.0f)));
  return fabs(x) <= largest<T> ? r == 0.0f ? 0.0f : r : __builtin_nanf("");
}

// Zero at whole numbers: -0 at odd ones above zero and at even ones below. Infinite halfway between them: positive after an
// even number, negative after an odd one.
template <Floats T>
T tanpi(T x) {
  const T a = fabs(x) < 0x1p24f ? x : 0.0f, r = to<T>(tanpi_of<double>(to<double>(a))), n = rint(a), h = 0.5f * n;
  const auto odd = rint(h) != h;
  const T zero = odd ? -x : x, whole = floor(a), g = 0.5f * whole;
  const T pole = rint(g) == g ? __builtin_inff() : -__builtin_inff();
  T y = n == a ? copysign(0.0f * r, zero) : r;
  y = fabs(a - n) == 0.5f ? pole : y;
  return fabs(x) <= largest<T> ? y : __builtin_nanf("");
}

// ---- Angles of a sine, a cosine, a tangent

template <Doubles T>
T asin_of(T a) {  // 0 <= a <= 1
  const auto far = a > 0.5;
  const T p = arcsine_near_zero(far ? sqrt(fused(a, -0.5, 0.5)) : a);
  return far ? fused(p, -2.0, 0x1.921fb54442d18p+0) : p;
}

template <Doubles T>
T acos_of(T x) {
  const T a = fabs(x);
  const auto far = a > 0.5;
  const T p = arcsine_near_zero(far ? sqrt(fused(a, -0.5, 0.5)) : a);
  const T r = far ? 2.0 * p : 0x1.921fb54442d18p+0 - copysign(p, x);
  const auto obtuse = far & (x < 0.0);
  return obtuse ? 0x1.921fb54442d18p+1 - r : r;
}

template <Doubles T>
T atan_of(T a) {
  return angle_of(a, T{} + 1.0);
}

template <Floats T>
T asin(T x) {
  const T a = fabs(x), r = to<T>(asin_of<double>(to<double>(a)));
  return a <= 1.0f ? copysign(r, x) : __builtin_nanf("");
}

template <Floats T>
T acos(T x) {
  const T r = to<T>(acos_of<double>(to<double>(x)));
  return fabs(x) <= 1.0f ? r : __builtin_nanf("");
}

template <Floats T>
T atan(T x) {
  const T r = to<T>(atan_of<double>(to<double>(fabs(x))));
  return x == x ? copysign(r, x) : __builtin_nanf("");
}

template <Floats T>
T asinpi(T x) {
  const T a = fabs(x), r = to<T>(asin_of<double>(to<double>(a)) * 0x1.45f306dc9c883p-2);
  return a <= 1.0f ? copysign(r, x) : __builtin_nanf("");
}

template <Floats T>
T acospi(T x) {
  const T r = to<T>(acos_of<double>(to<double>(x)) * 0x1.45f306dc9c883p-2);
  return fabs(x) <= 1.0f ? r : __builtin_nanf("");
}

template <Floats T>
T atanpi(T x) {
  const T r = to<T>(atan_of<double>(to<double>(fabs(x))) * 0x1.45f306dc9c883p-2);
  return x == x ? copysign(r, x) : __builtin_nanf("");
}

// The angle of (x, y). Infinity is taken for a number that no float comes near.
template <Doubles T>
T atan2_of(T y, T x) {
  const T u = fabs(x), v = fabs(y), a = u > 0x1p1000 ? 0x1p1000 : u, b = v > 0x1p1000 ? 0x1p1000 : v;
  const T r = angle_of(b, a + b == 0.0 ? 1.0 : a);
  return copysign((Signed<T>)bits_of(x) < 0l ? 0x1.921fb54442d18p+1 - r : r, y);
}

template <Floats T>
T atan2(T y, T x) {
  const T r = to<T>(atan2_of<double>(to<double>(y), to<double>(x)));
  return r == r ? r : __builtin_nanf("");
}

template <Floats T>
T atan2pi(T y, T x) {
  const T r = to<T>(atan2_of<double>(to<double>(y), to<double>(x)) * 0x1.45f306dc9c883p-2);
  return r == r ? r : __builtin_nanf("");
}

}  // namespace manyrt::library
