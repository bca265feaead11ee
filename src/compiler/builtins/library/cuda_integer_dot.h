// Sums of four products of bytes on CUDA, where an instruction has them for two words of the same kind; found before those of
// integer_dot.h. lowering/cuda/names.h writes the instruction. Sets and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

template <Numbers T>
T dot_4x8packed_uu_uint(T a, T b) {
  return __builtin_dp4a_u(a, b);
}

template <Numbers T>
T dot_4x8packed_ss_int(Unsigned<T> a, Unsigned<T> b) {
  return __builtin_dp4a_s(a, b);
}

// An unsigned byte is the signed byte with its top bit flipped, plus 128. The second instruction gives -128 times the other
// word's bytes, which is subtracted.
template <Numbers T>
T dot_4x8packed_us_int(Unsigned<T> a, Unsigned<T> b) {
  return __builtin_dp4a_s(a ^ 0x80808080u, b) - __builtin_dp4a_s(b, 0x80808080u);
}

template <Numbers T>
T dot_4x8packed_su_int(Unsigned<T> a, Unsigned<T> b) {
  return __builtin_dp4a_s(b ^ 0x80808080u, a) - __builtin_dp4a_s(a, 0x80808080u);
}

}  // namespace manyrt::library
