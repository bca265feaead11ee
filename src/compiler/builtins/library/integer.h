// Integer functions, for one component. Nothing here overflows: sums and products are computed in unsigned or wider types. Sets
// and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

template <SignedInteger T>
Unsigned<T> abs(T x) {
  return (Unsigned<T>)(x < 0 ? 0u - (Promoted<T>)x : (Promoted<T>)x);
}

template <UnsignedInteger T>
Unsigned<T> abs(T x) {
  return x;
}

template <Integer T>
Unsigned<T> abs_diff(T x, T y) {
  return (Unsigned<T>)(x < y ? (Promoted<T>)y - (Promoted<T>)x : (Promoted<T>)x - (Promoted<T>)y);
}

template <NarrowSigned T>
T add_sat(T x, T y) {
  Wide<T> r = (Wide<T>)((Wide<T>)x + y);
  return (T)(r > largest<T> ? largest<T> : r < smallest<T> ? smallest<T> : r);
}

template <Long T>
T add_sat(T x, T y) {
  long r;
  return __builtin_add_overflow(x, y, &r) ? (x < 0 ? smallest<T> : largest<T>) : r;
}

template <UnsignedInteger T>
T add_sat(T x, T y) {
  T r = (T)(x + y);
  return r < x ? largest<T> : r;
}

template <NarrowSigned T>
T sub_sat(T x, T y) {
  Wide<T> r = (Wide<T>)((Wide<T>)x - y);
  return (T)(r > largest<T> ? largest<T> : r < smallest<T> ? smallest<T> : r);
}

template <Long T>
T sub_sat(T x, T y) {
  long r;
  return __builtin_sub_overflow(x, y, &r) ? (x < 0 ? smallest<T> : largest<T>) : r;
}

template <UnsignedInteger T>
T sub_sat(T x, T y) {
  return (T)(x < y ? 0 : x - y);
}

template <Long T>
T clz(T x) {
  return x == 0 ? 64 : __builtin_clzl((Unsigned<T>)x);
}

template <ULong T>
T clz(T x) {
  return x == 0 ? 64 : (unsigned long)__builtin_clzl(x);
}

template <Integer T>
T clz(T x) {
  return (T)(x == 0 ? bits<T> : __builtin_clz((Unsigned<T>)x) - (32 - bits<T>));
}

template <Integer T>
T hadd(T x, T y) {
  return (T)((x >> 1) + (y >> 1) + (x & y & 1));
}

template <Integer T>
T rhadd(T x, T y) {
  return (T)((x >> 1) + (y >> 1) + ((x | y) & 1));
}

template <Integer T>
T mad24(T x, T y, T z) {
  return (T)((Promoted<T>)x * (Promoted<T>)y + (Promoted<T>)z);
}

template <Integer T>
T mul24(T x, T y) {
  return (T)((Promoted<T>)x * (Promoted<T>)y);
}

template <Integer T>
T mul_hi(T x, T y) {
  return (T)(((Wide<T>)x * y) >> bits<T>);
}

template <Integer T>
T mad_hi(T a, T b, T c) {
  return (T)((Promoted<T>)mul_hi(a, b) + (Promoted<T>)c);
}

template <SignedInteger T>
T mad_sat(T a, T b, T c) {
  Wide<T> r = (Wide<T>)((Wide<T>)a * b + c);
  return (T)(r > largest<T> ? largest<T> : r < smallest<T> ? smallest<T> : r);
}

template <UnsignedInteger T>
T mad_sat(T a, T b, T c) {
  Wide<T> r = (Wide<T>)((Wide<T>)a * b + c);
  return (T)(r > largest<T> ? largest<T> : r);
}

template <Long T>
T popcount(T x) {
  return __builtin_popcountl((Unsigned<T>)x);
}

template <ULong T>
T popcount(T x) {
  return (unsigned long)__builtin_popcountl(x);
}

template <Integer T>
T popcount(T x) {
  return (T)__builtin_popcount((Unsigned<T>)x);
}

template <Integer T>
T rotate(T v, T i) {
  Promoted<T> x = (Unsigned<T>)v, n = (Promoted<T>)i & (bits<T> - 1);
  return (T)((Unsigned<T>)(x << n) | (Unsigned<T>)(x >> ((bits<T> - n) & (bits<T> - 1))));
}

template <Integer T>
Wide<T> upsample(T high, Unsigned<T> low) {
  return (Wide<T>)((WideUnsigned<T>)((WideUnsigned<T>)(Unsigned<T>)high << bits<T>) | low);
}

}  // namespace manyrt::library
