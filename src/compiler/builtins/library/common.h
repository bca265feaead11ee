// Common functions and tests of floating-point numbers, for one lane. Tests give 0 or 1 here; what the lanes of a vector give
// is made of that behind the call. Sets and words: language.h.
#pragma once

#include "language.h"
#include "math.h"

namespace manyrt::library {

// ---- Common functions

template <Number T>
T clamp(T x, T low, T high) {
  T t = x < low ? low : x;
  return high < t ? high : t;
}

template <Number T>
T max(T x, T y) {
  return x < y ? y : x;
}

template <Number T>
T min(T x, T y) {
  return y < x ? y : x;
}

template <Floating T>
T degrees(T radians) {
  return radians * (T)57.295779513082320876798154814105;
}

template <Floating T>
T radians(T degrees) {
  return degrees * (T)0.017453292519943295769236907684886;
}

template <Floating T>
T mix(T x, T y, T a) {
  return fused(y - x, a, x);
}

template <Floating T>
T sign(T x) {
  return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? x : (T)0;
}

template <Floating T>
T smoothstep(T edge0, T edge1, T x) {
  T t = (x - edge0) / (edge1 - edge0);
  t = t < 0 ? 0 : t;
  t = 1 < t ? 1 : t;
  return t * t * (3 - 2 * t);
}

template <Floating T>
T step(T edge, T x) {
  return x < edge ? 0 : 1;
}

// ---- Relational functions

template <Floating T>
int isequal(T x, T y) {
  return x == y;
}

template <Floating T>
int isnotequal(T x, T y) {
  return x != y;
}

template <Floating T>
int isgreater(T x, T y) {
  return x > y;
}

template <Floating T>
int isgreaterequal(T x, T y) {
  return x >= y;
}

template <Floating T>
int isless(T x, T y) {
  return x < y;
}

template <Floating T>
int islessequal(T x, T y) {
  return x <= y;
}

template <Floating T>
int islessgreater(T x, T y) {
  return (x < y) | (x > y);
}

template <Floating T>
int isfinite(T x) {
  return fabs(x) <= largest<T>;
}

template <Floating T>
int isinf(T x) {
  return fabs(x) > largest<T>;
}

template <Floating T>
int isnan(T x) {
  return x != x;
}

template <Floating T>
int isnormal(T x) {
  const int normal = fabs(x) >= smallest<T>, finite = fabs(x) <= largest<T>;
  return normal & finite;
}

template <Floating T>
int isordered(T x, T y) {
  return (x == x) & (y == y);
}

template <Floating T>
int isunordered(T x, T y) {
  return (x != x) | (y != y);
}

template <Floating T>
int signbit(T x) {
  return (Signed<T>)bits_of(x) < 0;
}

template <Integer T>
T bitselect(T a, T b, T c) {
  return (T)((a & ~c) | (b & c));
}

template <Floating T>
T bitselect(T a, T b, T c) {
  return from_bits<T>((bits_of(a) & ~bits_of(c)) | (bits_of(b) & bits_of(c)));
}

template <Number T>
T select(T a, T b, Signed<T> c) {
  return c != 0 ? b : a;
}

// For vectors, the sign of each lane of the condition decides.
template <Number T, Integer From, int... I>
Vector<T, I...> select(Vector<T, I...> a, Vector<T, I...> b, Vector<From, I...> c) {
  return {(Signed<T>)c.s[I] < 0 ? b.s[I] : a.s[I]...};
}

}  // namespace manyrt::library
