// Products of four bytes each, packed into a word, and their sum (cl_khr_integer_dot_product). In the names the letters say how
// the bytes of either word are read, u without a sign and s with one. The forms for char4 and uchar4 are these, of their bits.
// T is the result. Sets and words: language.h.
#pragma once

#include "integer.h"
#include "language.h"

namespace manyrt::library {

template <Numbers T>
T dot_4x8packed_uu_uint(T a, T b) {
  return (a & 255u) * (b & 255u) + (a >> 8 & 255u) * (b >> 8 & 255u) + (a >> 16 & 255u) * (b >> 16 & 255u) +
         (a >> 24) * (b >> 24);
}

template <Numbers T>
T dot_4x8packed_ss_int(Unsigned<T> a, Unsigned<T> b) {
  return (to<int>(a << 24) >> 24) * (to<int>(b << 24) >> 24) + (to<int>(a << 16) >> 24) * (to<int>(b << 16) >> 24) +
         (to<int>(a << 8) >> 24) * (to<int>(b << 8) >> 24) + (to<int>(a) >> 24) * (to<int>(b) >> 24);
}

template <Numbers T>
T dot_4x8packed_us_int(Unsigned<T> a, Unsigned<T> b) {
  return to<int>(a & 255u) * (to<int>(b << 24) >> 24) + to<int>(a >> 8 & 255u) * (to<int>(b << 16) >> 24) +
         to<int>(a >> 16 & 255u) * (to<int>(b << 8) >> 24) + to<int>(a >> 24) * (to<int>(b) >> 24);
}

template <Numbers T>
T dot_4x8packed_su_int(Unsigned<T> a, Unsigned<T> b) {
  return to<int>(b & 255u) * (to<int>(a << 24) >> 24) + to<int>(b >> 8 & 255u) * (to<int>(a << 16) >> 24) +
         to<int>(b >> 16 & 255u) * (to<int>(a << 8) >> 24) + to<int>(b >> 24) * (to<int>(a) >> 24);
}

template <UnsignedInteger T>
T dot_acc_sat_4x8packed_uu_uint(T a, T b, T acc) {
  return add_sat(dot_4x8packed_uu_uint(a, b), acc);
}

template <SignedInteger T>
T dot_acc_sat_4x8packed_ss_int(Unsigned<T> a, Unsigned<T> b, T acc) {
  return add_sat(dot_4x8packed_ss_int<T>(a, b), acc);
}

template <SignedInteger T>
T dot_acc_sat_4x8packed_us_int(Unsigned<T> a, Unsigned<T> b, T acc) {
  return add_sat(dot_4x8packed_us_int<T>(a, b), acc);
}

template <SignedInteger T>
T dot_acc_sat_4x8packed_su_int(Unsigned<T> a, Unsigned<T> b, T acc) {
  return add_sat(dot_4x8packed_su_int<T>(a, b), acc);
}

}  // namespace manyrt::library
