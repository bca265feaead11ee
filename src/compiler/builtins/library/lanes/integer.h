// Library of the generated vector code: functions and operators of integers. Compilers take the scalar forms one lane at a
// time, because of their conditions and wider sums. Each gives what library/integer.h and library/operators.h give.
#pragma once

#include "conversion.h"
#include "types.h"

template <int N, class V>
using mrt_i_unsigned = MRT_V(N, typename mrt_unsigned<sizeof(V) / N>::type);
template <int N, class V>
constexpr int mrt_i_last_bit = sizeof(V) / N * 8 - 1;

template <int N, class V>
MRT_IN auto mrt_i_abs(V x) {
  using U = mrt_i_unsigned<N, V>;
  if constexpr (mrt_has_sign<mrt_element<V>>) {
    const U sign = (U)(x >> mrt_i_last_bit<N, V>);
    return ((U)x ^ sign) - sign;
  } else {
    return x;
  }
}
template <int N, class V>
MRT_IN auto mrt_i_abs_diff(V x, V y) {
  using U = mrt_i_unsigned<N, V>;
  const U less = (U)(x < y);
  return (((U)x - (U)y) ^ less) - less;
}
template <int N, class V>
MRT_IN V mrt_i_hadd(V x, V y) {
  return (x & y) + ((x ^ y) >> 1);
}
template <int N, class V>
MRT_IN V mrt_i_rhadd(V x, V y) {
  return (x | y) - ((x ^ y) >> 1);
}
// The processor's own for bytes and shorts.
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
#define MRT_SATURATES_AS(bytes, t, e, name)                                                                       \
  if constexpr (sizeof(V) == bytes && sizeof(mrt_element<V>) == sizeof(t) && mrt_has_sign<mrt_element<V>> == e) { \
    using W = MRT_V(bytes / sizeof(t), t);                                                                        \
    return (V)__builtin_ia32_p##name((W)x, (W)y);                                                                 \
  }
