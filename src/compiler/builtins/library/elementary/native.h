// native_ functions, and those half_ functions that may be as coarse, in float: half the work of the exact ones. They are for a
// number and for a vector of them (parts.h). -cl-fast-relaxed-math takes them for the exact ones (Prelude). Numbers too
// small for a normal float are zero to them.
#pragma once

#include "angle.h"
#include "parts.h"

namespace manyrt::library {

// The sum has n in its lowest bits, which go to the exponent; below -126 they are of no use.
template <Floats T>
T native_exp2(T x) {
  const T t = min(x, to<T>(128)), n = rint(t), f = t - n, g = f * f;
  const T odd = fused(fused(g, 0x1.5c0966p-10f, 0x1.c6b6e4p-5f), g, 0x1.62e428p-1f);
  const T even = fused(fused(g, 0x1.3d0c56p-7f, 0x1.ebf918p-3f), g, 1.0f);
  const T p = fused(odd, f, even);
  const T r = from_bits<T>(bits_of(p) + (bits_of(n + 0x1.8p23f) << 23));  // infinite for 128, where p is 1
  return x == x ? x < -126.0f ? to<T>(0) : r : __builtin_nanf("");
}

template <Floats T>
T native_exp(T x) {
  return native_exp2(x * 0x1.715476p+0f);
}

template <Floats T>
T native_exp10(T x) {
  return native_exp2(x * 0x1.a934f0p+1f);
}

template <Floats T>
T native_log2(T x) {
  const Unsigned<T> u = bits_of(x) - 0x3f3504f3u;  // less sqrt(1/2)
  const T r = from_bits<T>(bits_of(x) - (u & 0xff800000u)) - 1.0f, g = r * r, h = g * g;
  const T n = to<T>((Signed<T>)u >> 23);
  const T low = fused(fused(r, -0x1.715c4ep-2f, 0x1.ec73d6p-2f), g, fused(r, -0x1.715470p-1f, 0x1.715476p+0f));
  const T high = fused(fused(r, -0x1.a87c3ep-3f, 0x1.b9c982p-3f), g, fused(r, -0x1.e95c0ep-3f, 0x1.26d382p-2f));
  const T p = fused(fused(fused(h, 0x1.01b4dep-3f, high), h, low), r, n);
  const T y = x <= largest<T> ? p : x;
  return x >= smallest<T> ? y : x > -smallest<T> ? -__builtin_inff() : __builtin_nanf("");
}

template <Floats T>
T native_log(T x) {
  return native_log2(x) * 0x1.62e430p-1f;
}

template <Floats T>
T native_log10(T x) {
  return native_log2(x) * 0x1.344136p-2f;
}

template <Floats T>
T native_powr(T x, T y) {
  return native_exp2(y * native_log2(x));
}

// pi in three parts; products with the first are exact for numbers of half turns below 2^15.
template <Floats T>
T native_without_half_turns(T x, T n) {
  return fused(n, -0x1.68c234p-38f, fused(n, -0x1.fb5444p-11f, fused(n, -3.140625f, x)));
}

template <Floats T>
T native_sine_near_zero(T r, T n) {
  return from_bits<T>(bits_of(sine_near_zero(r)) ^ (bits_of(n + 0x1.8p23f) << 31));
}

// Where products are fused a sum rounds to n; relaxed rules would take the number away again from sums that are not.
template <Floats T>
T native_half_turns(T x) {
  return fuses ? fused(x, 0x1.45f306p-2f, 0x1.8p23f) - 0x1.8p23f : rint(x * 0x1.45f306p-2f);
}

template <Floats T>
T native_sin(T x) {
  const T n = native_half_turns(x), r = native_sine_near_zero(native_without_half_turns(x, n), n);
  return rarely_beyond(to<T>(0x1p20), far_sin<T>, x, r);
}

template <Floats T>
T native_cos(T x) {
  const T n = rint(fused(x, 0x1.45f306p-2f, -0.5f)), r = -native_sine_near_zero(native_without_half_turns(x, n + 0.5f), n);
  return rarely_beyond(to<T>(0x1p20), far_cos<T>, x, r);
}

template <Floats T>
T native_tan(T x) {
  return native_sin(x) / native_cos(x);
}

template <Floats T>
T half_exp(T x) {
  return native_exp(x);
}

template <Floats T>
T half_exp2(T x) {
  return native_exp2(x);
}

template <Floats T>
T half_exp10(T x) {
  return native_exp10(x);
}

template <Floats T>
T half_log(T x) {
  return native_log(x);
}

template <Floats T>
T half_log2(T x) {
  return native_log2(x);
}

template <Floats T>
T half_log10(T x) {
  return native_log10(x);
}

}  // namespace manyrt::library
