// The whole-vector forms of built-in functions. Each function here is for the lanes L, and does to every lane what the function
// or operator of that name does to a number. builtins/instantiate.cpp writes calls of them. gcc's own functions are used where
// the processor has an instruction; other compilers and processors take the loops, which do the same.
#pragma once

#include "lanes.h"

#define MRT_W(t) typename L::template v<t>
template <class L>
using mrt_half_of = mrt_lanes<L::n / 2>;
#define MRT_LOW(x) mrt_slice<0>(x, mrt_count<L::n / 2>{})
#define MRT_HIGH(x) mrt_slice<L::n / 2>(x, mrt_count<L::n / 2>{})
#define MRT_HALVES_1(f, a) return mrt_joined(f<mrt_half_of<L>>(MRT_LOW(a)), f<mrt_half_of<L>>(MRT_HIGH(a)), mrt_count<L::n>{});
#define MRT_HALVES_2(f, a, b) \
  return mrt_joined(f<mrt_half_of<L>>(MRT_LOW(a), MRT_LOW(b)), f<mrt_half_of<L>>(MRT_HIGH(a), MRT_HIGH(b)), mrt_count<L::n>{});
#define MRT_HALVES_3(f, a, b, c)                                           \
  return mrt_joined(f<mrt_half_of<L>>(MRT_LOW(a), MRT_LOW(b), MRT_LOW(c)), \
                    f<mrt_half_of<L>>(MRT_HIGH(a), MRT_HIGH(b), MRT_HIGH(c)), mrt_count<L::n>{});
template <class L, class T, class V>
MRT_IN MRT_W(T) mrt_w_to(V x) {
  if constexpr (__is_same(V, int) || __is_same(V, double))
    return MRT_W(T){} + (T)x;
  else
    return L::template to<T>(x);
}
template <class V, class X>
MRT_IN V mrt_w_as(X x) {
  if constexpr (__is_same(V, X))
    return x;
  else
    return V{} + x;
}
template <class L, class V, class B, class C>
MRT_IN V mrt_w_fused(V a, B b, C c) {
  return L::fused(a, mrt_w_as<V>(b), mrt_w_as<V>(c));
}
template <class L, class V>
MRT_IN V mrt_w_fma(V a, V b, V c) {
  return L::fma(a, b, c);
}
template <class L, class V>
MRT_IN V mrt_w_kept(V x) {
#if MRT_REORDERS && defined(__x86_64__)
  if constexpr (sizeof(V) <= MRT_BYTES) __asm__("" : "+x"(x));
#elif MRT_REORDERS && defined(__aarch64__)
  if constexpr (sizeof(V) <= MRT_BYTES) __asm__("" : "+w"(x));
#endif
  return x;
}
template <class L, class V>
MRT_IN V mrt_w_min(V x, V y) {
  return L::min(x, y);
}
template <class L, class V>
MRT_IN V mrt_w_max(V x, V y) {
  return L::max(x, y);
}
// AVX-512 has an instruction that rounds once too.
template <class L, class V>
MRT_IN V mrt_w_times_two_to(V x, V n) {
  MRT_IF_512(if constexpr (sizeof(V) == 64 && L::n == 16) return (V)__builtin_ia32_scalefps512_mask(x, n, V{}, -1, 4);)
#if MRT_CONVERTS == 2
  if constexpr (sizeof(V) == 32 && L::n == 8) return (V)__builtin_ia32_scalefps256_mask(x, n, V{}, -1);
  if constexpr (sizeof(V) == 16 && L::n == 4) return (V)__builtin_ia32_scalefps128_mask(x, n, V{}, -1);
#endif
  using U = MRT_W(unsigned int);
  const V k = L::max(L::min(n, V{} + 126.0f), V{} - 125.0f);
  return (V)((U)x + ((U)(k + 0x1.8p23f) << 23)) * (V)(((U)(n - k + 0x1.8p23f) << 23) + 0x3f800000u);
}
// For doubles. Without an instruction it multiplies in steps, and the last alone may be rounded. A value below 2^-1022 before
// that step is zero after it.
template <class L, class V, class K>
MRT_IN V mrt_w_ldexp(V x, K n) {
  MRT_IF_512(if constexpr (sizeof(V) == 64 && L::n == 8) {
    return (V)__builtin_ia32_scalefpd512_mask(x, L::template to<double>(n), V{}, -1, 4);
  })
  using W = MRT_W(long);
  const auto power = [](W k) __attribute__((always_inline)) { return (V)((k + 1023) << 52); };
  const W k = L::max(L::min(L::template to<long>(n), W{} + 2200), W{} - 2200);
  const W less = k < -108, all = k + (less & 108), first = L::max(L::min(all, W{} + 1000), W{} - 1000), rest = all - first;
  const W second = L::max(L::min(rest, W{} + 1000), W{} - 1000), third = rest - second;
  return x * power(first) * power(second) * power(third) * power(less & -108);
}
// Where a <= b, as bits: gcc makes a vector of the comparison first, and bits of that.
template <class L, class V>
MRT_IN auto mrt_w_at_most(V a, V b) {
  using bits_t = typename L::bits_t;
  MRT_IF_512(if constexpr (sizeof(V) == 64 && L::n == 16) return (bits_t)__builtin_ia32_cmpps512_mask(a, b, 18, -1, 4);)
  MRT_IF_512(if constexpr (sizeof(V) == 64 && L::n == 8) return (bits_t)__builtin_ia32_cmppd512_mask(a, b, 18, -1, 4);)
  return L::bits(L::mask(a <= b));
}
template <class L, class C, class E, class V>
MRT_IN V mrt_w_rarely_of_two(C c, E (*f)(E, E), V x, V y, V r) {
  const auto on = L::bits(L::mask(c));
  if (__builtin_expect(on != 0, 0)) {
    for (auto b = on; b != 0; b &= b - 1) r[__builtin_ctz(b)] = f(x[__builtin_ctz(b)], y[__builtin_ctz(b)]);
  }
  return r;
}
template <class L, class V>
using mrt_w_bits = MRT_W(typename mrt_signed<sizeof(V) / L::n>::type);
template <class L, class V>
MRT_IN mrt_w_bits<L, V> mrt_w_sign() {
  return mrt_w_bits<L, V>{} + (typename mrt_signed<sizeof(V) / L::n>::type)(1ul << (sizeof(V) / L::n * 8 - 1));
}
template <class L, class V>
MRT_IN V mrt_w_fabs(V x) {
  return (V)((mrt_w_bits<L, V>)x & ~mrt_w_sign<L, V>());
}
template <class L, class E, class V>
MRT_IN V mrt_w_rarely_beyond(V limit, E (*f)(E), V x, V r) {
  const auto on = ~mrt_w_at_most<L>(mrt_w_fabs<L>(x), limit) & L::full;
  if (__builtin_expect(on != 0, 0)) {
    for (auto b = on; b != 0; b &= b - 1) r[__builtin_ctz(b)] = f(x[__builtin_ctz(b)]);
  }
  return r;
}
template <class L, class V>
MRT_IN V mrt_w_copysign(V x, V y) {
  const auto sign = mrt_w_sign<L, V>();
  return (V)(((mrt_w_bits<L, V>)x & ~sign) | ((mrt_w_bits<L, V>)y & sign));
}
template <class L, class V>
MRT_IN V mrt_w_sqrt(V x) {
  if constexpr (sizeof(V) > MRT_BYTES) {  // gcc would take element by element
    MRT_HALVES_1(mrt_w_sqrt, x)
  }
  V r;
  for (int i = 0; i < L::n; ++i) {
    if constexpr (sizeof(V) == L::n * 4)
      r[i] = __builtin_sqrtf(x[i]);
    else
      r[i] = __builtin_sqrt(x[i]);
  }
  return r;
}
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
#define MRT_ROUND_512(how)                                                                          \
  if constexpr (sizeof(V) == 64 && L::n == 16)                                                      \
    return (V)__builtin_ia32_rndscaleps_mask((MRT_V(16, float))x, how, (MRT_V(16, float))x, -1, 4); \
  if constexpr (sizeof(V) == 64 && L::n == 8)                                                       \
    return (V)__builtin_ia32_rndscalepd_mask((MRT_V(8, double))x, how, (MRT_V(8, double))x, -1, 4);
