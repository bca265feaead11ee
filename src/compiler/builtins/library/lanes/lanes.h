// Library of the generated vector code, part two: mrt_lanes<N> has all that N lanes do together. Masks are vectors of -1 and 0
// in 32 bits, and functions with a mask `on` touch the memory of its lanes alone. gcc's own functions are used where the
// processor has an instruction; other compilers and processors take the loops, which do the same.
//
// Memory: `near` are neighbours, `far` are places `by` bytes apart, `at` are places index * size bytes after p, and `put_` is
// the way back. With `_parts` the elements are vectors of C components, and each component is a vector of lanes.
#pragma once

#include "conversion.h"
#include "gather.h"
#include "masked.h"
#include "types.h"

template <int N>
struct mrt_lanes {
  template <class T>
  using v = MRT_V(N, MRT_E);
  using m = v<int>;
  using bits_t = unsigned int;
  static constexpr int n = N;
  static constexpr bits_t full = N == 32 ? ~0u : (1u << N) - 1;
  MRT_IN m every() { return m{} - 1; }
  template <class T, int... I>
  MRT_IN v<T> up(mrt_numbers<I...>) {
    return v<T>{(T)I...};
  }
  template <class T>
  MRT_IN v<T> all(T x) {
    return mrt_all<N, MRT_E>(x);
  }
  template <class T>
  MRT_IN v<T> line(T first, T step) {
    return all<T>(first) + up<T>(mrt_count<N>{}) * (MRT_E)step;
  }
  // Which of the numbers first, first + 1, ... are below a bound, at most it, or the same. Numbers of 64 bits are compared
  // without vectors of 64 bits.
  template <class T>
  MRT_IN int steps_to(T first, T bound) {
    const unsigned long steps = (unsigned long)bound - (unsigned long)first;
    return bound < first ? -1 : steps > N ? N : (int)steps;
  }
  template <class T>
  MRT_IN bool wraps(T first) {
    return (T)((unsigned long)first + (N - 1)) < first;
  }
#define MRT_LINE_COMPARES(name, op)                                                                         \
  template <class T>                                                                                        \
  MRT_IN m name(T first, T bound) {                                                                         \
    if (__builtin_expect(wraps(first), 0)) return mrt_is_##name<N>(line<T>(first, 1), all<T>(bound));       \
    return up<int>(mrt_count<N>{}) op (m{} + steps_to(first, bound));                                       \
  }
  MRT_LINE_COMPARES(below, <)
  MRT_LINE_COMPARES(at_most, <=)
  MRT_LINE_COMPARES(same, ==)
  MRT_IN m head(long count) { return up<int>(mrt_count<N>{}) < (m{} + (int)count); }
  template <class T, class F>
  MRT_IN v<T> to(F x) {
    return mrt_converted<N, MRT_E>(x);
  }
  template <class R, class F>
  MRT_IN R as(F x) {
    static_assert(sizeof(R) == sizeof(F), "");
    return (R)x;
  }
  template <class E, class C>
  MRT_IN v<E> mask_of(C x) {
    if constexpr (sizeof(C) == sizeof(v<E>))
      return (v<E>)x;
    else
      return to<E>(x);
  }
  template <class C>
  MRT_IN m mask(C x) {
    return mask_of<int>(x);
  }
  MRT_IN bits_t bits(m x) {
#if MRT_MASKED
    if constexpr (N == 16) return (unsigned short)__builtin_ia32_cvtd2mask512((MRT_V(16, int))x);
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX__)
    if constexpr (N == 8) return (bits_t)__builtin_ia32_movmskps256((MRT_V(8, float))x);
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE__)
    if constexpr (N == 4) return (bits_t)__builtin_ia32_movmskps((MRT_V(4, float))x);
