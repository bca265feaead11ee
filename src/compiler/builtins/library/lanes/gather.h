// Library of the generated vector code: lanes from anywhere in memory, and back, by one instruction. Only where that is quicker
// than the lanes in turn, which the build of a kernel says by MRT_FAST_GATHERS (cpuGathers).
#pragma once

#include "conversion.h"
#include "types.h"

#if defined(MRT_FAST_GATHERS) && MRT_MASKED
#define MRT_GATHERS 2  // AVX-512: both
#elif defined(MRT_FAST_GATHERS) && MRT_MASKED_AVX2
#define MRT_GATHERS 1  // AVX2: from memory alone
#else
#define MRT_GATHERS 0
#endif

// Whether N elements of T are taken so, and are put so.
template <int N>
constexpr bool mrt_gathers = MRT_GATHERS != 0 && (N == 4 || N == 8 || N == 16);
template <int N, class T>
constexpr bool mrt_scatters = MRT_GATHERS == 2 && mrt_gathers<N> && sizeof(T) >= 4;

#if MRT_GATHERS
// The instructions: lanes, their type, the type of their indices, gcc's names, and with AVX-512 the type of a mask's bits. With
// AVX2 a mask is a vector.
#if MRT_GATHERS == 2
#define MRT_ALL_FORMS                                     \
  MRT_FORM(16, int, int, siv16si, siv16si, short)         \
  MRT_FORM(8, int, int, 3siv8si, siv8si, char)            \
  MRT_FORM(4, int, int, 3siv4si, siv4si, char)            \
  MRT_FORM(8, long long, int, siv8di, siv8di, char)       \
  MRT_FORM(4, long long, int, 3siv4di, siv4di, char)      \
  MRT_FORM(8, int, long long, div16si, div16si, char)     \
  MRT_FORM(4, int, long long, 3div8si, div8si, char)      \
  MRT_FORM(8, long long, long long, div8di, div8di, char) \
  MRT_FORM(4, long long, long long, 3div4di, div4di, char)
#define MRT_ON(n, e, bits) (unsigned bits) on
template <int N>
MRT_IN unsigned mrt_upper(unsigned on) {
  return on >> N;
}
template <int N>
MRT_IN unsigned mrt_lower(unsigned on) {
  return on;
}
#else
#define MRT_ALL_FORMS                        \
  MRT_FORM(8, int, int, siv8si, , )          \
  MRT_FORM(4, int, int, siv4si, , )          \
  MRT_FORM(4, long long, int, siv4di, , )    \
  MRT_FORM(4, int, long long, div4si256, , ) \
  MRT_FORM(4, long long, long long, div4di, , )
