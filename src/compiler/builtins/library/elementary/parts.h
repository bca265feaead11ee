// The parts that elementary functions of float are made of. Most compute in double, so that errors of theirs do not show in a
// float; all need neither tables nor branches. A function for Floats or Doubles has two forms with equal bits. T is a number,
// or a vector with a number for each of several work-items (passes/lanes). For CUDA these functions are not used. Sums and
// products are fused where the processor does that; no result relies on it. Sets and words: language.h. The polynomials are
// minimax ones for the relative error; scripts/fit_polynomials.py finds them, and says how good they are.
#pragma once

#include "compiler/builtins/library/common.h"
#include "compiler/builtins/library/language.h"
#include "compiler/builtins/library/math.h"

namespace manyrt::library {

// ---- Powers of two

// 2^n for a whole number n, -1022 to 1023. The sum has n in its lowest bits.
template <Doubles T>
T two_to(T n) {
  return from_bits<T>((bits_of(n + 0x1.8p52) << 52) + 0x3ff0000000000000ul);
}

// 2^f - 1 for |f| <= 1/2; error 2^-32.
template <Doubles T>
T exp2_less_one(T f) {
  const T g = f * f;
  const T odd = fused(fused(g, 0x1.443f619593fdep-13, 0x1.3b2a1c36e9ff0p-7), g, 0x1.ebfbe0452fe78p-3);
  const T even =
      fused(fused(fused(g, 0x1.ffcba6a958534p-17, 0x1.5d88bdd59c072p-10), g, 0x1.c6b08cb157729p-5), g, 0x1.62e42fefd3288p-1);
  return f * fused(odd, f, even);
}

// 2^t, where t is taken to at most 160 and at least -160: beyond what a float holds.
template <Doubles T>
T exp2_of(T t) {
  t = t > 160.0 ? 160.0 : t;
  t = t < -160.0 ? -160.0 : t;
  const T n = rint(t), s = two_to(n);
  return fused(s, exp2_less_one(t - n), s);
}

template <Doubles T>
T expm1_of(T t) {  // 2^t - 1
  t = t > 160.0 ? 160.0 : t;
  t = t < -160.0 ? -160.0 : t;
  const T n = rint(t), s = two_to(n);
  return fused(s, exp2_less_one(t - n), s - 1.0);
}

// The same in float, to a unit in the last place.
template <Floats T>
T exp2_less_one(T f) {
  const T g = f * f;
  const T low = fused(f, 0x1.3b2ba0p-7f, 0x1.c6af6ep-5f), high = fused(f, 0x1.4308f8p-13f, 0x1.5f07b6p-10f);
  return fused(f, 0x1.62e430p-1f, g * fused(fused(high, g, low), f, 0x1.ebfbdep-3f));
}

template <Floats T>
T expm1_of(T t) {  // |t| <= 126
  const T n = rint(t), s = from_bits<T>((bits_of(n + 0x1.8p23f) << 23) + 0x3f800000u);
  return fused(s, exp2_less_one(t - n), s - 1.0f);
}

// x 2^n for x near 1 and a whole number n, at most 151 from zero. The part of n that no float has as its exponent is a second
// factor: it rounds the result to a subnormal number, or makes it infinite.
template <Float T>
T times_two_to(T x, T n) {
  const T k = max(min(n, to<T>(126)), to<T>(-125));
  return from_bits<T>(bits_of(x) + (bits_of(k + 0x1.8p23f) << 23)) *
         from_bits<T>((bits_of(n - k + 0x1.8p23f) << 23) + 0x3f800000u);
}

// ---- Logarithms

// Numbers are 2^k m with m from sqrt(1/2) to sqrt(2): 1024 + k above the 52 bits, for normal numbers above zero.
template <Doubles T>
Unsigned<T> exponent_bits(T x) {
  return (bits_of(x) + 0x00195f619980c433ul) & 0xfff0000000000000ul;
}

template <Doubles T>
T exponent_of(T x) {  // k
  return kept(from_bits<T>((exponent_bits(x) >> 52) + 0x4330000000000000ul) - 0x1.00000000004p52);
}

template <Doubles T>
T mantissa_of(T x) {  // m
  return from_bits<T>(bits_of(x) - exponent_bits(x) + 0x4000000000000000ul);
}

// log(1 + r) for 1 + r from sqrt(1/2) to sqrt(2): 2 artanh(r / (2 + r)); error 2^-37.
template <Doubles T>
T log_near_one(T r) {
  const T s = r / (2.0 + r), q = s * s, h = q * q;
  const T p =
      fused(fused(q, 0x1.e2f676e012e95p-3, 0x1.2438d72916cbep-2), h, fused(q, 0x1.999a7a8c6c399p-2, 0x1.555554fd9be5ap-1));
  return s * fused(q, p, 2.0);
}

template <Doubles T>
T log_of(T x) {
  return fused(exponent_of(x), 0x1.62e42fefa39efp-1, log_near_one(mantissa_of(x) - 1.0));
}

template <Doubles T>
T log2_of(T x) {
  return fused(log_near_one(mantissa_of(x) - 1.0), 0x1.71547652b82fep+0, exponent_of(x));
}

// log(1 + x), x > -1, where 1 + x loses bits of x.
template <Doubles T>
T log1p_of(T x) {
  const T u = 1.0 + x, k = exponent_of(u);
  return fused(k, 0x1.62e42fefa39efp-1, log_near_one(k == 0.0 ? x : mantissa_of(u) - 1.0));
}

// ---- Angles

// sin(r) for |r| <= pi/2; error 2^-35.
template <Doubles T>
T sine_near_zero(T r) {
  const T q = r * r, h = q * q;
  const T p = fused(
      fused(fused(q, -0x1.9a68592267980p-26, 0x1.71707e493cf00p-19), h, fused(q, -0x1.a017d993ee4adp-13, 0x1.11110c49e37c1p-7)),
      q, -0x1.5555554769147p-3);
  return fused(r * q, p, r);
}

// sin(r) for |r| <= 1.6 in float; error 2^-27, and the roundings.
template <Floats T>
T sine_near_zero(T r) {
  const T q = r * r;
  const T p = fused(fused(fused(q, 0x1.5d9d88p-19f, -0x1.9f6e8ap-13f), q, 0x1.110ed2p-7f), q, -0x1.55554cp-3f);
  return fused(r * q, p, r);
}

// cos(r) for |r| <= pi/4; error 2^-33.
template <Doubles T>
T cosine_near_zero(T r) {
  const T q = r * r, h = q * q;
  const T p =
      fused(fused(q, 0x1.99162f9457fc0p-16, -0x1.6c07ef8d796dfp-10), h, fused(q, 0x1.55553c73e8e91p-5, -0x1.ffffffcb75bd4p-2));
  return fused(q, p, 1.0);
}

// x with the other sign if the whole number n, below 2^51, is odd.
template <Doubles T>
T negated_if_odd(T x, T n) {
  return from_bits<T>(bits_of(x) ^ (bits_of(n + 0x1.8p52) << 63));
}

// The tangent of r + n pi/2, |r| <= pi/4.
template <Doubles T>
T tangent_of(T r, T n) {
  const T s = sine_near_zero(r), c = cosine_near_zero(r);
  const auto odd = (bits_of(n + 0x1.8p52) & 1ul) != 0ul;
  return (odd ? -c : s) / (odd ? s : c);
}

// asin(x) for 0 <= x <= 1/2; also a part of asin beyond 1/2. Error 2^-35.
template <Doubles T>
T arcsine_near_zero(T x) {
  const T q = x * x, h = q * q;
  const T low = fused(fused(q, 0x1.6ddabf2840d4cp-5, 0x1.3332aa0ac477bp-4), q, 0x1.55555605c2b44p-3);
  const T high =
      fused(fused(q, 0x1.1bd21a631931bp-5, 0x1.ec27ffadb6047p-8), h, fused(q, 0x1.931f460af8028p-6, 0x1.ed5d2758bfd01p-6));
  return fused(x * q, fused(high, h * q, low), x);
}

// The angle of the point (x, y), neither below zero; error 2^-35.
template <Doubles T>
T angle_of(T y, T x) {
  const auto steep = y > x;
  const T a = steep ? x : y, b = steep ? y : x;
  const auto far = a > 0x1.a827999fcef32p-2 * b;  // than tan(pi/8)
  const T t = (far ? a - b : a) / (far ? a + b : b), q = t * t, h = q * q;
  const T p = fused(
      fused(fused(q, 0x1.849fff9f4cab1p-5, -0x1.5b2faa306af4ep-4), h, fused(q, 0x1.c463e7059ab30p-4, -0x1.247ed96fd3fe1p-3)), h,
      fused(q, 0x1.9999189806ed7p-3, -0x1.555554c5f5fa4p-2));
  const T r = fused(t * q, p, t), s = far ? r + 0x1.921fb54442d18p-1 : r;
  return steep ? 0x1.921fb54442d18p+0 - s : s;
}

// ---- The error function

// erf(x) / x for |x| <= 1, of x^2; error 2^-34.
template <Doubles T>
T erf_near_zero(T q) {
  const T h = q * q;
  const T low =
      fused(fused(q, -0x1.b829a7a7b0a9fp-6, 0x1.ce2f0798bebd7p-4), h, fused(q, -0x1.8127465fb9b95p-2, 0x1.20dd75040080ap+0));
  const T high =
      fused(fused(q, -0x1.438414556ae41p-17, 0x1.d8269841ef109p-14), h, fused(q, -0x1.bcbe9b90dec4cp-11, 0x1.5628ee0580898p-8));
  return fused(high, h * h, low);
}

// The logarithm to base 2 of erfc(x), in float, for 0 <= x <= 3.93; the error of erf(x) that it makes is 2^-27.9.
template <Floats T>
T log2_erfc(T x) {
  const T q = x * x;
  const T a = fused(x, -0x1.d63ec4p-1f, -0x1.a0be84p+0f), b = fused(x, 0x1.c4b926p-6f, -0x1.2fabe2p-3f);
  const T c = fused(x, -0x1.3b3a60p-9f, 0x1.e54486p-13f), d = fused(x, -0x1.63ec40p-13f, 0x1.deaa42p-11f);
  return x * fused(fused(fused(fused(q, 0x1.c01210p-17f, d), q, c), q, b), q, a);
}

// erfc(x) for 0 <= x <= 10.2. exp(x^2) erfc(x) (1 + 2x) is smooth in t; error 2^-34.
template <Doubles T>
T erfc_above_zero(T x) {
  const T a = x + 3.0, b = fused(x, 2.0, 1.0), d = 1.0 / (a * b), t = (x - 3.0) * (b * d), h = t * t;
  const T odd = fused(fused(fused(fused(fused(h, 0x1.09b71aa8c887ap-13, -0x1.9e317d9338858p-11), h, 0x1.4c13df0959a20p-9), h,
                                  0x1.17c9769a1a935p-4),
                            h, 0x1.09836c5e7d1cdp-3),
                      h, -0x1.15c084d662c18p-3);
  const T even =
      fused(fused(fused(fused(fused(fused(h, 0x1.15af2dccf8d49p-15, -0x1.09ce80ae1f840p-13), h, 0x1.f093b17f67532p-10), h,
                              -0x1.857708eaa3dadp-6),
                        h, -0x1.e88b7d6efddb2p-4),
                  h, -0x1.85a15c1abb28cp-5),
            h, 0x1.40c522d7e0ed7p+0);
  return fused(odd, t, even) * (a * d) * exp2_of(x * x * -0x1.71547652b82fep+0);
}

}  // namespace manyrt::library
