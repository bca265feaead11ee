// Library of the generated vector code: lanes of one type of number as lanes of another. gcc 12 converts a vector by one
// instruction only where a number gets twice or half as many bits; else it takes each lane out and puts it back, 50
// instructions for 16 bytes as ints. So the processor's own functions are used, and steps of twice or half where there are
// none.
#pragma once

#include "types.h"

template <class T>
struct mrt_value {
  using type = T;
};
template <class T>
struct mrt_value<T&> : mrt_value<T> {};
template <class T>
struct mrt_value<T&&> : mrt_value<T> {};
template <class T>
struct mrt_value<const T> : mrt_value<T> {};
template <class V>
using mrt_element = typename mrt_value<decltype(V{}[0])>::type;
template <class T>
constexpr bool mrt_has_sign = (T)-1 < (T)0;
template <class T>
constexpr bool mrt_is_whole = (T)0.5 == (T)0;

#if defined(__GNUC__) && !defined(__clang__) && MRT_BYTES == 64
#define MRT_CONVERTS 2  // AVX-512
#elif defined(__GNUC__) && !defined(__clang__) && MRT_BYTES == 32
#define MRT_CONVERTS 1  // AVX2
#else
#define MRT_CONVERTS 0
#endif

#if MRT_CONVERTS
// The first of 16 bytes, the rest of which is anything; and the first N of what an instruction gave.
template <int N, class V, int... I, int... J>
MRT_IN auto mrt_as_16_bytes(V x, mrt_numbers<I...>, mrt_numbers<J...>) {
  return (MRT_V(16, char))__builtin_shufflevector(x, x, I..., (J, -1)...);
}
template <int N, class V>
MRT_IN auto mrt_padded(V x) {
  constexpr int count = 16 / sizeof(mrt_element<V>);
  if constexpr (count <= N)
    return (MRT_V(16, char))x;
  else
    return mrt_as_16_bytes<N>(x, mrt_count<N>{}, mrt_count<count - N>{});
}
template <class R, class V, int... I>
MRT_IN R mrt_first_of(V x, mrt_numbers<I...>) {
  return (R)__builtin_shufflevector(x, x, I...);
}
#endif

// Whole numbers of more bits.
template <int N, class E, class F>
MRT_IN MRT_V(N, E) mrt_widened(F x) {
  using V = MRT_V(N, E);
  using S = mrt_element<F>;
  constexpr int from = sizeof(S), to = sizeof(E);
#define MRT_WIDEN(f, t, name, type, ...)                                                      \
  if constexpr (from == f && to == t) {                                                       \
    if constexpr (mrt_has_sign<S>) return (V)__builtin_ia32_pmovsx##name((type)__VA_ARGS__);  \
    if constexpr (!mrt_has_sign<S>) return (V)__builtin_ia32_pmovzx##name((type)__VA_ARGS__); \
  }
#if MRT_CONVERTS == 2
  if constexpr (N == 16) {
    MRT_WIDEN(1, 4, bd512_mask, MRT_V(16, char), x, MRT_V(16, int){}, -1)
  }
  if constexpr (N == 8) {
    MRT_WIDEN(1, 8, bq512_mask, MRT_V(16, char), mrt_padded<N>(x), MRT_V(8, long long){}, -1)
    MRT_WIDEN(2, 8, wq512_mask, MRT_V(8, short), x, MRT_V(8, long long){}, -1)
    MRT_WIDEN(4, 8, dq512_mask, MRT_V(8, int), x, MRT_V(8, long long){}, -1)
  }
#endif
#if MRT_CONVERTS
  if constexpr (N == 16) {
    MRT_WIDEN(1, 2, bw256, MRT_V(16, char), x)
  }
  if constexpr (N == 8) {
    MRT_WIDEN(1, 2, bw128, MRT_V(16, char), mrt_padded<N>(x))
    MRT_WIDEN(1, 4, bd256, MRT_V(16, char), mrt_padded<N>(x))
    MRT_WIDEN(2, 4, wd256, MRT_V(8, short), x)
  }
  if constexpr (N == 4) {
    MRT_WIDEN(1, 4, bd128, MRT_V(16, char), mrt_padded<N>(x))
    MRT_WIDEN(1, 8, bq256, MRT_V(16, char), mrt_padded<N>(x))
    MRT_WIDEN(2, 4, wd128, MRT_V(8, short), mrt_padded<N>(x))
    MRT_WIDEN(2, 8, wq256, MRT_V(8, short), mrt_padded<N>(x))
    MRT_WIDEN(4, 8, dq256, MRT_V(4, int), x)
  }
#endif
#undef MRT_WIDEN
  if constexpr (to > 2 * from) {
    using next = typename mrt_signed<2 * from>::type;
    if constexpr (mrt_has_sign<S>) return mrt_widened<N, E>(mrt_widened<N, next>(x));
    if constexpr (!mrt_has_sign<S>) return mrt_widened<N, E>(mrt_widened<N, typename mrt_unsigned<2 * from>::type>(x));
  } else {
    return __builtin_convertvector(x, V);
  }
}