#define MRT_SATURATES_IN(bytes, suffix, what)             \
  MRT_SATURATES_AS(bytes, char, true, what##sb##suffix)   \
  MRT_SATURATES_AS(bytes, short, true, what##sw##suffix)  \
  MRT_SATURATES_AS(bytes, char, false, what##usb##suffix) \
  MRT_SATURATES_AS(bytes, short, false, what##usw##suffix)
#ifdef __AVX2__
#define MRT_SATURATES(what) MRT_SATURATES_IN(16, 128, what) MRT_SATURATES_IN(32, 256, what)
#else
#define MRT_SATURATES(what) MRT_SATURATES_IN(16, 128, what)
#endif
#else
#define MRT_SATURATES(what)
#endif
// The highest number where x is not negative, else the lowest.
template <int N, class V>
MRT_IN V mrt_i_end_towards(V x) {
  using U = mrt_i_unsigned<N, V>;
  return (x >> mrt_i_last_bit<N, V>)^(V)(~U{} >> 1);
}
template <int N, class V>
MRT_IN V mrt_i_add_sat(V x, V y) {
  MRT_SATURATES(add)
  using U = mrt_i_unsigned<N, V>;
  const V sum = (V)((U)x + (U)y);
  if constexpr (mrt_has_sign<mrt_element<V>>) {
    const V beyond = ((x ^ sum) & (y ^ sum)) >> mrt_i_last_bit<N, V>;
    return (sum & ~beyond) | (mrt_i_end_towards<N>(x) & beyond);
  } else {
    return sum | (V)(sum < x);
  }
}
template <int N, class V>
MRT_IN V mrt_i_sub_sat(V x, V y) {
  MRT_SATURATES(sub)
  using U = mrt_i_unsigned<N, V>;
  const V difference = (V)((U)x - (U)y);
  if constexpr (mrt_has_sign<mrt_element<V>>) {
    const V beyond = ((x ^ y) & (x ^ difference)) >> mrt_i_last_bit<N, V>;
    return (difference & ~beyond) | (mrt_i_end_towards<N>(x) & beyond);
  } else {
    return difference & (V)(x >= y);
  }
}
// As the exponent of a float: without the bits below the first it is not rounded up.
template <int N, class V>
MRT_IN V mrt_i_clz(V x) {
  constexpr int bits = mrt_i_last_bit<N, V> + 1;
  using I = MRT_V(N, int);
  if constexpr (bits == 64) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512CD__) && MRT_BYTES == 64
    using W = MRT_V(N, long long);
    if constexpr (N == 8) return (V)__builtin_ia32_vplzcntq_512_mask((W)x, W{}, -1);
    if constexpr (N == 4) return (V)__builtin_ia32_vplzcntq_256_mask((W)x, W{}, -1);
#endif
    using U = mrt_i_unsigned<N, V>;
    const U both = (U)mrt_i_clz<2 * N>((MRT_V(2 * N, int)) x), upper = both >> 32, lower = both & 0xffffffffu;
    return (V)(upper + (lower & (U)(upper == 32)));
  } else if constexpr (bits < 32) {
    using U = mrt_i_unsigned<N, V>;
    return (V)mrt_narrowed<N, mrt_element<U>>(mrt_i_clz<N>(mrt_widened<N, int>((U)x)) - (32 - bits));
  } else {
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512CD__) && MRT_BYTES == 64
    if constexpr (N == 16) return (V)__builtin_ia32_vplzcntd_512_mask((I)x, I{}, -1);
    if constexpr (N == 8) return (V)__builtin_ia32_vplzcntd_256_mask((I)x, I{}, -1);
#endif
    using U = MRT_V(N, unsigned int);
    const I first = (I)((U)x & ~((U)x >> 1));
    const I exponent = (I)((U)mrt_converted<N, float>(first) >> 23);
    I zeros = (158 - exponent) & (exponent < 159);
    zeros = (zeros & (x != 0)) | ((x == 0) & 32);
    return (V)zeros;
  }
}

// Quotients of 32 bits by doubles, which are far enough from the next whole number to be cut at the right one. By zero: as if
// by one.
template <int N, class V>
MRT_IN V mrt_i_quotient(V a, V b) {
  if constexpr (N * 8 > MRT_BYTES && N > 2) {
    const mrt_count<N / 2> half;
    return (V)mrt_joined(mrt_i_quotient<N / 2>(mrt_slice<0>(a, half), mrt_slice<0>(b, half)),
                         mrt_i_quotient<N / 2>(mrt_slice<N / 2>(a, half), mrt_slice<N / 2>(b, half)), mrt_count<N>{});
  } else {
    using D = MRT_V(N, double);
    const D quotient = mrt_converted<N, double>(a) / mrt_converted<N, double>(b);
    if constexpr (mrt_has_sign<mrt_element<V>>) {
      return mrt_converted<N, int>(quotient);
    } else {
#if MRT_CONVERTS == 2
      if constexpr (N == 8) return (V)__builtin_ia32_cvttpd2udq512_mask(quotient, (MRT_V(8, int)){}, -1, 4);
#endif
      // In two parts of 31 bits and one, since a vector of doubles becomes one of ints alone.
      const auto upper = mrt_narrowed<N, int>(quotient >= 0x1p31);
      const D rest = quotient - (D)((MRT_V(N, long))(D{} + 0x1p31) & (quotient >= 0x1p31));
      return (V)(mrt_converted<N, int>(rest) ^ (upper & (int)0x80000000u));
    }
  }
}
template <int N, class V>
MRT_IN V mrt_i_divide(V a, V b) {
  const V d = b - (V)(b == 0);
  if constexpr (mrt_has_sign<mrt_element<V>>) {
    const V negative = (V)(d == -1);  // the lowest number has no opposite
    using U = MRT_V(N, unsigned int);
    return (mrt_i_quotient<N>(a, d - (negative & -2)) & ~negative) | ((V)(0u - (U)a) & negative);
  } else {
    return mrt_i_quotient<N>(a, d);
  }
}
template <int N, class V>
MRT_IN V mrt_i_remainder(V a, V b) {
  using U = MRT_V(N, unsigned int);
  return (V)((U)a - (U)mrt_i_divide<N>(a, b) * (U)(b - (V)(b == 0)));
}
