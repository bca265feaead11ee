// Halves on CUDA; found before those of half.h. A GPU has instructions for the conversions, which lowering/cuda/names.h writes.
// Sets and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

inline float half_to_float(half a) { return __builtin_half_to_float(a.bits); }

template <Float T>
half to_half(T x) {
  return {__builtin_float_to_half(x)};
}

}  // namespace manyrt::library
