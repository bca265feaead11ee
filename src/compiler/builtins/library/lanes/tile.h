// Tiles: each of N lanes has a row of its own, and the next N elements of these rows are transposed. That gives a vector of
// lanes for each turn of a loop. One element of each row at a time would take as many loads as there are lanes, and a cache
// line for each of them. `far` are rows `by` bytes apart, `at` are rows at index * size bytes after p, as with the functions of
// those names in lanes.h. Rows of lanes that are off are not read.
#pragma once

#include "lanes.h"

template <int N>
struct mrt_tiles {
  using lanes = mrt_lanes<N>;
  using m = typename lanes::m;
  template <class T>
  struct tile {
    MRT_V(N, MRT_E) s[N];
  };
  // The even blocks of H elements of a and b in turn, or the odd ones.
  template <int H, int ODD, class V, int... I>
  MRT_IN V exchanged(V a, V b, mrt_numbers<I...>) {
    return __builtin_shufflevector(a, b, (I % H + I / (2 * H) * (2 * H) + ODD * H + I / H % 2 * N)...);
  }
  // Elements of a and b in turn, of the lower or upper half of each E elements: an instruction, where these are 16 bytes.
  template <int E, int UPPER, class V, int... I>
  MRT_IN V zipped(V a, V b, mrt_numbers<I...>) {
    return __builtin_shufflevector(a, b, (I / E * E + UPPER * (E / 2) + I % E / 2 + I % 2 * N)...);
  }
  // Blocks of 16 bytes and more change places between pairs of vectors. Squares of E by E elements are left.
  template <int H, int E, class T>
  MRT_IN void exchange(tile<T>& x) {
    if constexpr (H >= E) {
#pragma GCC unroll 16
      for (int i = 0; i < N; ++i) {
        if ((i & H) != 0) continue;
        const auto a = x.s[i], b = x.s[i + H];
        x.s[i] = exchanged<H, 0>(a, b, mrt_count<N>{});
        x.s[i + H] = exchanged<H, 1>(a, b, mrt_count<N>{});
      }
      exchange<H / 2, E, T>(x);
    }
  }
  // They go through the steps of a perfect shuffle.
  template <int LEFT, int E, class T>
  MRT_IN tile<T> shuffled(tile<T> x) {
    if constexpr (LEFT <= 1) {
      return x;
    } else {
      tile<T> r;
#pragma GCC unroll 16
      for (int i = 0; i < N / 2; ++i) {
        const int square = i / (E / 2) * E, k = i % (E / 2);
        r.s[square + 2 * k] = zipped<E, 0>(x.s[square + k], x.s[square + k + E / 2], mrt_count<N>{});
        r.s[square + 2 * k + 1] = zipped<E, 1>(x.s[square + k], x.s[square + k + E / 2], mrt_count<N>{});
      }
      return shuffled<LEFT / 2, E, T>(r);
    }
  }
  // Rows become columns.
  template <class T>
  MRT_IN tile<T> turned(tile<T> x) {
    constexpr int kFit = 16 / (int)sizeof(T), kSquare = kFit < N ? kFit : N;
    exchange<N / 2, kSquare, T>(x);
    return shuffled<kSquare, kSquare, T>(x);
  }
  // `row` says where the row of a lane is.
  template <class T, class P>
  MRT_IN tile<T> loaded(P row) {
    tile<T> x;
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) __builtin_memcpy(&x.s[i], row(i), sizeof x.s[i]);
    return turned<T>(x);
  }
  // The compiler is kept from computing the rows' places outside of the loop around: short rows would pay for that.
  MRT_IN long here(long x) {
#if defined(__GNUC__) && defined(__x86_64__)
    __asm__ volatile("" : "+r"(x));
#endif
    return x;
  }
  template <class T>
  MRT_IN tile<T> far(const T* p, long given) {
    return far_from<T>((const char*)p, here(given), mrt_count<(N + 3) / 4>{});
  }
  // Few bases and up to three steps, as for what lies a step apart in lanes.h.
  template <class T, int... B>
  MRT_IN tile<T> far_from(const char* p, long by, mrt_numbers<B...>) {
    const char* const base[] = {lanes::hidden(p + 4 * B * by)...};
    const long steps[] = {0, by, 2 * by, lanes::hidden(3 * by)};
    return loaded<T>([&](int i) __attribute__((always_inline)) { return base[i / 4] + steps[i % 4]; });
  }
  // Prefetches two lines ahead of a tile. Where items are the turns, an item's work on an element keeps a processor from seeing
  // the next tile's loads soon.
  template <class T>
  MRT_IN void prefetch(const T* p, long by) {
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) __builtin_prefetch((const char*)p + i * by + 128);
  }
  // Lanes that are off have the row of one that is on.
  template <class T>
  MRT_IN tile<T> far(const T* p, long by, m on) {
    const unsigned int b = lanes::bits(on);
    if (b == lanes::full) return far(p, by);
    if (b == 0) return {};
    const int same = __builtin_ctz(b);
    return loaded<T>([&](int i)
                         __attribute__((always_inline)) { return (const char*)p + ((b >> i & 1) != 0 ? i : same) * by; });
  }
  template <class T, class X>
  MRT_IN tile<T> at(const T* p, X index, long size) {
    return loaded<T>([&](int i) __attribute__((always_inline)) { return (const char*)p + (long)index[i] * size; });
  }
  template <class T, class X>
  MRT_IN tile<T> at(const T* p, X index, long size, m on) {
    const unsigned int b = lanes::bits(on);
    if (b == 0) return {};
    const X same = X{} + index[__builtin_ctz(b)];
    return at(p, lanes::pick(on, index, same), size);
  }
  // The other way: component k of each lane goes to element k of its row.
  template <class T>
  MRT_IN void put_far(T* p, long by, typename lanes::template w<T, N> x) {
    put_far_from<T>((char*)p, here(by), rows_of<T>(x), mrt_count<(N + 3) / 4>{});
  }
  template <class T>
  MRT_IN void put_far(T* p, long by, typename lanes::template w<T, N> x, m on) {
    const unsigned int b = lanes::bits(on);
    if (b == lanes::full) return put_far(p, by, x);
    const tile<T> rows = rows_of<T>(x);
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) {
      if ((b >> i & 1) != 0) __builtin_memcpy((char*)p + i * by, &rows.s[i], sizeof rows.s[i]);
    }
  }
  template <class T, int... B>
  MRT_IN void put_far_from(char* p, long by, tile<T> rows, mrt_numbers<B...>) {
    char* const base[] = {(char*)lanes::hidden(p + 4 * B * by)...};
    const long steps[] = {0, by, 2 * by, lanes::hidden(3 * by)};
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) __builtin_memcpy(base[i / 4] + steps[i % 4], &rows.s[i], sizeof rows.s[i]);
  }
  template <class T>
  MRT_IN tile<T> rows_of(typename lanes::template w<T, N> x) {
    tile<T> r;
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) r.s[i] = x.s[i];
    return turned<T>(r);
  }
  // As components: one for each turn.
  template <class T>
  MRT_IN typename lanes::template w<T, N> parts(tile<T> x) {
    typename lanes::template w<T, N> r;
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) r.s[i] = x.s[i];
    return r;
  }
  // Whether 32 unsigned bits of the lanes that are on do not wrap within the turns of a tile.
  template <class X>
  MRT_IN bool lasts(X index, m on) {
    return !lanes::any(on & lanes::mask(index > X{} + (0u - (unsigned int)N)));
  }
};
