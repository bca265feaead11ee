// Tangents of double, sines and cosines of half turns, and what undoes sines, cosines and tangents; for a number and for a
// vector of them (parts.h), as those of wide.h.
#pragma once

#include "parts.h"
#include "wide.h"

namespace manyrt::library {

// ---- Tangents

template <Double T>
T other_tan(T x) {
  return __builtin_tan(x);
}

template <Doubles T>
T tan(T x) {
  const T n = rint(x * 0x1.45f306dc9c883p-1), r = without_quarters(x, n);
  const T s = wide_sine_of(r), c = wide_cosine_of(r);
  const auto odd = (bits_of(n + 0x1.8p52) & 1ul) != 0ul;
  const T y = (odd ? -c : s) / (odd ? s : c);
  return rarely_beyond(to<T>(0x1p20), other_tan<T>, x, x == 0.0 ? x : y);
}

// ---- Of half turns. Numbers from 2^53 on are even.

// The angle of x half turns less n quarters of a turn.
template <Doubles T>
T half_turns_without_quarters(T x, T n) {
  return fused(n, -0.5, x) * 0x1.921fb54442d18p+1;
}

template <Doubles T>
T sinpi(T x) {
  const T t = fabs(x) < 0x1p53 ? x : 0.0, n = rint(2.0 * t), r = half_turns_without_quarters(t, n), h = 0.5 * n;
  const auto odd = rint(h) != h;
  const T y = odd ? wide_cosine_of(r) : wide_sine_of(r), g = 0.5 * floor(h);
  const T result = rint(g) != g ? -y : y;
  const T whole = copysign(0.0 * r, x);
  return fabs(x) <= largest<T> ? r == 0.0 ? odd ? result : whole : result : __builtin_nan("");
}

template <Doubles T>
T cospi(T x) {
  const T t = fabs(x) < 0x1p53 ? x : 0.0, n = rint(2.0 * t), r = half_turns_without_quarters(t, n), h = 0.5 * n;
  const auto odd = rint(h) != h;
  const T y = odd ? wide_sine_of(r) : wide_cosine_of(r), g = 0.5 * (odd ? floor(h) + 1.0 : h);
  const T result = rint(g) != g ? -y : y;
  return fabs(x) <= largest<T> ? result == 0.0 ? 0.0 : result : __builtin_nan("");
}

// ---- Angles of a tangent

// The angle of the point (x, y), neither below zero.
template <Doubles T>
T wide_angle_of(T y, T x) {
  const auto steep = y > x;
  const T a = steep ? x : y, b = steep ? y : x;
  const auto far = a > 0x1.a827999fcef32p-2 * b;  // than tan(pi/8)
  const T t = (far ? a - b : a) / (far ? a + b : b), q = t * t, h = q * q, g = h * h;
  const T c0 = fused(q, 0x1.99999999957c6p-3, -0x1.555555555553dp-2),
          c1 = fused(q, 0x1.c71c70e4fced9p-4, -0x1.24924922aa221p-3);
  const T c2 = fused(q, 0x1.3b1117713d757p-4, -0x1.745cf8c17970dp-4),
          c3 = fused(q, 0x1.df0e67f38114fp-5, -0x1.10eba72788315p-4);
  const T c4 = fused(q, 0x1.37ccfea1b4feap-5, -0x1.9ccf0f7169adcp-5);
  const T high = fused(fused(h, -0x1.2558b817e4e58p-6, c4), g, fused(c3, h, c2)), p = fused(high, g, fused(c1, h, c0));
  const T r = fused(t * q, p, t), s = far ? (r + 0x1.1a62633145c07p-55) + 0x1.921fb54442d18p-1 : r;
  return steep ? (0x1.1a62633145c07p-54 - s) + 0x1.921fb54442d18p+0 : s;
}

template <Doubles T>
T atan(T x) {
  const T a = fabs(x), r = wide_angle_of(a < 0x1p100 ? a : 0x1p100, T{} + 1.0);
  return x == x ? copysign(r, x) : __builtin_nan("");
}

// Two infinite numbers are as two ones, and beside one of them all others are as zero.
template <Doubles T>
T angle_of_point(T y, T x) {
  const T u = fabs(x), v = fabs(y);
  const auto far_x = u > largest<T>, far_y = v > largest<T>;
  const T a = far_x ? 1.0 : far_y ? 0.0 : u, b = far_y ? 1.0 : far_x ? 0.0 : v;
  const auto large = (a > 0x1p1000) | (b > 0x1p1000);  // their sum may be beyond what a double holds
  const T down = large ? to<T>(0x1p-60) : to<T>(1);
  const T r = wide_angle_of(b * down, a + b == 0.0 ? 1.0 : a * down);
  return (Signed<T>)bits_of(x) < 0l ? (0x1.1a62633145c07p-53 - r) + 0x1.921fb54442d18p+1 : r;
}

template <Doubles T>
T atan2(T y, T x) {
  const T r = copysign(angle_of_point(y, x), y);
  return x == x ? y == y ? r : __builtin_nan("") : __builtin_nan("");
}

// ---- Angles of a sine, a cosine

// asin(x) for 0 <= x <= 1/2, from x and q = x^2; also a part of asin beyond 1/2.
template <Doubles T>
T wide_arcsine_of(T x, T q) {
  const T h = q * q, g = h * h;
  const T c0 = fused(q, 0x1.333333336e7b8p-4, 0x1.5555555555390p-3), c1 = fused(q, 0x1.f1c72c382d7e3p-6, 0x1.6db6db427d35cp-5);
  const T c2 = fused(q, 0x1.1c6be0bfd4e44p-6, 0x1.6e89f45119bd3p-6), c3 = fused(q, 0x1.8ec299e4abe61p-7, 0x1.c6fdd1ee86392p-7);
  const T c4 = fused(q, 0x1.3ff2a7fab1340p-6, 0x1.abd27a7453edbp-8), c5 = fused(q, 0x1.056c73423fb43p-5, -0x1.09d02cb83036ap-6);
  const T high = fused(fused(c5, h, c4), g, fused(c3, h, c2)), p = fused(high, g, fused(c1, h, c0));
  return fused(x * q, p, x);
}

template <Doubles T>
T asin(T x) {
  const T a = fabs(x);
  const auto far = a > 0.5;
  const T q = far ? fused(a, -0.5, 0.5) : a * a, p = wide_arcsine_of(far ? sqrt(q) : a, q);
  const T r = far ? fused(p, -2.0, 0x1.921fb54442d18p+0) + 0x1.1a62633145c07p-54 : p;
  return a <= 1.0 ? copysign(r, x) : __builtin_nan("");
}

template <Doubles T>
T acos(T x) {
  const T a = fabs(x);
  const auto far = a > 0.5;
  const T q = far ? fused(a, -0.5, 0.5) : a * a, p = wide_arcsine_of(far ? sqrt(q) : a, q);
  const T obtuse = fused(p, -2.0, 0x1.921fb54442d18p+1) + 0x1.1a62633145c07p-53;
  const T near = (0x1.1a62633145c07p-54 - copysign(p, x)) + 0x1.921fb54442d18p+0, other = x < 0.0 ? obtuse : 2.0 * p;
  return a <= 1.0 ? far ? other : near : __builtin_nan("");
}

// ---- The same as half turns

template <Doubles T>
T asinpi(T x) {
  return asin(x) * 0x1.45f306dc9c883p-2;
}

template <Doubles T>
T acospi(T x) {
  return acos(x) * 0x1.45f306dc9c883p-2;
}

template <Doubles T>
T atanpi(T x) {
  return atan(x) * 0x1.45f306dc9c883p-2;
}

template <Doubles T>
T atan2pi(T y, T x) {
  return atan2(y, x) * 0x1.45f306dc9c883p-2;
}

}  // namespace manyrt::library