// Whole numbers of fewer bits: the lower ones.
template <int N, class E, class F>
MRT_IN MRT_V(N, E) mrt_narrowed(F x) {
  using V = MRT_V(N, E);
  constexpr int from = sizeof(mrt_element<F>), to = sizeof(E);
#if MRT_CONVERTS == 2
#define MRT_NARROW(n, f, t, name, type, result) \
  if constexpr (N == n && from == f && to == t) \
    return mrt_first_of<V>(__builtin_ia32_pmov##name##_mask((type)x, result{}, -1), mrt_count<N>{});
  MRT_NARROW(16, 4, 1, db512, MRT_V(16, int), MRT_V(16, char))
  MRT_NARROW(16, 4, 2, dw512, MRT_V(16, int), MRT_V(16, short))
  MRT_NARROW(16, 2, 1, wb256, MRT_V(16, short), MRT_V(16, char))
  MRT_NARROW(8, 8, 4, qd512, MRT_V(8, long long), MRT_V(8, int))
  MRT_NARROW(8, 8, 2, qw512, MRT_V(8, long long), MRT_V(8, short))
  MRT_NARROW(8, 8, 1, qb512, MRT_V(8, long long), MRT_V(16, char))
  MRT_NARROW(8, 4, 2, dw256, MRT_V(8, int), MRT_V(8, short))
  MRT_NARROW(8, 4, 1, db256, MRT_V(8, int), MRT_V(16, char))
  MRT_NARROW(8, 2, 1, wb128, MRT_V(8, short), MRT_V(16, char))
#undef MRT_NARROW
#endif
  if constexpr (from > 2 * to)
    return mrt_narrowed<N, E>(__builtin_convertvector(x, MRT_V(N, typename mrt_signed<from / 2>::type)));
  else
    return __builtin_convertvector(x, V);
}

template <int N, class E, class F>
MRT_IN MRT_V(N, E) mrt_converted(F x) {
  using V = MRT_V(N, E);
  using S = mrt_element<F>;
  constexpr bool from_whole = mrt_is_whole<S>, to_whole = mrt_is_whole<E>;
  if constexpr (from_whole && to_whole) {
    if constexpr (sizeof(S) == sizeof(E)) return (V)x;
    if constexpr (sizeof(S) < sizeof(E)) return mrt_widened<N, E>(x);
    if constexpr (sizeof(S) > sizeof(E)) return mrt_narrowed<N, E>(x);
  } else if constexpr (from_whole && sizeof(S) < 4) {
    return mrt_converted<N, E>(mrt_widened<N, int>(x));
  } else if constexpr (to_whole && sizeof(E) < 4) {  // as a processor does it with one number
    return mrt_narrowed<N, E>(mrt_converted<N, int>(x));
  } else {
#if MRT_CONVERTS == 2
    if constexpr (N == 8 && sizeof(E) == 8 && !to_whole && sizeof(S) == 4) {
      if constexpr (!from_whole) return (V)__builtin_ia32_cvtps2pd512_mask(x, MRT_V(8, double){}, -1, 4);
      if constexpr (mrt_has_sign<S>) return (V)__builtin_ia32_cvtdq2pd512_mask((MRT_V(8, int))x, MRT_V(8, double){}, -1);
      return (V)__builtin_ia32_cvtudq2pd512_mask((MRT_V(8, int))x, MRT_V(8, double){}, -1);
    }
    if constexpr (N == 4 && sizeof(E) == 8 && !to_whole && sizeof(S) == 4 && from_whole && !mrt_has_sign<S>)
      return (V)__builtin_ia32_cvtudq2pd256_mask((MRT_V(4, int))x, MRT_V(4, double){}, -1);
#endif
    return __builtin_convertvector(x, V);
  }
}

// One number for all lanes. Vectors of several of the processor's are made of halves, as they are taken.
template <int N, class E>
MRT_IN MRT_V(N, E) mrt_all(E x) {
  if constexpr (N * sizeof(E) > MRT_BYTES) {
    const auto half = mrt_all<N / 2, E>(x);
    return mrt_joined(half, half, mrt_count<N>{});
  } else {
    return x - MRT_V(N, E){};  // not a sum, which has no -0.0
  }
}
// Comparisons, as masks of 32 bits. Vectors of several of the processor's go by halves: gcc 12 would compare element by element.
#define MRT_COMPARES(name, op)                                                                           \
  template <int N, class V>                                                                              \
  MRT_IN MRT_V(N, int) name(V a, V b) {                                                                  \
    if constexpr (sizeof(V) > MRT_BYTES) {                                                               \
      const mrt_count<N / 2> half;                                                                       \
      return mrt_joined(name<N / 2>(mrt_slice<0>(a, half), mrt_slice<0>(b, half)),                       \
                        name<N / 2>(mrt_slice<N / 2>(a, half), mrt_slice<N / 2>(b, half)), mrt_count<N>{}); \
    } else {                                                                                             \
      return mrt_converted<N, int>(a op b);                                                              \
    }                                                                                                    \
  }
MRT_COMPARES(mrt_is_same, ==)
MRT_COMPARES(mrt_is_other, !=)
MRT_COMPARES(mrt_is_below, <)
MRT_COMPARES(mrt_is_at_most, <=)
