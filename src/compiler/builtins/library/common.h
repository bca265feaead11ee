// Common functions and tests of floating-point numbers, for one lane. Tests give true or false here, and masks for the lanes of
// work-items. The results for a vector's components are made of these after the call. Sets and words: language.h.
#pragma once

#include "language.h"
#include "math.h"

namespace manyrt::library {

// ---- Common functions

template <Number T>
T max(T x, T y) {
  return x < y ? y : x;
}

template <Number T>
T min(T x, T y) {
  return y < x ? y : x;
}

template <Numbers T>
T clamp(T x, T low, T high) {
  return min(max(x, low), high);
}

template <Reals T>
T degrees(T radians) {
  return radians * to<T>(57.295779513082320876798154814105);
}

template <Reals T>
T radians(T degrees) {
  return degrees * to<T>(0.017453292519943295769236907684886);
}

template <Reals T>
T mix(T x, T y, T a) {
  return fused(y - x, a, x);
}

template <Reals T>
T sign(T x) {
  const T r = x > 0 ? to<T>(1) : x < 0 ? to<T>(-1) : x;
  return x == x ? r : to<T>(0);
}

template <Reals T>
T smoothstep(T edge0, T edge1, T x) {
  T t = (x - edge0) / (edge1 - edge0);
  t = t < 0 ? to<T>(0) : t;
  t = t > 1 ? to<T>(1) : t;
  return t * t * (3 - 2 * t);
}

template <Reals T>
T step(T edge, T x) {
  return x < edge ? to<T>(0) : to<T>(1);
}

// ---- Relational functions

template <Reals T>
auto isequal(T x, T y) {
  return x == y;
}

template <Reals T>
auto isnotequal(T x, T y) {
  return x != y;
}

template <Reals T>
auto isgreater(T x, T y) {
  return x > y;
}

template <Reals T>
auto isgreaterequal(T x, T y) {
  return x >= y;
}

template <Reals T>
auto isless(T x, T y) {
  return x < y;
}

template <Reals T>
auto islessequal(T x, T y) {
  return x <= y;
}

template <Reals T>
auto islessgreater(T x, T y) {
  return (x < y) | (x > y);
}

template <Reals T>
auto isfinite(T x) {
  return fabs(x) <= largest<T>;
}

template <Reals T>
auto isinf(T x) {
  return fabs(x) > largest<T>;
}

template <Reals T>
auto isnan(T x) {
  return x != x;
}

template <Reals T>
auto isnormal(T x) {
  const auto normal = fabs(x) >= smallest<T>, finite = fabs(x) <= largest<T>;
  return normal & finite;
}

template <Reals T>
auto isordered(T x, T y) {
  return (x == x) & (y == y);
}

template <Reals T>
auto isunordered(T x, T y) {
  return (x != x) | (y != y);
}

template <Reals T>
auto signbit(T x) {
  return (Signed<T>)bits_of(x) < 0;
}

template <Integer T>
T bitselect(T a, T b, T c) {
  return (T)((a & ~c) | (b & c));
}

template <Reals T>
T bitselect(T a, T b, T c) {
  return from_bits<T>((bits_of(a) & ~bits_of(c)) | (bits_of(b) & bits_of(c)));
}

template <Element T>
T select(T a, T b, Signed<T> c) {
  return c != 0 ? b : a;
}

// For vectors, the sign of each component of the condition decides.
template <Element T, Integer From, int... I>
Vector<T, I...> select(Vector<T, I...> a, Vector<T, I...> b, Vector<From, I...> c) {
  return {(Signed<T>)c.s[I] < 0 ? b.s[I] : a.s[I]...};
}

}  // namespace manyrt::library