#define MRT_ON(n, e, bits) (MRT_V(n, e)) mrt_widened_mask<n, e>(on)
template <int N, class E>
MRT_IN auto mrt_widened_mask(MRT_V(N, int) on) {
  if constexpr (sizeof(E) == 4)
    return on;
  else
    return mrt_widened<N, long>(on);
}
template <int N>
MRT_IN auto mrt_upper(MRT_V(2 * N, int) on) {
  return mrt_slice<N>(on, mrt_count<N>{});
}
template <int N>
MRT_IN auto mrt_lower(MRT_V(2 * N, int) on) {
  return mrt_slice<0>(on, mrt_count<N>{});
}
#endif
#define MRT_IS(n, e, x) N == n && sizeof(V) == n * sizeof(e) && sizeof(X) == n * sizeof(x)
// Lanes at p + index * By, which is 1, 2, 4 or 8. An index is a signed integer.
template <int N, class V, int By, class X, class M>
MRT_IN V mrt_gather(const char* p, X index, M on) {
#define MRT_FORM(n, e, x, gather, scatter, bits) \
  if constexpr (MRT_IS(n, e, x))                 \
    return (V)__builtin_ia32_gather##gather((MRT_V(n, e)){}, (const e*)p, (MRT_V(n, x))index, MRT_ON(n, e, bits), By);
  MRT_ALL_FORMS
#undef MRT_FORM
}
#if MRT_GATHERS == 2
template <int N, class V, int By, class X>
MRT_IN void mrt_scatter(char* p, X index, V given, unsigned on) {
#define MRT_FORM(n, e, x, gather, scatter, bits) \
  if constexpr (MRT_IS(n, e, x))                 \
    __builtin_ia32_scatter##scatter((void*)p, MRT_ON(n, e, bits), (MRT_V(n, x))index, (MRT_V(n, e))given, By);
  MRT_ALL_FORMS
#undef MRT_FORM
}
#endif
template <int By>
struct mrt_size {
  static constexpr int value = By;
};
// `use` gets what the instructions take for p + index * size: the place, the indices, and the size as a type.
template <int N, class X, class F>
MRT_IN auto mrt_with_index(const char* p, X index, long size, F use) {
  using E = mrt_element<X>;
  if constexpr (sizeof(E) < 4) {
    return mrt_with_index<N>(p, mrt_widened<N, int>(index), size, use);
  } else if constexpr (sizeof(E) == 4 && !mrt_has_sign<E>) {  // 2^31 less, from a place 2^31 further
    return mrt_with_index<N>(p + (size << 31), (MRT_V(N, int))(index ^ 0x80000000u), size, use);
  } else {
    if (size == 4) return use(p, index, mrt_size<4>{});
    if (size == 8) return use(p, index, mrt_size<8>{});
    if (size == 1) return use(p, index, mrt_size<1>{});
    if constexpr (sizeof(E) == 4) return use(p, mrt_widened<N, long>(index) * size, mrt_size<1>{});
    if constexpr (sizeof(E) == 8) return use(p, (MRT_V(N, long))index * size, mrt_size<1>{});
  }
}
// Vectors of several of the processor's are taken by halves.
template <int N, class V, int By, class X, class M>
MRT_IN V mrt_gathered(const char* p, X index, M on) {
  if constexpr (sizeof(V) > MRT_BYTES || sizeof(X) > MRT_BYTES) {
    using H = MRT_V(N / 2, mrt_element<V>);
    const mrt_count<N / 2> half;
    return mrt_joined(mrt_gathered<N / 2, H, By>(p, mrt_slice<0>(index, half), mrt_lower<N / 2>(on)),
                      mrt_gathered<N / 2, H, By>(p, mrt_slice<N / 2>(index, half), mrt_upper<N / 2>(on)), mrt_count<N>{});
  } else {
    return mrt_gather<N, V, By>(p, index, on);
  }
}
#if MRT_GATHERS == 2
template <int N, int By, class X, class V>
MRT_IN void mrt_scattered(char* p, X index, V given, unsigned on) {
  if constexpr (sizeof(V) > MRT_BYTES || sizeof(X) > MRT_BYTES) {
    const mrt_count<N / 2> half;
    mrt_scattered<N / 2, By>(p, mrt_slice<0>(index, half), mrt_slice<0>(given, half), on);
    mrt_scattered<N / 2, By>(p, mrt_slice<N / 2>(index, half), mrt_slice<N / 2>(given, half), mrt_upper<N / 2>(on));
  } else {
    mrt_scatter<N, V, By>(p, index, given, on);
  }
}
#endif
template <int N, class V, class X, class M>
MRT_IN V mrt_gather_at(const char* p, X index, long size, M on) {
  return mrt_with_index<N>(
      p, index, size, [&](const char* from, auto indices, auto by) __attribute__((always_inline)) {
        return mrt_gathered<N, V, decltype(by)::value>(from, indices, on);
      });
}
// Elements of one or two bytes: loads the aligned word of four bytes around each, so that nothing is read that may not be
// there. Each lies in one word, since shorts are at even addresses.
template <int N, class T, class X, class M>
MRT_IN MRT_V(N, MRT_E) mrt_gather_part_at(const char* p, X index, M on) {
  using E = mrt_element<X>;
  if constexpr (sizeof(E) < 4) {
    return mrt_gather_part_at<N, T>(p, mrt_widened<N, int>(index), on);
  } else if constexpr (sizeof(E) == 4 && !mrt_has_sign<E>) {
    return mrt_gather_part_at<N, T>(p + (sizeof(T) << 31), (MRT_V(N, int))(index ^ 0x80000000u), on);
  } else {
    constexpr int size = sizeof(T), in_word = 4 / size;
    using I = MRT_V(N, typename mrt_signed<sizeof(E)>::type);
    const I low = ((I)index & (in_word - 1)) * size + (int)((unsigned long)p & 3);
    const I word = ((I)index >> (size == 1 ? 2 : 1)) + (low >> 2);
    const char* const first = (const char*)((unsigned long)p & ~3ul);
    const auto words = mrt_gathered<N, MRT_V(N, unsigned int), 4>(first, word, on);
    return mrt_converted<N, MRT_E>(words >> mrt_converted<N, unsigned int>((low & 3) * 8));
  }
}
#if MRT_GATHERS == 2
template <int N, class X, class V>
MRT_IN void mrt_scatter_at(char* p, X index, long size, V given, unsigned on) {
  mrt_with_index<N>(
      p, index, size, [&](const char* to, auto indices, auto by) __attribute__((always_inline)) {
        mrt_scattered<N, decltype(by)::value>((char*)to, indices, given, on);
      });
}
#endif
#endif
// Named in text that is not taken.
#if MRT_GATHERS == 0
template <int N, class V, class X, class M>
V mrt_gather_at(const char* p, X index, long size, M on);
template <int N, class T, class X, class M>
MRT_V(N, MRT_E)
mrt_gather_part_at(const char* p, X index, M on);
#endif
#if MRT_GATHERS != 2
template <int N, class X, class V>
void mrt_scatter_at(char* p, X index, long size, V given, unsigned on);
#endif