#else
#define MRT_ROUND_512(how)
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX__)
#define MRT_ROUND_256(how)                                                                                  \
  if constexpr (sizeof(V) == 32 && L::n == 8) return (V)__builtin_ia32_roundps256((MRT_V(8, float))x, how); \
  if constexpr (sizeof(V) == 32 && L::n == 4) return (V)__builtin_ia32_roundpd256((MRT_V(4, double))x, how);
#else
#define MRT_ROUND_256(how)
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE4_1__)
#define MRT_ROUND_128(how)                                                                               \
  if constexpr (sizeof(V) == 16 && L::n == 4) return (V)__builtin_ia32_roundps((MRT_V(4, float))x, how); \
  if constexpr (sizeof(V) == 16 && L::n == 2) return (V)__builtin_ia32_roundpd((MRT_V(2, double))x, how);
#else
#define MRT_ROUND_128(how)
#endif
#define MRT_ROUND(name, how)                                      \
  template <class L, class V>                                     \
  MRT_IN V mrt_w_##name(V x) {                                    \
    if constexpr (sizeof(V) > MRT_BYTES) {                        \
      MRT_HALVES_1(mrt_w_##name, x)                               \
    }                                                             \
    MRT_ROUND_512(how) MRT_ROUND_256(how) MRT_ROUND_128(how) V r; \
    for (int i = 0; i < L::n; ++i) {                              \
      if constexpr (sizeof(V) == L::n * 4)                        \
        r[i] = __builtin_##name##f(x[i]);                         \
      else                                                        \
        r[i] = __builtin_##name(x[i]);                            \
    }                                                             \
    return r;                                                     \
  }
MRT_ROUND(rint, 4)
MRT_ROUND(floor, 9)
MRT_ROUND(ceil, 10)
MRT_ROUND(trunc, 11)
