// Conversions of half precision: to float, and from float and double in each rounding mode. The modes are e (to nearest, ties
// to even), z (towards zero), p (up) and n (down). Arithmetic of halves is in half_numbers.h. Sets and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

// The bits moved into a float's place are the value times 2^-112, subnormals included; infinity and NaN keep theirs.
inline float half_to_float(half a) {
  unsigned int u = (a.bits & 0x7fffu) << 13, s = (a.bits & 0x8000u) << 16;
  float r;
  __builtin_memcpy(&r, &u, sizeof r);
  r *= 0x1p112f;
  __builtin_memcpy(&u, &r, sizeof u);
  u |= (a.bits & 0x7c00u) == 0x7c00u ? 0x7f800000u | (a.bits & 0x3ffu) << 13 : 0u;
  u |= s;
  __builtin_memcpy(&r, &u, sizeof r);
  return r;
}

// Works on the bits of a double, which holds every float. h is the magnitude cut off at half's last bit; the last n bits of f
// are what was cut.
inline half rounded_half(double a, char mode) {
  unsigned long x;
  __builtin_memcpy(&x, &a, sizeof x);
  unsigned int s = (unsigned int)(x >> 48) & 0x8000u;
  x &= 0x7ffffffffffffffful;
  if (x > 0x7ff0000000000000ul) return {(unsigned short)(s | 0x7e00u | (x >> 42 & 0x3ffu))};
  int e = (int)(x >> 52) - 1023;
  unsigned long f = x & 0xffffffffffffful;
  if (e > 15) {
    f = e < 1024 ? 0xffffffffffffful : 0;
    e = e < 1024 ? 15 : 16;
  }
  int n = 42;
  unsigned int h = (unsigned int)(e + 15) << 10;
  if (e < -14) {
    n = e < -26 ? 54 : 28 - e;
    h = 0;
    f |= e > -1023 ? 0x10000000000000ul : 0;
  }
  h += (unsigned int)(f >> n);
  unsigned long rest = f & ((1ul << n) - 1), tie = 1ul << (n - 1);
  if (mode == 'e') h += rest > tie || (rest == tie && (h & 1));
  if (mode == 'p') h += s == 0 && rest != 0;
  if (mode == 'n') h += s != 0 && rest != 0;
  return {(unsigned short)(s | h)};
}

// To the nearest, without branches, for loops that compilers make vectors of. A normal result moves into its place and takes
// the carry of what is cut off; a subnormal one is rounded by the sum with a half, whose last place is 2^-24.
template <Float T>
half to_half(T x) {
  unsigned int u, v;
  __builtin_memcpy(&u, &x, sizeof u);
  unsigned int s = u >> 16 & 0x8000u;
  u &= 0x7fffffffu;
  float y;
  __builtin_memcpy(&y, &u, sizeof y);
  y += 0.5f;
  __builtin_memcpy(&v, &y, sizeof v);
  unsigned int normal = (u - 0x37fff001u + (u >> 13 & 1u)) >> 13;
  unsigned int h = u < 0x38800000u ? v - 0x3f000000u : normal;
  unsigned int large = u > 0x7f800000u ? 0x7e00u | (u >> 13 & 0x3ffu) : 0x7c00u;
  h = u >= 0x47800000u ? large : h;
  return {(unsigned short)(s | h)};
}

template <Double T>
half to_half(T x) {
  return rounded_half(x, 'e');
}

template <Floating T>
half to_half_rtz(T x) {
  return rounded_half(x, 'z');
}

template <Floating T>
half to_half_rtp(T x) {
  return rounded_half(x, 'p');
}

template <Floating T>
half to_half_rtn(T x) {
  return rounded_half(x, 'n');
}

}  // namespace manyrt::library
