// The functions of CUDA that the prelude uses, made from the host's. For tests of the formulas around CUDA's functions, whose
// own results only a GPU tells.
#pragma once

namespace manyrt::compiler {

inline constexpr char kCudaFlags[] = "-std=c++20 -O2 -w -ffp-contract=fast -fno-math-errno";

inline constexpr char kCudaStandIn[] = R"(#include <math.h>
#include <stdio.h>
#include <string.h>
#define constexpr
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
static float rsqrtf(float a) { return 1 / sqrtf(a); }
static double rsqrt(double a) { return 1 / sqrt(a); }
static double sinpi(double a) {
  double t = a - 2 * rint(a * 0.5);
  if (fabs(t) > 0.5) t = copysign(1.0, t) - t;
  double r = sinl(t * M_PIl);
  return r == 0 ? copysign(r, a) : r;
}
static double cospi(double a) {
  double t = fabs(a - 2 * rint(a * 0.5));
  return t <= 0.25 ? cosl(t * M_PIl) : t < 0.75 ? sinl((0.5L - t) * M_PIl) : -cosl((1 - t) * M_PIl);
}
static float sinpif(float a) { return sinpi(a); }
static float cospif(float a) { return cospi(a); }
#define cbrt(a) ((double)cbrtl(a))  // libm's own is further off than CUDA's
#define __cosf cosf
#define __sinf sinf
#define __tanf tanf
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __powf powf
#define MANYRT_NO_PTX
static float mrt_half_to_float_ptx(unsigned short a) { _Float16 h; memcpy(&h, &a, 2); return h; }
static unsigned short mrt_float_to_half_ptx(float a) { _Float16 h = a; unsigned short r; memcpy(&r, &h, 2); return r; }
static float __fdividef(float a, float b) { return a / b; }
static long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned __int128)a * b >> 64; }
static int __clz(int a) { return a == 0 ? 32 : __builtin_clz(a); }
static int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(a); }
static int __popc(unsigned a) { return __builtin_popcount(a); }
static int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static void __threadfence() {}
static void __threadfence_block() {}
template <typename T> T atomicAdd(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
template <typename T> T atomicAnd(T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }
template <typename T> T atomicOr(T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
template <typename T> T atomicXor(T* p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }
template <typename T> T atomicExch(T* p, T v) { T r; __atomic_exchange(p, &v, &r, __ATOMIC_RELAXED); return r; }
template <typename T> T atomicCAS(T* p, T a, T v) {
  __atomic_compare_exchange_n(p, &a, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return a;
}
template <typename T> T atomicMin(T* p, T v) {
  T old = *p;
  while (old > v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return old;
}
template <typename T> T atomicMax(T* p, T v) {
  T old = *p;
  while (old < v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return old;
}
)";

}  // namespace manyrt::compiler
