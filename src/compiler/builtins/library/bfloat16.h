// Conversions of bfloat16, the upper half of a float, which programs keep in a ushort (cl_intel_bfloat16_conversions). To the
// nearest, ties to even; a NaN stays one and becomes quiet. Sets and words: language.h.
#pragma once

#include "language.h"
#include "math.h"

namespace manyrt::library {

template <Float T>
unsigned short intel_convert_bfloat16_as_ushort(T x) {
  Unsigned<T> u = bits_of(x);
  Unsigned<T> nearest = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
  return (unsigned short)((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : nearest);
}

template <Float T>
T intel_convert_as_bfloat16_float(unsigned short x) {
  return from_bits<T>((Unsigned<T>)x << 16);
}

}  // namespace manyrt::library
