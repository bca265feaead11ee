// Powers, roots, hyperbolic functions and the error function of double, and logarithms near one; for a number and for a vector
// of them (parts.h), as those of wide.h.
#pragma once

#include "parts.h"
#include "wide.h"

namespace manyrt::library {

// ---- Logarithms of 1 + x

// log((1 + x) 2^n) for x > -1. The part of x that 1 + x loses is added again.
template <Doubles T>
T wide_log1p_of(T x, T n) {
  const T u = kept(1.0 + x), v = kept(u - 1.0), k = exponent_of(u), lost = kept(1.0 - kept(u - v)) + (x - v);
  const auto near = k == 0.0;
  const T f = near ? x : mantissa_of(u) - 1.0, more = near ? 0.0 : lost / u, e = k + n;
  return fused(e, 0x1.62e42fee00000p-1, log_near(f, fused(e, 0x1.a39ef35793c76p-33, more)));
}

template <Doubles T>
T log1p(T x) {
  return x == 0.0 ? x : wide_logarithm_of(x + 1.0, wide_log1p_of(x, to<T>(0)));
}

// ---- Hyperbolic functions, and what undoes them

// e^a / 2 for a >= 0: infinite only where a hyperbolic function is.
template <Doubles T>
T half_of_exp(T a) {
  const T t = min(a, to<T>(712)), n = rint(t * 0x1.71547652b82fep+0);
  const T r = fused(n, -0x1.a39ef35793c76p-33, kept(fused(n, -0x1.62e42fee00000p-1, t)));
  return in_two_steps(1.0 + exp_less_one(r), n - 1.0);
}

template <Doubles T>
T sinh(T x) {
  const T a = fabs(x), h = half_of_exp(a), e = expm1(a < 1.0 ? a : 1.0);
  const T r = a < 1.0 ? 0.5 * (e + e / (e + 1.0)) : h - 0.25 / h;
  return x == x ? copysign(r, x) : __builtin_nan("");
}

template <Doubles T>
T cosh(T x) {
  const T h = half_of_exp(fabs(x)), r = h + 0.25 / h;
  return x == x ? r : __builtin_nan("");
}

// From 2^60 on it is the logarithm of 2x, whose square a double may not hold.
template <Doubles T>
T asinh(T x) {
  const T a = fabs(x), q = a * a;
  const auto far = a > 0x1p60;
  const T r = wide_log1p_of(far ? a : a + q / (1.0 + sqrt(q + 1.0)), far ? to<T>(1) : to<T>(0));
  return a <= largest<T> ? copysign(r, x) : x == x ? x : __builtin_nan("");
}

template <Doubles T>
T acosh(T x) {
  const T t = x - 1.0;
  const auto far = x > 0x1p60;
  const T r = wide_log1p_of(far ? x : t + sqrt(t * (x + 1.0)), far ? to<T>(1) : to<T>(0));
  return x > largest<T> ? x : x >= 1.0 ? r : __builtin_nan("");
}

template <Doubles T>
T atanh(T x) {
  const T a = fabs(x), r = 0.5 * wide_log1p_of(2.0 * a / (1.0 - a), to<T>(0));
  return a <= 1.0 ? copysign(a == 1.0 ? __builtin_inf() : r, x) : __builtin_nan("");
}

// ---- Roots

// 1 / cbrt(m) of a polynomial, to 17 bits; one step to four times as many; and of m times its square what is left.
template <Doubles T>
T cbrt(T x) {
  const T a = fabs(x), y = normal_of(a), e = whole_exponent_of(a, y), m = mantissa_of(y);
  const T k = rint(e * 0x1.5555555555555p-2), j = fused(k, -3.0, e), q = m * m;
  const T low = fused(m, -0x1.3e32b153e7f0fp+1, 0x1.ffc9ace5e3208p+0),
          middle = fused(m, -0x1.e5ec54361eba7p+0, 0x1.6567504190358p+1);
  const T high = fused(m, -0x1.baa211ba93c87p-4, 0x1.66c7963ded482p-1), p = fused(fused(high, q, middle), q, low);
  const T z = m * (j < 0.0 ? 0.5 : j > 0.0 ? to<T>(2) : to<T>(1));
  const T r = p * (j < 0.0 ? 0x1.428a2f98d728bp+0 : j > 0.0 ? to<T>(0x1.965fea53d6e3dp-1) : to<T>(1));
  const T h = fused(-z * r, r * r, 1.0);
  const T s = fused(r * h, fused(fused(h, 0x1.61f9add3c0ca4p-3, 0x1.c71c71c71c71cp-3), h, 0x1.5555555555555p-2), r);
  const T c = z * s * s, d = fused(-c * c, c, z) * (s * s * 0x1.5555555555555p-2);
  const auto plain = (a > 0.0) & (a <= largest<T>);
  return plain ? copysign((c + d) * two_to(k), x) : x == x ? x : __builtin_nan("");
}

// ---- Powers

template <Doubles T>
T upper_bits(T x) {
  return from_bits<T>(bits_of(x) & 0xfffffffff8000000ul);
}

// a * b less its rounded value p.
template <Doubles T>
T rest_of_product(T a, T b, T p) {
  const T ah = upper_bits(a), al = a - ah, bh = upper_bits(b), bl = b - bh;
  return fuses ? fused(a, b, -p) : al * bl + kept(al * bh + kept(ah * bl + kept(ah * bh - p)));
}

// |x|^y for finite x that are not zero, and |y| at most 2^70. The logarithm to base 2 has 62 bits, since its error grows as y
// times it does. c / 8 is the eighth nearest to 1 / m, and f = m c / 8 - 1 is exact.
template <Doubles T>
T wide_power_of(T x, T y) {
  const T a = fabs(x), normal = normal_of(a), k = whole_exponent_of(a, normal), m = mantissa_of(normal);
  const T c = rint(fused(fused(m, 0x1.f0ed58c267f0bp+2, -0x1.83c47e166a4f1p+4), m, 0x1.87c3ad9152a7fp+4)), eighths = c * 0.125;
  T high = c > 10.5 ? to<T>(-0x1.d6753e0000000p-2) : to<T>(-0x1.49a784c000000p-2);  // of log2(8 / c)
  T low = c > 10.5 ? to<T>(-0x1.975077f1f5f0dp-33) : to<T>(0x1.9723a80db6a05p-33);
  high = c < 9.5 ? -0x1.5c01a3a000000p-3 : high;
  low = c < 9.5 ? 0x1.0a5e1817fd3b8p-37 : low;
  high = c < 8.5 ? 0.0 : high;
  low = c < 8.5 ? 0.0 : low;
  high = c < 7.5 ? 0x1.8a8980a800000p-3 : high;
  low = c < 7.5 ? 0x1.fde9933354dbfp-34 : low;
  high = c < 6.5 ? 0x1.a8ff971800000p-2 : high;
  low = c < 6.5 ? 0x1.0a5e1817fd3b8p-38 : low;
  const T upper = upper_bits(m), f = kept(upper * eighths - 1.0) + (m - upper) * eighths;
  // log(1 + f) = f - f^2 / 2 + s (f^2 / 2 + ...)
  const T s = f / (2.0 + f), z = s * s, w = z * z, g = 0.5 * f, square = g * f;
  const T p = fused(
      fused(fused(z, 0x1.7741fed704299p-3, 0x1.c719ebd0c299fp-3), w, fused(z, 0x1.249249a44acfbp-2, 0x1.999999998390bp-2)), z,
      0x1.555555555555fp-1);
  const T t = s * fused(z, p, square), d = kept(f - square);
  const T left = (t - rest_of_product(g, f, square)) + (kept(f - d) - square), l = kept(d + left), l_rest = kept(d - l) + left;
  const T b = l * 0x1.71547652b82fep+0;
  const T b_rest =
      rest_of_product(l, T{} + 0x1.71547652b82fep+0, b) + fused(l, 0x1.777d0ffda0d24p-56, l_rest * 0x1.71547652b82fep+0);
  const T whole = k + high, sum = kept(whole + b), rest = (kept(whole - sum) + b) + (b_rest + low), h = kept(sum + rest),
          h_rest = kept(sum - h) + rest;
  // 2^(y h)
  const T e = y * h, e_rest = rest_of_product(y, h, e) + y * h_rest, near = max(min(e, to<T>(1100)), to<T>(-1200));
  const T n = rint(near), v = near - n, r = v * 0x1.62e42fefa39efp-1;
  const T more = fabs(e) < 1100.0 ? e_rest : 0.0;
  const T r_rest =
      fused(v, 0x1.abc9e3b39803fp-56, more * 0x1.62e42fefa39efp-1) + rest_of_product(v, T{} + 0x1.62e42fefa39efp-1, r);
  const T one = kept(1.0 + r), over = fused(r * r, exp_series(r), kept(1.0 - one) + r);
  return in_two_steps(one + fused(one + over, r_rest, over), n);
}

// a^y for a = 0 and infinity.
template <Doubles T>
T wide_power_of_limit(T a, T y) {
  const auto grows = ((a == 0.0) & (y < 0.0)) | ((a > 0.0) & (y > 0.0));
  return grows ? to<T>(__builtin_inf()) : to<T>(0);
}

template <Doubles T>
T limited_power_of(T x, T y) {
  return wide_power_of(x, max(min(y, to<T>(0x1p70)), to<T>(-0x1p70)));
}

template <Doubles T>
T pow(T x, T y) {
  const T a = fabs(x), half = 0.5 * y;
  const auto fraction = rint(y) != y;
  const auto odd = (rint(y) == y) & (rint(half) != half);
  const auto limit = (a == 0.0) | (a > largest<T>), sure = (x == 1.0) | (y == 0.0);
  const auto fails = ((x < 0.0) & (a <= largest<T>)&fraction) | (x != x) | (y != y);
  T r = limited_power_of(x, y);
  r = limit ? wide_power_of_limit(a, y) : r;
  r = a == 1.0 ? 1.0 : r;
  r = odd ? copysign(r, x) : r;
  r = y == 2.0 ? x * x : y == 1.0 ? x : r;
  return sure ? 1.0 : fails ? __builtin_nan("") : r;
}

template <Doubles T>
T powr(T x, T y) {
  const auto limit = (x == 0.0) | (x > largest<T>);
  T r = limited_power_of(x, y);
  r = limit ? wide_power_of_limit(x, y) : r;
  r = y == 0.0 ? 1.0 : r;
  const auto holds = (x >= 0.0) & (y == y), fails = (limit & (y == 0.0)) | ((x == 1.0) & (fabs(y) > largest<T>));
  return holds ? fails ? __builtin_nan("") : r : __builtin_nan("");
}

// ---- The error function

// erf(x) / x for |x| <= 1, of x^2.
template <Doubles T>
T wide_erf_near_zero(T q) {
  const T h = q * q, g = h * h;
  const T c0 = fused(q, -0x1.812746b0379e6p-2, 0x1.20dd750429b6dp+0),
          c1 = fused(q, -0x1.b82ce3128499dp-6, 0x1.ce2f21a042b20p-4);
  const T c2 = fused(q, -0x1.c02db3d8ed605p-11, 0x1.565bcd0db02fdp-8),
          c3 = fused(q, -0x1.f4d1df399586fp-17, 0x1.f9a321a12322ep-14);
  const T c4 = fused(q, -0x1.5f1d36cd2102cp-23, 0x1.b9def1a061345p-20),
          c5 = fused(q, -0x1.386ac01bb4872p-30, 0x1.f7a412473a7ebp-27);
  const T high = fused(fused(h, 0x1.0579a6aec3890p-34, c5), h, c4);
  return fused(fused(high, g, fused(c3, h, c2)), g, fused(c1, h, c0));
}

// erfc(x) for x >= 0. exp(x^2) erfc(x) (1 + 2x) is smooth in t; the square has more bits than a double.
template <Doubles T>
T wide_erfc_above_zero(T x) {
  const T a = min(x, to<T>(28)), t = (a - 3.0) / (a + 3.0), h = t * t;
  T even = fused(h, 0x1.3017c2a87d2ecp-31, -0x1.052b0fb770bc7p-27),
    odd = fused(h, 0x1.3930eafc09678p-32, -0x1.6ed36c737d240p-27);
  even = fused(fused(even, h, 0x1.60be4757ac98ep-25), h, -0x1.3070390c41018p-23);
  odd = fused(fused(odd, h, 0x1.a2e8c161de125p-24), h, -0x1.48e5535d5d101p-21);
  even = fused(fused(even, h, 0x1.7ff0460be6fd2p-22), h, -0x1.890ab4368acb2p-21);
  odd = fused(fused(odd, h, 0x1.d1be93cd61b18p-19), h, -0x1.5137799c25bb8p-16);
  even = fused(fused(even, h, 0x1.4c2bb0f6d1763p-18), h, -0x1.b91289bc8dfe9p-14);
  odd = fused(fused(odd, h, 0x1.065a162c2c7edp-13), h, -0x1.98db4fad3e5e9p-11);
  even = fused(fused(even, h, 0x1.ef1bdd6fdb6c9p-10), h, -0x1.8574c40bf9bafp-6);
  odd = fused(fused(odd, h, 0x1.4b884e3af7920p-9), h, 0x1.17ca2877f5266p-4);
  even = fused(fused(even, h, -0x1.e88b803a48d71p-4), h, -0x1.85a15c58aa5f1p-5);
  odd = fused(fused(odd, h, 0x1.098366a5b45eap-3), h, -0x1.15c084bb9e8f1p-3);
  even = fused(even, h, 0x1.40c522d7e4987p+0);
  const T square = a * a, scale = exp(-square), rest = rest_of_product(a, a, square);
  return fused(odd, t, even) / fused(a, 2.0, 1.0) * fused(scale, -rest, scale);
}

template <Doubles T>
T erf(T x) {
  const T a = fabs(x), r = a < 1.0 ? a * wide_erf_near_zero(a * a) : 1.0 - wide_erfc_above_zero(a);
  return x == x ? copysign(r, x) : __builtin_nan("");
}

template <Doubles T>
T erfc(T x) {
  const T a = fabs(x), far = wide_erfc_above_zero(a), near = 1.0 - x * wide_erf_near_zero(x * x);
  const T r = a < 0.5 ? near : x < 0.0 ? 2.0 - far : far;
  return x == x ? r : __builtin_nan("");
}

}  // namespace manyrt::library
