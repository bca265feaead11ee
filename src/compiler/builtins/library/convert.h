// convert_ for one component, with and without saturation (sat), for each rounding mode. The modes are rte (to nearest, ties to
// even), rtz (towards zero), rtp (up) and rtn (down). Exact in all directions. T is the target, From the source. Sets and
// words: language.h.
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

// Without a direction: towards zero.
template <Integer T, Floating From>
T convert(From x) {
  return truncated<T>(x);
}

template <Integer T, Floating From>
T convert_sat(From x) {
  return saturated<T>(x);
}

// ---- Integers to integers. They have nothing to round; what does not fit wraps, or is kept to the range.

template <Integer T, Integer From>
T convert(From x) {
  return (T)x;
}

template <Integer T, HeldBy<T> From>
T convert_sat(From x) {
  return (T)x;
}

template <SignedInteger T, SignedBeyond<T> From>
T convert_sat(From x) {
  return (T)(x < smallest<T> ? smallest<T> : x > largest<T> ? largest<T> : x);
}

template <Integer T, UnsignedBeyond<T> From>
T convert_sat(From x) {
  return (T)(x > (Unsigned<T>)largest<T> ? (Unsigned<T>)largest<T> : x);
}

template <UnsignedInteger T, SignedInteger From>
T convert_sat(From x) {
  return convert_sat<T, Unsigned<From>>((Unsigned<From>)(x < 0 ? 0 : x));
}

template <Integer T, Integer From>
T convert_rte(From x) {
  return (T)x;
}

template <Integer T, Integer From>
T convert_rtz(From x) {
  return (T)x;
}

template <Integer T, Integer From>
T convert_rtp(From x) {
  return (T)x;
}

template <Integer T, Integer From>
T convert_rtn(From x) {
  return (T)x;
}

template <Integer T, Integer From>
T convert_sat_rte(From x) {
  return convert_sat<T>(x);
}

template <Integer T, Integer From>
T convert_sat_rtz(From x) {
  return convert_sat<T>(x);
}

template <Integer T, Integer From>
T convert_sat_rtp(From x) {
  return convert_sat<T>(x);
}

template <Integer T, Integer From>
T convert_sat_rtn(From x) {
  return convert_sat<T>(x);
}

// ---- To reals, to the nearest value, which is what C++ does; and in any direction where the value is exact

template <Floating T, Number From>
T convert(From x) {
  return (T)x;
}

template <Floating T, Number From>
T convert_rte(From x) {
  return (T)x;
}

template <Floating T, HeldBy<T> From>
T convert_rtz(From x) {
  return (T)x;
}

template <Floating T, HeldBy<T> From>
T convert_rtp(From x) {
  return (T)x;
}

template <Floating T, HeldBy<T> From>
T convert_rtn(From x) {
  return (T)x;
}

// ---- To reals with another rounding mode. The nearest value and the source are compared in a type that holds both. Where the
// mode wants the other neighbour, the value moves by one unit in the last place. Larger bits are farther from zero; the
// smallest subnormal is the neighbour of zero itself.

template <Floating T, Beyond<T> From>
T convert_rtz(From x) {
  T r = (T)x;
  Common<From> exact = x, nearest = r;
  Signed<T> i;
  __builtin_memcpy(&i, &r, sizeof i);
  if (exact < 0 ? nearest < exact : nearest > exact) --i;
  __builtin_memcpy(&r, &i, sizeof r);
  return r;
}

template <Floating T, Beyond<T> From>
T convert_rtp(From x) {
  T r = (T)x;
  Common<From> exact = x, nearest = r;
  Signed<T> i;
  __builtin_memcpy(&i, &r, sizeof i);
  if (nearest < exact) i = r == 0 ? 1 : r > 0 ? i + 1 : i - 1;
  __builtin_memcpy(&r, &i, sizeof r);
  return r;
}

template <Floating T, Beyond<T> From>
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
