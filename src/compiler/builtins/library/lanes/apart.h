// Library of the generated vector code: places a few elements apart. All from the first to the last is loaded, in S vectors,
// and the lanes are chosen from them; they are put by S vectors with masks.
#pragma once

#include "lanes.h"
#include "types.h"

template <int N>
struct mrt_apart {
  using lanes = mrt_lanes<N>;
  using m = typename lanes::m;
  using bits_t = typename lanes::bits_t;
  template <class T>
  using v = typename lanes::template v<T>;
  // The last vector ends with the last lane, so that nothing is read which may not be there.
  template <int S>
  static constexpr int piece_start(int k) {
    return k < S - 1 ? k * N : (S - 1) * (N - 1);
  }
  template <int S>
  static constexpr int piece_of(int lane) {
    return lane * S / N < S - 1 ? lane * S / N : S - 1;
  }
  // Which element of those chosen so far, and of piece K after them, a lane has; -1: it comes with a later piece.
  template <int S, int K>
  static constexpr int chosen(int lane) {
    if (piece_of<S>(lane) < K) return K == 1 ? lane * S : lane;
    return piece_of<S>(lane) == K ? N + lane * S - piece_start<S>(K) : -1;
  }
  template <int S, int K, class T, int... I>
  MRT_IN v<T> with_pieces(const T* p, v<T> before, mrt_numbers<I...> each) {
    if constexpr (K == S) {
      return before;
    } else {
      const v<T> piece = lanes::near(p + piece_start<S>(K));
      return with_pieces<S, K + 1, T>(p, __builtin_shufflevector(before, piece, chosen<S, K>(I)...), each);
    }
  }
  // Whether that is quicker than lane by lane.
  template <int S, class T>
  static constexpr bool in_pieces = !MRT_WATCHED && S <= 8 && 2 * S <= N && (sizeof(T) >= 4 || MRT_BYTES > 16);
  template <int S, class T>
  MRT_IN v<T> load(const T* p) {
    if constexpr (!in_pieces<S, T>) {
      return lanes::far(p, S * (long)sizeof(T));
    } else if constexpr (sizeof(v<T>) > MRT_BYTES && N > 4) {
      using half = mrt_apart<N / 2>;
      return mrt_joined(half::template load<S>(p), half::template load<S>(p + S * (N / 2)), mrt_count<N>{});
    } else {
      return with_pieces<S, 1, T>(p, lanes::near(p), mrt_count<N>{});
    }
  }
  template <int S, class T>
  MRT_IN v<T> load(const T* p, m on) {
    return lanes::bits(on) == lanes::full ? load<S>(p) : lanes::far(p, S * (long)sizeof(T), on);
  }
  template <int S, int K, class T, class V, int... I>
  MRT_IN void put_pieces(T* p, V x, mrt_numbers<I...> each) {
#if MRT_MASKED
    if constexpr (K < S) {
      constexpr bits_t on = (((K * N + I) % S == 0 ? 1u << I : 0u) | ...);
      mrt_put_masked<N>(p + K * N, __builtin_shufflevector(x, x, ((K * N + I) % S == 0 ? (K * N + I) / S : -1)...), on);
      put_pieces<S, K + 1>(p, x, each);
    }
#endif
  }
  template <int S, class T, class V>
  MRT_IN void put(T* p, V x) {
    if constexpr (MRT_MASKED && lanes::template masked<T>() && sizeof(T) >= 4 && S <= 4)
      put_pieces<S, 0>(p, x, mrt_count<N>{});
    else
      lanes::put_far(p, S * (long)sizeof(T), x, lanes::every());
  }
  template <int S, class T, class V>
  MRT_IN void put(T* p, V x, m on) {
    if (lanes::bits(on) == lanes::full) return put<S>(p, x);
    lanes::put_far(p, S * (long)sizeof(T), x, on);
  }
};
