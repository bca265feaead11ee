// Library of the generated vector code: products of 32 bits with all their 64 bits. gcc 12 multiplies all of 64 bits, by three
// instructions and more, where the processor has one for this.
#pragma once

#include "types.h"

// Products of the lanes 0, 2, 4, ... of two vectors with N lanes of 32 bits.
template <int N, bool Signed, class V>
MRT_IN MRT_V(N / 2, long) mrt_even_products(V a, V b) {
  using W = MRT_V(N / 2, long);
  using I = MRT_V(N, int);
#if defined(__GNUC__) && !defined(__clang__)
#ifdef __AVX512F__
  if constexpr (N == 16 && Signed) return (W)__builtin_ia32_pmuldq512_mask((I)a, (I)b, MRT_V(8, long long){}, -1);
  if constexpr (N == 16 && !Signed) return (W)__builtin_ia32_pmuludq512_mask((I)a, (I)b, MRT_V(8, long long){}, -1);
#endif
#ifdef __AVX2__
  if constexpr (N == 8 && Signed) return (W)__builtin_ia32_pmuldq256((I)a, (I)b);
  if constexpr (N == 8 && !Signed) return (W)__builtin_ia32_pmuludq256((I)a, (I)b);
#endif
#ifdef __SSE4_1__
  if constexpr (N == 4 && Signed) return (W)__builtin_ia32_pmuldq128((I)a, (I)b);
#endif
#ifdef __SSE2__
  if constexpr (N == 4 && !Signed) return (W)__builtin_ia32_pmuludq128((I)a, (I)b);
#endif
#endif
  using U = MRT_V(N / 2, unsigned long);
  if constexpr (Signed)
    return ((W)((U)a << 32) >> 32) * ((W)((U)b << 32) >> 32);
  else
    return (W)(((U)a & 0xfffffffful) * ((U)b & 0xfffffffful));
}
// The upper half of each product.
template <int N, bool Signed, class V>
MRT_IN V mrt_high_products(V a, V b) {
  if constexpr (sizeof(V) > MRT_BYTES) {
    const mrt_count<N / 2> half;
    return (V)mrt_joined(mrt_high_products<N / 2, Signed>(mrt_slice<0>(a, half), mrt_slice<0>(b, half)),
                         mrt_high_products<N / 2, Signed>(mrt_slice<N / 2>(a, half), mrt_slice<N / 2>(b, half)),
                         mrt_count<N>{});
  } else {
    using U = MRT_V(N / 2, unsigned long);
    const U even = (U)mrt_even_products<N, Signed>(a, b);
    const U odd = (U)mrt_even_products<N, Signed>((V)((U)a >> 32), (V)((U)b >> 32));
    return (V)((even >> 32) | (odd & ~0xfffffffful));
  }
}
// Lanes of 64 bits whose numbers have 32.
template <int N, bool Signed, class V>
MRT_IN V mrt_wide_products(V a, V b) {
  if constexpr (sizeof(V) > MRT_BYTES) {
    const mrt_count<N / 2> half;
    return (V)mrt_joined(mrt_wide_products<N / 2, Signed>(mrt_slice<0>(a, half), mrt_slice<0>(b, half)),
                         mrt_wide_products<N / 2, Signed>(mrt_slice<N / 2>(a, half), mrt_slice<N / 2>(b, half)),
                         mrt_count<N>{});
  } else {
    return (V)mrt_even_products<2 * N, Signed>(a, b);
  }
}
