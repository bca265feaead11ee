// Conversions that C++ has not: of reals to integers with a direction of rounding, or kept to the target's range (sat), and to
// reals with a direction other than to the nearest (rte: to the nearest, of two the even one; rtz: towards zero; rtp: up; rtn:
// down). Exact in all directions. T is the target, From the source. Sets and words: language.h.
#pragma once

#include "language.h"
#include "math.h"

namespace manyrt::library {

// ---- Reals to integers. Small ones go through int, which has an instruction.

template <SmallInteger T, Floating From>
T truncated(From x) {
  return (T)(int)x;
}

template <Integer T, Floating From>
T truncated(From x) {
  return (T)x;
}

template <SmallInteger T, Floating From>
T saturated(From x) {
  x = x == x ? x : 0;
  x = x < (From)smallest<T> ? (From)smallest<T> : x;
  x = x > (From)largest<T> ? (From)largest<T> : x;
  return (T)(int)x;
}

// The largest value may be no number of the source's type; the one beyond it always is.
template <Integer T, Floating From>
T saturated(From x) {
  return x != x ? 0 : x >= (From)beyond<T> ? largest<T> : x <= (From)smallest<T> ? smallest<T> : (T)x;
}

template <Integer T, Floating From>
T convert_rte(From x) {
  return truncated<T>(rint<From>(x));
}

template <Integer T, Floating From>
T convert_rtz(From x) {
  return truncated<T>(x);
}

template <Integer T, Floating From>
T convert_rtp(From x) {
  return truncated<T>(ceil<From>(x));
}

template <Integer T, Floating From>
T convert_rtn(From x) {
  return truncated<T>(floor<From>(x));
}

template <Integer T, Floating From>
T convert_sat_rte(From x) {
  return saturated<T>(rint<From>(x));
}

template <Integer T, Floating From>
T convert_sat_rtz(From x) {
  return saturated<T>(x);
}

template <Integer T, Floating From>
T convert_sat_rtp(From x) {
  return saturated<T>(ceil<From>(x));
}

template <Integer T, Floating From>
T convert_sat_rtn(From x) {
  return saturated<T>(floor<From>(x));
}

// ---- To reals: the nearest value, compared with the source in a type that holds both, is moved by one unit where the
// direction wants the other neighbour. Larger bits are farther from zero; the smallest subnormal is the neighbour of zero
// itself.

template <Floating T, Number From>
T convert_rtz(From x) {
  T r = (T)x;
  Common<From> exact = x, nearest = r;
  Signed<T> i;
  __builtin_memcpy(&i, &r, sizeof i);
  if (exact < 0 ? nearest < exact : nearest > exact) --i;
  __builtin_memcpy(&r, &i, sizeof r);
  return r;
}

template <Floating T, Number From>
T convert_rtp(From x) {
  T r = (T)x;
  Common<From> exact = x, nearest = r;
  Signed<T> i;
  __builtin_memcpy(&i, &r, sizeof i);
  if (nearest < exact) i = r == 0 ? 1 : r > 0 ? i + 1 : i - 1;
  __builtin_memcpy(&r, &i, sizeof r);
  return r;
}

template <Floating T, Number From>
T convert_rtn(From x) {
  T r = (T)x;
  Common<From> exact = x, nearest = r;
  Signed<T> i;
  __builtin_memcpy(&i, &r, sizeof i);
  if (nearest > exact) i = r == 0 ? (Signed<T>)((Unsigned<T>)1 << (bits<T> - 1)) + 1 : r > 0 ? i - 1 : i + 1;
  __builtin_memcpy(&r, &i, sizeof r);
  return r;
}

}  // namespace manyrt::library