#endif
    bits_t r = 0;
    for (int i = 0; i < N; ++i) r |= (x[i] != 0 ? 1u : 0u) << i;
    return r;
  }
  MRT_IN bool any(m x) { return bits(x) != 0; }
  // c is a mask, or a comparison of numbers of any size.
  template <class C, class V>
  MRT_IN V pick(C c, V a, V b) {
    using e = typename mrt_signed<sizeof(V) / N>::type;
    if constexpr (sizeof(V) > MRT_BYTES) {  // gcc would choose element by element, with branches
      const v<e> on = mask_of<e>(c);
      return (V)(((v<e>)a & on) | ((v<e>)b & ~on));
    } else if constexpr (sizeof(V) == sizeof(C)) {
      return c ? a : b;
    } else {
#if MRT_MASKED  // gcc makes a vector of such elements from the mask, and a mask from that
      if constexpr (N == 16 && sizeof(C) == 64 && sizeof(V) == 16)
        return (V)__builtin_ia32_blendmb_128_mask((MRT_V(16, char))b, (MRT_V(16, char))a, (unsigned short)bits((m)c));
      if constexpr (N == 16 && sizeof(C) == 64 && sizeof(V) == 32)
        return (V)__builtin_ia32_blendmw_256_mask((MRT_V(16, short))b, (MRT_V(16, short))a, (unsigned short)bits((m)c));
#endif
      return to<e>(c) ? a : b;
    }
  }
  // y < x ? y : x and x < y ? y : x, by the instructions that are exactly that: gcc does not take them for floats.
  template <class V>
  MRT_IN V min(V x, V y) {
#define MRT_MIN_MAX(name)                                                                                                \
  if constexpr (!mrt_is_whole<mrt_element<V>>) {                                                                         \
    MRT_IF_512(if constexpr (sizeof(V) == 64 && N == 16) return (V)__builtin_ia32_##name##ps512_mask(y, x, V{}, -1, 4);) \
    MRT_IF_512(if constexpr (sizeof(V) == 64 && N == 8) return (V)__builtin_ia32_##name##pd512_mask(y, x, V{}, -1, 4);)  \
    MRT_IF_256(if constexpr (sizeof(V) == 32 && N == 8) return (V)__builtin_ia32_##name##ps256(y, x);)                   \
    MRT_IF_256(if constexpr (sizeof(V) == 32 && N == 4) return (V)__builtin_ia32_##name##pd256(y, x);)                   \
    MRT_IF_128(if constexpr (sizeof(V) == 16 && N == 4) return (V)__builtin_ia32_##name##ps(y, x);)                      \
    MRT_IF_128(if constexpr (sizeof(V) == 16 && N == 2) return (V)__builtin_ia32_##name##pd(y, x);)                      \
  }
    MRT_MIN_MAX(min)
    return y < x ? y : x;
  }
  template <class V>
  MRT_IN V max(V x, V y) {
    MRT_MIN_MAX(max)
    return x < y ? y : x;
  }
  // Vectors of C components each, side by side: one of every two elements, again and again.
  template <class T, int C>
  struct w {
    v<T> s[C];
  };
  template <int H, class V, int... I>
  MRT_IN V half_of(V a, V b, mrt_numbers<I...>) {
    return __builtin_shufflevector(a, b, (2 * I + H)...);
  }
  template <class V, int... I>
  MRT_IN V mixed(V a, V b, int, mrt_numbers<I...>) {
    return __builtin_shufflevector(a, b, (I / 2 + (I % 2) * N)...);
  }
  template <class V, int... I>
  MRT_IN V mixed(V a, V b, long, mrt_numbers<I...>) {
    return __builtin_shufflevector(a, b, (N / 2 + I / 2 + (I % 2) * N)...);
  }
  // With AVX2 a shuffle is one instruction where each half of a vector stays by itself, or halves move as a whole.
  template <class V>
  static constexpr bool halved = MRT_BYTES == 32 && sizeof(V) == 32 && N >= 4;
  template <int H, class V, int... I>
  MRT_IN V half_with_half(V a, V b, mrt_numbers<I...>) {
    return __builtin_shufflevector(a, b, (I < N / 2 ? I + H * N / 2 : I + N / 2 + H * N / 2)...);
  }
  template <int H, class V, int... I>
  MRT_IN V half_of_each(V a, V b, mrt_numbers<I...>) {
    constexpr int q = N / 2;
    return __builtin_shufflevector(a, b, (I / q * q + (I % q < q / 2 ? 2 * (I % q) : N + 2 * (I % q) - q) + H)...);
  }
  template <int H, class V, int... I>
  MRT_IN V mixed_in_each(V a, V b, mrt_numbers<I...>) {
    constexpr int q = N / 2;
    return __builtin_shufflevector(a, b, (I / q * q + H * q / 2 + I % q / 2 + I % 2 * N)...);
  }
  template <int H, class V, int... I>
  MRT_IN V pairs_in_each(V a, V b, mrt_numbers<I...>) {
    constexpr int q = N / 2;
    return __builtin_shufflevector(a, b, (I / q * q + H * q / 2 + I % (q / 2) + (I % q < q / 2 ? 0 : N))...);
  }
  // Eight lanes with four components each: a vector has the components of a lane, and those of the lane four after it.
  template <class T, int C>
  static constexpr bool in_quads = C == 4 && N == 8 && halved<v<T>>;
  template <class T>
  MRT_IN w<T, 4> parted_quads(v<T> a, v<T> b, v<T> c, v<T> d) {
    constexpr auto each = mrt_count<N>{};
    const auto low = mixed_in_each<0>(a, b, each), high = mixed_in_each<1>(a, b, each);
    const auto low2 = mixed_in_each<0>(c, d, each), high2 = mixed_in_each<1>(c, d, each);
    return w<T, 4>{{pairs_in_each<0>(low, low2, each), pairs_in_each<1>(low, low2, each), pairs_in_each<0>(high, high2, each),
                    pairs_in_each<1>(high, high2, each)}};
  }
  // Three components: lane i has element 3 * i + K of the vectors in a row.
  template <int K, class V, int... I>
  MRT_IN V third_of(V a, V b, V c, mrt_numbers<I...>) {
    const V low = __builtin_shufflevector(a, b, (3 * I + K < 2 * N ? 3 * I + K : -1)...);
    return __builtin_shufflevector(low, c, (3 * I + K < 2 * N ? I : 3 * I + K - N)...);
  }
  // The way back: vector K of the row.
  template <int K, class V, int... I>
  MRT_IN V mixed_thirds(V x, V y, V z, mrt_numbers<I...>) {
    const V low = __builtin_shufflevector(x, y, ((K * N + I) % 3 == 2 ? -1 : (K * N + I) / 3 + (K * N + I) % 3 * N)...);
    return __builtin_shufflevector(low, z, ((K * N + I) % 3 == 2 ? (K * N + I) / 3 + N : I)...);
  }
  template <class T, int C>
  MRT_IN w<T, C> parted(w<T, C> x) {
    constexpr auto each = mrt_count<N>{};
    if constexpr (C == 1) {
      return x;
    } else if constexpr (C == 3) {
      return w<T, C>{{third_of<0>(x.s[0], x.s[1], x.s[2], each), third_of<1>(x.s[0], x.s[1], x.s[2], each),
                      third_of<2>(x.s[0], x.s[1], x.s[2], each)}};
    } else if constexpr (in_quads<T, C>) {
      return parted_quads<T>(half_with_half<0>(x.s[0], x.s[2], each), half_with_half<1>(x.s[0], x.s[2], each),
                             half_with_half<0>(x.s[1], x.s[3], each), half_with_half<1>(x.s[1], x.s[3], each));
    } else {
      w<T, C / 2> even, odd;
      for (int i = 0; i < C / 2; ++i) {
        if constexpr (halved<v<T>>) {
          const auto low = half_with_half<0>(x.s[2 * i], x.s[2 * i + 1], each);
          const auto high = half_with_half<1>(x.s[2 * i], x.s[2 * i + 1], each);
          even.s[i] = half_of_each<0>(low, high, each);
          odd.s[i] = half_of_each<1>(low, high, each);
        } else {
          even.s[i] = half_of<0>(x.s[2 * i], x.s[2 * i + 1], each);
          odd.s[i] = half_of<1>(x.s[2 * i], x.s[2 * i + 1], each);
        }
      }
      even = parted<T, C / 2>(even);
      odd = parted<T, C / 2>(odd);
      w<T, C> r;
      for (int i = 0; i < C / 2; ++i) {
        r.s[2 * i] = even.s[i];
        r.s[2 * i + 1] = odd.s[i];
      }
      return r;
    }
  }
  template <class T, int C>
  MRT_IN w<T, C> joined(w<T, C> x) {
    constexpr auto each = mrt_count<N>{};
    if constexpr (C == 1) {
      return x;
    } else if constexpr (C == 3) {
      return w<T, C>{{mixed_thirds<0>(x.s[0], x.s[1], x.s[2], each), mixed_thirds<1>(x.s[0], x.s[1], x.s[2], each),
                      mixed_thirds<2>(x.s[0], x.s[1], x.s[2], each)}};
    } else if constexpr (in_quads<T, C>) {
      const auto low = mixed_in_each<0>(x.s[0], x.s[1], each), high = mixed_in_each<1>(x.s[0], x.s[1], each);
      const auto low2 = mixed_in_each<0>(x.s[2], x.s[3], each), high2 = mixed_in_each<1>(x.s[2], x.s[3], each);
      const auto a = pairs_in_each<0>(low, low2, each), b = pairs_in_each<1>(low, low2, each);
      const auto c = pairs_in_each<0>(high, high2, each), d = pairs_in_each<1>(high, high2, each);
      return w<T, C>{{half_with_half<0>(a, b, each), half_with_half<0>(c, d, each), half_with_half<1>(a, b, each),
                      half_with_half<1>(c, d, each)}};
    } else {
      w<T, C / 2> even, odd;
      for (int i = 0; i < C / 2; ++i) {
        even.s[i] = x.s[2 * i];
        odd.s[i] = x.s[2 * i + 1];
      }
      even = joined<T, C / 2>(even);
      odd = joined<T, C / 2>(odd);
      w<T, C> r;
      for (int i = 0; i < C / 2; ++i) {
        if constexpr (halved<v<T>>) {
          const auto low = mixed_in_each<0>(even.s[i], odd.s[i], each), high = mixed_in_each<1>(even.s[i], odd.s[i], each);
          r.s[2 * i] = half_with_half<0>(low, high, each);
          r.s[2 * i + 1] = half_with_half<1>(low, high, each);
        } else {
          r.s[2 * i] = mixed(even.s[i], odd.s[i], 0, each);
          r.s[2 * i + 1] = mixed(even.s[i], odd.s[i], 0l, each);
        }
      }
      return r;
    }
  }
  // Components that fill four bytes together are read and written as one number.
  template <int C, class T, class U>
  MRT_IN w<T, C> of_words(v<U> x) {
    w<T, C> r;
    for (int i = 0; i < C; ++i) r.s[i] = (v<T>)to<typename mrt_signed<sizeof(T)>::type>(x >> (8 * (int)sizeof(T) * i));
    return r;
  }
  template <class T, int C>
  MRT_IN v<unsigned int> words_of(w<T, C> x) {
    v<unsigned int> r = {};
    using bits_of = MRT_V(N, typename mrt_unsigned<sizeof(T)>::type);
    for (int i = 0; i < C; ++i) r |= to<unsigned int>((bits_of)x.s[i]) << (8 * (int)sizeof(T) * i);
    return r;
  }
  // Vectors that are not side by side: each is one load, and they are put side by side then.
  template <class V, int... I>
  MRT_IN auto side_by_side(V a, V b, mrt_numbers<I...>) {
    return __builtin_shufflevector(a, b, I...);
  }
  template <int C, int K, class T, class P>
  MRT_IN auto glued(P at, int lane) {
    if constexpr (K == 1) {
      MRT_V(C, T) r;
      __builtin_memcpy(&r, at(lane), sizeof r);
      return r;
    } else {
      return side_by_side(glued<C, K / 2, T>(at, lane), glued<C, K / 2, T>(at, lane + K / 2), mrt_count<C * K>{});
    }
  }
  template <class T, class P>
  MRT_IN v<T> quad_at(P at, int lane) {
    return (v<T>)side_by_side(glued<4, 1, T>(at, lane), glued<4, 1, T>(at, lane + 4), mrt_count<8>{});
  }
  template <class T, class P>
  MRT_IN w<T, 4> quads_at(P at) {
    return parted_quads<T>(quad_at<T>(at, 0), quad_at<T>(at, 1), quad_at<T>(at, 2), quad_at<T>(at, 3));
  }
  // No loops: gcc would make a copy through memory of them.
  template <int C, class T, int... K>
  MRT_IN w<T, C> near_pieces(const T* p, mrt_numbers<K...>) {
    return w<T, C>{{near(p + K * N)...}};
  }
  template <class T, int C, int... K>
  MRT_IN void put_near_pieces(T* p, w<T, C> x, mrt_numbers<K...>) {
    (put_near(p + K * N, x.s[K]), ...);
  }
  template <int C, class T>
  MRT_IN w<T, C> near_parts(const T* p) {
    if constexpr (C > 1 && C * sizeof(T) == 4) return of_words<C, T, unsigned int>(near((const unsigned int*)p));
    if constexpr (in_quads<T, C>) return quads_at<T>([&](int i) __attribute__((always_inline)) { return p + i * C; });
    return parted<T, C>(near_pieces<C>(p, mrt_count<C>{}));
  }
  // Where the processor has masked instructions for such elements: each component has the mask of its vector.
  template <class T>
  static constexpr bool masked() {
    constexpr bool wide = MRT_MASKED && ((N == 16 && sizeof(T) <= 4) || (N == 8 && sizeof(T) >= 4));
    return wide || (MRT_MASKED_AVX2 && ((N == 8 && sizeof(T) == 4) || (N == 4 && sizeof(T) >= 4)));
  }
  template <int C, int K, int... I>
  MRT_IN m spread(m on, mrt_numbers<I...>) {
    return __builtin_shufflevector(on, on, ((K * N + I) / C)...);
  }
  template <int C, class T, int... K>
  MRT_IN w<T, C> near_pieces(const T* p, m on, mrt_numbers<K...>) {
    return w<T, C>{{near(p + K * N, spread<C, K>(on, mrt_count<N>{}))...}};
  }
  template <class T, int C, int... K>
  MRT_IN void put_near_pieces(T* p, w<T, C> x, m on, mrt_numbers<K...>) {
    (put_near(p + K * N, x.s[K], spread<C, K>(on, mrt_count<N>{})), ...);
  }
  template <int C, class T>
  MRT_IN w<T, C> near_parts(const T* p, m on) {
    if constexpr (C > 1 && C * sizeof(T) == 4) return of_words<C, T, unsigned int>(near((const unsigned int*)p, on));
    if (bits(on) == full) return near_parts<C>(p);
    if constexpr (masked<T>()) return parted<T, C>(near_pieces<C>(p, on, mrt_count<C>{}));
    w<T, C> r = {};
    for (bits_t b = bits(on); b != 0; b &= b - 1) {
      const int i = __builtin_ctz(b);
      for (int k = 0; k < C; ++k) r.s[k][i] = (MRT_E)p[i * C + k];
    }
    return r;
  }
  template <class T, int C>
  MRT_IN void put_near_parts(T* p, w<T, C> x) {
    if constexpr (C > 1 && C * sizeof(T) == 4) return put_near((unsigned int*)p, words_of<T, C>(x));
    put_near_pieces<T, C>(p, joined<T, C>(x), mrt_count<C>{});
  }
  template <class T, int C>
  MRT_IN void put_near_parts(T* p, w<T, C> x, m on) {
    if constexpr (C > 1 && C * sizeof(T) == 4) return put_near((unsigned int*)p, words_of<T, C>(x), on);
    if (bits(on) == full) return put_near_parts<T, C>(p, x);
    if constexpr (masked<T>()) return put_near_pieces<T, C>(p, joined<T, C>(x), on, mrt_count<C>{});
    for (bits_t b = bits(on); b != 0; b &= b - 1) {
      const int i = __builtin_ctz(b);
      for (int k = 0; k < C; ++k) p[i * C + k] = (T)x.s[k][i];
    }
  }
  template <int C, class T, class P, int... K>
  MRT_IN w<T, C> pieces_at(P at, mrt_numbers<K...>) {
    return w<T, C>{{glued<C, N / C, T>(at, K * (N / C))...}};
  }
  template <int C, class T, class P>
  MRT_IN w<T, C> parts_at(P at, bits_t on) {
    if constexpr (in_quads<T, C>) {
      if (on == full) return quads_at<T>(at);
    } else if constexpr (N % C == 0) {
      if (on == full) return parted<T, C>(pieces_at<C, T>(at, mrt_count<C>{}));
    }
    w<T, C> r = {};
    for (bits_t b = on; b != 0; b &= b - 1) {
      const int i = __builtin_ctz(b);
      const T* p = (const T*)at(i);
      for (int k = 0; k < C; ++k) r.s[k][i] = (MRT_E)p[k];
    }
    return r;
  }
  template <int C, class T>
  MRT_IN w<T, C> far_parts(const T* p, long by, m on) {
    if constexpr (C > 1 && C * sizeof(T) == 4) return of_words<C, T, unsigned int>(far((const unsigned int*)p, by, on));
    return parts_at<C, T>(
        [&](int i) __attribute__((always_inline)) { return (const char*)p + i * by; }, bits(on));
  }
  template <int C, class T, class X>
  MRT_IN w<T, C> at_parts(const T* p, X index, long size, m on) {
    if constexpr (C > 1 && C * sizeof(T) == 4) {
      return of_words<C, T, unsigned int>(at((const unsigned int*)p, index, size, on));
    }
    return parts_at<C, T>(
        [&](int i) __attribute__((always_inline)) { return (const char*)p + (long)index[i] * size; }, bits(on));
  }
  template <int F, class T, class V, int... I>
  MRT_IN void put_slice(T* p, V x, mrt_numbers<I...>) {
    const auto r = __builtin_shufflevector(x, x, (F + I)...);
    __builtin_memcpy((void*)p, &r, sizeof r);
  }
  template <class T, int C, class P, int... I>
  MRT_IN void put_all_parts(P at, w<T, C> x, mrt_numbers<I...>) {
    (put_slice<I * C % N>(at(I), x.s[I * C / N], mrt_count<C>{}), ...);
  }
  template <class T, int C, class P>
  MRT_IN void put_parts_at(P at, w<T, C> x, bits_t on) {
    if constexpr (N % C == 0) {
      x = joined<T, C>(x);
      if (on == full) return put_all_parts<T, C>(at, x, mrt_count<N>{});
      alignas(64) MRT_E all[N * C];
      for (int i = 0; i < C; ++i) __builtin_memcpy(all + i * N, &x.s[i], sizeof x.s[i]);
      for (bits_t b = on; b != 0; b &= b - 1) {
        const int i = __builtin_ctz(b);
        __builtin_memcpy(at(i), all + i * C, C * sizeof(T));
      }
    } else {
      for (bits_t b = on; b != 0; b &= b - 1) {
        const int i = __builtin_ctz(b);
        for (int k = 0; k < C; ++k) ((T*)at(i))[k] = (T)x.s[k][i];
      }
    }
  }
  template <class T, int C>
  MRT_IN void put_far_parts(T* p, long by, w<T, C> x, m on) {
    if constexpr (C > 1 && C * sizeof(T) == 4) return put_far((unsigned int*)p, by, words_of<T, C>(x), on);
    put_parts_at<T, C>(
        [&](int i) __attribute__((always_inline)) { return (char*)p + i * by; }, x, bits(on));
  }
  template <class T, int C, class X>
  MRT_IN void put_at_parts(T* p, X index, long size, w<T, C> x, m on) {
    if constexpr (C > 1 && C * sizeof(T) == 4) return put_at((unsigned int*)p, index, size, words_of<T, C>(x), on);
    put_parts_at<T, C>(
        [&](int i) __attribute__((always_inline)) { return (char*)p + (long)index[i] * size; }, x, bits(on));
  }
  // One element. Numbers of 32 bits may be bytes or shorts side by side, which the compiler would take for other memory.
  template <class T>
  MRT_IN T element(const T* p) {
    if constexpr (!__is_same(T, unsigned int)) return *p;
    T r;
    __builtin_memcpy(&r, (const void*)p, sizeof r);
    return r;
  }
  template <class T>
  MRT_IN void put_element(T* p, T x) {
    if constexpr (__is_same(T, unsigned int))
      __builtin_memcpy((void*)p, &x, sizeof x);
    else
      *p = x;
  }
  template <class T, int... I, class X>
  MRT_IN v<T> gather(const char* p, X at, long size, mrt_numbers<I...>) {
    if constexpr (MRT_BYTES > 16 && sizeof(X) == 4 * N && mrt_has_sign<mrt_element<X>>) {  // not each lane by itself
      const auto wide = to<long>(at);
      return v<T>{(MRT_E)element((const T*)(p + wide[I] * size))...};
    } else {
      return v<T>{(MRT_E)element((const T*)(p + (long)at[I] * size))...};
    }
  }
  // Addresses are one of few bases and up to three steps, which loads add by themselves. The compiler is kept from computing
  // each from the one before it: it would have more of them than registers.
  template <class T>
  MRT_IN T hidden(T x) {
#if defined(__GNUC__) && defined(__x86_64__)
    __asm__("" : "+r"(x));
#endif
    return x;
  }
  template <class T, int... B, int... I>
  MRT_IN v<T> stepped(const char* p, long by, mrt_numbers<B...>, mrt_numbers<I...>) {
    const char* const base[] = {hidden(p + 4 * B * by)...};
    const long steps[] = {0, by, 2 * by, hidden(3 * by)};
    return v<T>{(MRT_E)element((const T*)(base[I / 4] + steps[I % 4]))...};
  }
  // Where the lanes of what is at these offsets of an item are.
  template <class T, class X>
  MRT_IN v<int> own(X offset) {
    return offset * N + up<int>(mrt_count<N>{}) * (int)sizeof(T);
  }
  // Prefetches for the next N lanes. The last of them is asked for: the line of the first is often there.
  template <class T>
  MRT_IN void prefetch(const T* p) {
    __builtin_prefetch((const void*)((unsigned long)p + (2 * N - 1) * sizeof(T)));
  }
  // Prefetches for a group of items four lines ahead.
  template <class T>
  MRT_IN void prefetch_groups(const T* p) {
    __builtin_prefetch((const void*)((unsigned long)p + 256));
  }
  template <class T>
  MRT_IN v<T> near(const T* p) {
    v<T> r;
    __builtin_memcpy(&r, (const void*)p, sizeof r);
    return r;
  }
  template <class T>
  MRT_IN v<T> near(const T* p, m on) {
#if MRT_MASKED
    if constexpr (masked<T>()) return mrt_load_masked<N, v<T>>(p, bits(on));
#elif MRT_MASKED_AVX2
    if constexpr (N == 8 && sizeof(T) == 4)
      return (v<T>)__builtin_ia32_maskloadd256((const MRT_V(8, int)*)p, (MRT_V(8, int))on);
    if constexpr (N == 4 && sizeof(T) == 4) return (v<T>)__builtin_ia32_maskloadd((const MRT_V(4, int)*)p, (MRT_V(4, int))on);
    if constexpr (N == 4 && sizeof(T) == 8)
      return (v<T>)__builtin_ia32_maskloadq256((const MRT_V(4, long long)*)p, to<long long>(on));
#endif
    if (bits(on) == full) return near(p);
    v<T> r = {};
    for (bits_t b = bits(on); b != 0; b &= b - 1) {
      const int i = __builtin_ctz(b);
      r[i] = (MRT_E)element(p + i);
    }
    return r;
  }
  template <class T>
  MRT_IN v<T> far(const T* p, long by) {
    return stepped<T>((const char*)p, by, mrt_count<(N + 3) / 4>{}, mrt_count<N>{});
  }
  template <class T>
  MRT_IN v<T> far(const T* p, long by, m on) {
    if (bits(on) == full) return far(p, by);
    v<T> r = {};
    for (bits_t b = bits(on); b != 0; b &= b - 1) {
      const int i = __builtin_ctz(b);
      r[i] = (MRT_E)element((const T*)((const char*)p + i * by));
    }
    return r;
  }
  template <class T, class X>
  MRT_IN v<T> at(const T* p, X index, long size) {
    if constexpr (mrt_gathers<N>) return at(p, index, size, every());
    return gather<T>((const char*)p, index, size, mrt_count<N>{});
  }
  // A mask as mrt_gather_at takes it.
  MRT_IN auto gathered(m on) {
    if constexpr (MRT_GATHERS == 2)
      return bits(on);
    else
      return on;
  }
  template <class T, class X>
  MRT_IN v<T> at(const T* p, X index, long size, m on) {
    if constexpr (mrt_gathers<N> && sizeof(T) >= 4) return mrt_gather_at<N, v<T>>((const char*)p, index, size, gathered(on));
    if constexpr (mrt_gathers<N> && sizeof(T) < 4) {
      if (size == sizeof(T)) return mrt_gather_part_at<N, T>((const char*)p, index, gathered(on));
    }
    const bits_t b = bits(on);
    if (b == 0) return v<T>{};
    const X same = X{} + index[__builtin_ctz(b)];
    return gather<T>((const char*)p, pick(on, index, same), size, mrt_count<N>{});
  }
  // Whether 32 unsigned bits do not wrap from the first lane to the last of some vectors.
  MRT_IN bool fits(long first, long step, long vectors = 1) {
    return (unsigned long)(first + (vectors * N - 1) * step) >> 32 == 0;
  }
  // For indices that are mostly neighbours.
  template <class T, class X>
  MRT_IN bool are_neighbours(X index, long size) {
    if constexpr (sizeof(X) != sizeof(m)) {
      return false;
    } else {
      const m steps = (m)(index - index[0]) == up<int>(mrt_count<N>{});
      return size == sizeof(T) && index[N - 1] > index[0] && bits(steps) == full;
    }
  }
  template <class T, class X, class... M>
  MRT_IN v<T> likely_at(const T* p, X index, long size, M... on) {
    if (are_neighbours<T>(index, size)) return near(p + (long)index[0], on...);
    return at(p, index, size, on...);
  }
  template <class T, class V>
  MRT_IN void put_near(T* p, V x) {
    __builtin_memcpy((void*)p, &x, sizeof x);
  }
  // The lanes in turn. All of them, which is the common case, take no loop over bits.
  template <class T, class P, class V, int... I>
  MRT_IN void put_all(P at, V x, mrt_numbers<I...>) {
    (put_element<T>(at(I), (T)x[I]), ...);
  }
  template <class T, class P, class V>
  MRT_IN void put_each(P at, V x, bits_t on) {
    if (on == full) return put_all<T>(at, x, mrt_count<N>{});
    for (bits_t b = on; b != 0; b &= b - 1) {
      const int i = __builtin_ctz(b);
      put_element<T>(at(i), (T)x[i]);
    }
  }
  template <class T, class V>
  MRT_IN void put_near(T* p, V x, m on) {
#if MRT_MASKED
    if constexpr (masked<T>()) return mrt_put_masked<N>(p, x, bits(on));
#endif
    if (bits(on) == full) return put_near(p, x);
#if MRT_MASKED_AVX2
    if constexpr (N == 8 && sizeof(T) == 4)
      return __builtin_ia32_maskstored256((MRT_V(8, int)*)p, (MRT_V(8, int))on, (MRT_V(8, int))x);
    if constexpr (N == 4 && sizeof(T) == 4)
      return __builtin_ia32_maskstored((MRT_V(4, int)*)p, (MRT_V(4, int))on, (MRT_V(4, int))x);
    if constexpr (N == 4 && sizeof(T) == 8)
      return __builtin_ia32_maskstoreq256((MRT_V(4, long long)*)p, to<long long>(on), (MRT_V(4, long long))x);
#endif
    put_each<T>(
        [&](int i) __attribute__((always_inline)) { return p + i; }, x, bits(on));
  }
  template <class T, class V>
  MRT_IN void put_far(T* p, long by, V x, m on) {
    put_each<T>(
        [&](int i) __attribute__((always_inline)) { return (T*)((char*)p + i * by); }, x, bits(on));
  }
  template <class T, class X, class V>
  MRT_IN void put_at(T* p, X index, long size, V x, m on) {
    if constexpr (mrt_scatters<N, T>) return mrt_scatter_at<N>((char*)p, index, size, (v<T>)x, bits(on));
    put_each<T>(
        [&](int i) __attribute__((always_inline)) { return (T*)((char*)p + (long)index[i] * size); }, x, bits(on));
  }
  template <class T, class X, class V>
  MRT_IN void put_likely_at(T* p, X index, long size, V x, m on) {
    if (are_neighbours<T>(index, size)) return put_near(p + (long)index[0], x, on);
    put_at(p, index, size, x, on);
  }
  template <class T, class V>
  MRT_IN void put_one(T* p, V x, m on) {
    const bits_t b = bits(on);
    if (b != 0) *p = (T)x[31 - __builtin_clz(b)];
  }
  template <class T, class F, class... A>
  MRT_IN v<T> each(F f, A... a) {
    // Not into the vector itself: gcc 12 makes -1 of a comparison's 1 there.
    alignas(sizeof(v<T>)) MRT_E each[N];
    for (int i = 0; i < N; ++i) each[i] = (MRT_E)f(a[i]...);
    v<T> r;
    __builtin_memcpy(&r, each, sizeof r);
    return r;
  }
  template <class T, class F, int... I>
  MRT_IN v<T> each_of(F f, mrt_numbers<I...>) {
    return v<T>{(MRT_E)f(I)...};
  }
  template <class T, class F>
  MRT_IN v<T> each_on(m on, F f) {
    bits_t b = bits(on);
    if (b == full) return each_of<T>(f, mrt_count<N>{});
    v<T> r = {};
    for (; b != 0; b &= b - 1) {
      const int i = __builtin_ctz(b);
      r[i] = (MRT_E)f(i);
    }
    return r;
  }
  // Rounded once, also where the processor has no such instruction.
  template <class V>
  MRT_IN V fma(V a, V b, V c) {
#if defined(__FP_FAST_FMA) || defined(__FMA__)
    return fused(a, b, c);
#else
    V r;
    for (int i = 0; i < N; ++i) {
      if constexpr (sizeof(V) == N * sizeof(float))
        r[i] = __builtin_fmaf(a[i], b[i], c[i]);
      else
        r[i] = __builtin_fma(a[i], b[i], c[i]);
    }
    return r;
#endif
  }
  template <class V>
  MRT_IN V fused(V a, V b, V c) {
    if constexpr (sizeof(V) > MRT_BYTES) {  // gcc would take element by element
      const mrt_count<N / 2> half;
      using H = mrt_lanes<N / 2>;
      return mrt_joined(H::fused(mrt_slice<0>(a, half), mrt_slice<0>(b, half), mrt_slice<0>(c, half)),
                        H::fused(mrt_slice<N / 2>(a, half), mrt_slice<N / 2>(b, half), mrt_slice<N / 2>(c, half)),
                        mrt_count<N>{});
    }
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
    if constexpr (sizeof(V) == 64 && N == 16)
      return (V)__builtin_ia32_vfmaddps512_mask((MRT_V(16, float))a, (MRT_V(16, float))b, (MRT_V(16, float))c, -1, 4);
    if constexpr (sizeof(V) == 64 && N == 8)
      return (V)__builtin_ia32_vfmaddpd512_mask((MRT_V(8, double))a, (MRT_V(8, double))b, (MRT_V(8, double))c, -1, 4);
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__FMA__)
    if constexpr (sizeof(V) == 32 && N == 8)
      return (V)__builtin_ia32_vfmaddps256((MRT_V(8, float))a, (MRT_V(8, float))b, (MRT_V(8, float))c);
    if constexpr (sizeof(V) == 32 && N == 4)
      return (V)__builtin_ia32_vfmaddpd256((MRT_V(4, double))a, (MRT_V(4, double))b, (MRT_V(4, double))c);
#endif
    V r;
    if constexpr (sizeof(V) == N * sizeof(float)) {
#if defined(__FP_FAST_FMAF) || defined(__FMA__)
      for (int i = 0; i < N; ++i) r[i] = __builtin_fmaf(a[i], b[i], c[i]);
#else
      r = a * b + c;
#endif
    } else {
#if defined(__FP_FAST_FMA) || defined(__FMA__)
      for (int i = 0; i < N; ++i) r[i] = __builtin_fma(a[i], b[i], c[i]);
#else
      r = a * b + c;
#endif
    }
    return r;
  }
};
