// Functions of double that are computed in double, for a number and for a vector of numbers (parts.h). They are exponential
// functions, logarithms, sines, and functions made of these. Each is within 3 units in the last place
// (docs/kernel-accuracy.md), where OpenCL allows 3 or more. Every result that is not a number has the same bits. The other
// functions of double are the C library's.
#pragma once

#include "parts.h"

namespace manyrt::library {

// ---- Exponential functions

// (e^r - 1 - r) / r^2 and e^r - 1 for |r| <= 0.3467.
template <Doubles T>
T exp_series(T r) {
  const T q = r * r, h = q * q;
  const T a = fused(r, 0x1.55555555554f9p-3, 0x1.000000000000ap-1), b = fused(r, 0x1.1111111127cc5p-7, 0x1.5555555550855p-5);
  const T c = fused(r, 0x1.a01a012a1f9b4p-13, 0x1.6c16c18433916p-10),
          d = fused(r, 0x1.71df25a2b42cap-19, 0x1.a01999f0f22a5p-16);
  const T e = fused(r, 0x1.ad7f376a1427fp-26, 0x1.28ad8d857c988p-22);
  return fused(fused(fused(e, q, d), h, fused(c, q, b)), q, a);
}
template <Doubles T>
T exp_less_one(T r) {
  return fused(r * r, exp_series(r), r);
}

// x 2^n for x near 1 and a whole number n, at most 1100 from zero. Two steps: the second alone may be rounded.
template <Doubles T>
T in_two_steps(T x, T n) {
  const T k = rint(n * 0.5);
  return x * two_to(k) * two_to(n - k);
}

template <Doubles T>
T exp(T x) {
  T t = x < 710.0 ? x : 710.0;
  t = t > -746.0 ? t : -746.0;
  const T n = rint(t * 0x1.71547652b82fep+0);
  const T r = in_two_steps(1.0 + exp_less_one(fused(n, -0x1.a39ef35793c76p-33, kept(fused(n, -0x1.62e42fee00000p-1, t)))), n);
  return x == x ? r : __builtin_nan("");
}

template <Doubles T>
T exp2(T x) {
  T t = x < 1025.0 ? x : 1025.0;
  t = t > -1076.0 ? t : -1076.0;
  const T n = rint(t), r = in_two_steps(1.0 + exp_less_one((t - n) * 0x1.62e42fefa39efp-1), n);
  return x == x ? r : __builtin_nan("");
}

template <Doubles T>
T exp10(T x) {
  T t = x < 309.0 ? x : 309.0;
  t = t > -324.5 ? t : -324.5;
  const T n = rint(t * 0x1.a934f0979a371p+1);
  const T part = fused(n, -0x1.f79fef311f12bp-34, kept(fused(n, -0x1.3441350800000p-2, t)));
  const T r = in_two_steps(1.0 + exp_less_one(part * 0x1.26bb1bbb55516p+1), n);
  return x == x ? r : __builtin_nan("");
}

template <Doubles T>
T expm1(T x) {
  T t = x < 710.0 ? x : 710.0;
  t = t > -60.0 ? t : -60.0;
  const T n = rint(t * 0x1.71547652b82fep+0), half = two_to(n - 1.0);
  const T p = exp_less_one(fused(n, -0x1.a39ef35793c76p-33, kept(fused(n, -0x1.62e42fee00000p-1, t))));
  const T r = n == 0.0 ? p : fused(half, p, half - 0.5) * 2.0;
  return x == x ? x == 0.0 ? x : r : __builtin_nan("");
}

// By the one of twice the angle, which loses nothing near zero.
template <Doubles T>
T tanh(T x) {
  const T a = fabs(x), t = a < 20.0 ? a : 20.0, e = expm1(2.0 * t);
  const T r = e / (e + 2.0);
  return x == x ? copysign(r, x) : __builtin_nan("");
}

// ---- Logarithms

// The result of a logarithm: r for numbers above zero, else -infinity, infinity or NaN.
template <Doubles T>
T wide_logarithm_of(T x, T r) {
  r = x == 0.0 ? -__builtin_inf() : r;
  r = x > largest<T> ? x : r;
  return x >= 0.0 ? r : __builtin_nan("");
}

// log(1 + f) for 1 + f from sqrt(1/2) to sqrt(2), and `more` with it, which is small.
template <Doubles T>
T log_near(T f, T more) {
  const T s = f / (2.0 + f), q = s * s, h = q * q, half = 0.5 * f * f;
  const T a = fused(q, 0x1.999999997fd9bp-2, 0x1.5555555555592p-1), b = fused(q, 0x1.c71c5207ea4bcp-3, 0x1.24924941f2d76p-2);
  const T c = fused(q, 0x1.39a1b289beab2p-3, 0x1.74663f37452b3p-3);
  const T r = q * fused(fused(fused(h, 0x1.2f05b7faaf6b3p-3, c), h, b), h, a);
  return f - (half - fused(s, half + r, more));
}

// Subnormal numbers are made normal first.
template <Doubles T>
T normal_of(T x) {
  return x < smallest<T> ? x * 0x1p54 : x;
}
template <Doubles T>
T whole_exponent_of(T x, T normal) {
  return exponent_of(normal) - (x < smallest<T> ? to<T>(54) : to<T>(0));
}

template <Doubles T>
T log(T x) {
  const T y = normal_of(x), k = whole_exponent_of(x, y);
  return wide_logarithm_of(x, fused(k, 0x1.62e42fee00000p-1, log_near(mantissa_of(y) - 1.0, k * 0x1.a39ef35793c76p-33)));
}

template <Doubles T>
T log2(T x) {
  const T y = normal_of(x), k = whole_exponent_of(x, y);
  return wide_logarithm_of(x, fused(log_near(mantissa_of(y) - 1.0, to<T>(0)), 0x1.71547652b82fep+0, k));
}

template <Doubles T>
T log10(T x) {
  const T y = normal_of(x), k = whole_exponent_of(x, y), near = log_near(mantissa_of(y) - 1.0, to<T>(0));
  return wide_logarithm_of(x, fused(k, 0x1.3441350800000p-2, fused(near, 0x1.bcb7b1526e50ep-2, k * 0x1.f79fef311f12bp-34)));
}

// ---- Sines

template <Double T>
T other_sin(T x) {
  return __builtin_sin(x);
}
template <Double T>
T other_cos(T x) {
  return __builtin_cos(x);
}

// x less n quarters of a turn, for |n| up to 2^20: in parts whose products with n have no more than 53 bits.
template <Doubles T>
T without_quarters(T x, T n) {
  const T a = kept(x - n * 0x1.921fb54400000p+0), b = kept(a - n * 0x1.0b4611a600000p-34);
  return kept(b - n * 0x1.3198a2e000000p-69) - n * 0x1.b839a252049c1p-104;
}

// For |r| <= pi/4.
template <Doubles T>
T wide_sine_of(T r) {
  const T q = r * r, h = q * q;
  const T a = fused(q, 0x1.111111110f7c8p-7, -0x1.5555555555548p-3),
          b = fused(q, 0x1.71de3566eafa1p-19, -0x1.a01a019bfcecdp-13);
  const T c = fused(q, 0x1.5d8f996bcab8ap-33, -0x1.ae5e59d561ea1p-26);
  return fused(r * q, fused(fused(c, h, b), h, a), r);
}
template <Doubles T>
T wide_cosine_of(T r) {
  const T q = r * r, h = q * q, half = 0.5 * q, w = kept(1.0 - half);
  const T a = fused(q, -0x1.6c16c16c14f89p-10, 0x1.555555555554bp-5),
          b = fused(q, -0x1.27e4f7ea1b121p-22, 0x1.a01a019c836cap-16);
  const T c = fused(q, -0x1.8fa45ac3a1fa7p-37, 0x1.1ee9d73dfc44bp-29);
  return w + fused(h, fused(fused(c, h, b), h, a), 1.0 - w - half);
}

template <Doubles T>
T sin(T x) {
  const T n = rint(x * 0x1.45f306dc9c883p-1), r = without_quarters(x, n);
  const Unsigned<T> quarter = bits_of(n + 0x1.8p52);
  const T y = (quarter & 1ul) != 0ul ? wide_cosine_of(r) : wide_sine_of(r);
  const T result = from_bits<T>(bits_of(y) ^ ((quarter & 2ul) << 62));
  return rarely_beyond(to<T>(0x1p20), other_sin<T>, x, x == 0.0 ? x : result);
}

template <Doubles T>
T cos(T x) {
  const T n = rint(x * 0x1.45f306dc9c883p-1), r = without_quarters(x, n);
  const Unsigned<T> quarter = bits_of(n + 0x1.8p52);
  const T y = (quarter & 1ul) != 0ul ? wide_sine_of(r) : wide_cosine_of(r);
  const T result = from_bits<T>(bits_of(y) ^ (((quarter + 1ul) & 2ul) << 62));
  return rarely_beyond(to<T>(0x1p20), other_cos<T>, x, result);
}

// ---- Lengths and powers of two

// The form for lanes is in lanes/math.h.
template <Doubles T>
T ldexp(T x, int n);

// The larger one decides what both are multiplied by, so that no square is beyond what a double holds.
template <Doubles T>
T hypot(T x, T y) {
  const T a = fabs(x), b = fabs(y), large = a > b ? a : b, small = a > b ? b : a;
  const T up = large > 0x1p500 ? to<T>(0x1p-600) : large < 0x1p-450 ? to<T>(0x1p600) : to<T>(1);
  const T down = large > 0x1p500 ? to<T>(0x1p600) : large < 0x1p-450 ? to<T>(0x1p-600) : to<T>(1);
  const T p = large * up, q = small * up, r = sqrt(fused(p, p, q * q)) * down;
  const auto endless = (a > largest<T>) | (b > largest<T>);
  return endless ? __builtin_inf() : r == r ? r : __builtin_nan("");
}
}  // namespace manyrt::library
