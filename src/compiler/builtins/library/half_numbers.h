// Halves as numbers, which cl_khr_fp16 makes them: operators, and those functions that cannot be computed in float and rounded
// at the end. All others are (Prelude::halfFunction). Sums, products, quotients and square roots of halves are rounded to float
// and then to half. The result is the correctly rounded one, because a float has more than twice the bits. Sets and words:
// language.h.
#pragma once

#include "half.h"
#include "language.h"
#include "math.h"

namespace manyrt::library {

// ---- Arithmetic

template <Half T>
T add(T a, T b) {
  return to_half<float>(half_to_float(a) + half_to_float(b));
}

template <Half T, int... I>
Vector<T, I...> add(Vector<T, I...> a, Vector<T, I...> b) {
  return {add(a.s[I], b.s[I])...};
}

template <Half T>
T subtract(T a, T b) {
  return to_half<float>(half_to_float(a) - half_to_float(b));
}

template <Half T, int... I>
Vector<T, I...> subtract(Vector<T, I...> a, Vector<T, I...> b) {
  return {subtract(a.s[I], b.s[I])...};
}

template <Half T>
T multiply(T a, T b) {
  return to_half<float>(half_to_float(a) * half_to_float(b));
}

template <Half T, int... I>
Vector<T, I...> multiply(Vector<T, I...> a, Vector<T, I...> b) {
  return {multiply(a.s[I], b.s[I])...};
}

template <Half T>
T divide(T a, T b) {
  return to_half<float>(half_to_float(a) / half_to_float(b));
}

template <Half T, int... I>
Vector<T, I...> divide(Vector<T, I...> a, Vector<T, I...> b) {
  return {divide(a.s[I], b.s[I])...};
}

template <Half T>
T negate(T a) {
  return {(unsigned short)(a.bits ^ 0x8000u)};
}

template <Half T, int... I>
Vector<T, I...> negate(Vector<T, I...> a) {
  return {negate(a.s[I])...};
}

template <Half T, int... I>
Vector<T, I...> step_by(Vector<T, I...> a, int n) {
  return {add(a.s[I], to_half<float>(n))...};
}

// ---- Comparisons and logic of vectors; those of scalars are those of floats.

template <Half T, int... I>
Vector<Signed<T>, I...> less(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(half_to_float(a.s[I]) < half_to_float(b.s[I]))...};
}

template <Half T, int... I>
Vector<Signed<T>, I...> greater(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(half_to_float(a.s[I]) > half_to_float(b.s[I]))...};
}

template <Half T, int... I>
Vector<Signed<T>, I...> less_equal(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(half_to_float(a.s[I]) <= half_to_float(b.s[I]))...};
}

template <Half T, int... I>
Vector<Signed<T>, I...> greater_equal(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(half_to_float(a.s[I]) >= half_to_float(b.s[I]))...};
}

template <Half T, int... I>
Vector<Signed<T>, I...> equal(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(half_to_float(a.s[I]) == half_to_float(b.s[I]))...};
}

template <Half T, int... I>
Vector<Signed<T>, I...> not_equal(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(half_to_float(a.s[I]) != half_to_float(b.s[I]))...};
}

template <Half T, int... I>
Vector<Signed<T>, I...> logical_and(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-((half_to_float(a.s[I]) != 0) & (half_to_float(b.s[I]) != 0))...};
}

template <Half T, int... I>
Vector<Signed<T>, I...> logical_or(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-((half_to_float(a.s[I]) != 0) | (half_to_float(b.s[I]) != 0))...};
}

template <Half T, int... I>
Vector<Signed<T>, I...> logical_not(Vector<T, I...> a) {
  return {(Signed<T>)-(half_to_float(a.s[I]) == 0)...};
}

// ---- Functions

// A product of halves is exact as a float. Where its sum with c is not, the last bit of the sum becomes odd ("round to odd").
// Rounded to half, that gives the same as the exact value.
template <Half T>
T fma(T a, T b, T c) {
  float p = half_to_float(a) * half_to_float(b), z = half_to_float(c), s = p + z, t = s - p;
  float rest = (p - (s - t)) + (z - t);
  unsigned int u = bits_of<float>(s);
  unsigned int inexact = (rest < 0) | (rest > 0), outwards = (rest > 0) == (s > 0);
  unsigned int odd = outwards ? u + 1 : u - 1;
  u = inexact & ~u & 1 ? odd : u;
  return to_half<float>(from_bits<float>(u));
}

// At most the largest number below one, which rounding would leave.
template <Half T>
T fract(T x, T* whole) {
  float w, r = fract<float>(half_to_float(x), &w);
  *whole = to_half<float>(w);
  return to_half<float>(r > 0x1.ffcp-1f ? 0x1.ffcp-1f : r);
}

template <Half T>
int isnormal(T x) {
  const int exponent = x.bits & 0x7c00;
  return (exponent != 0) & (exponent != 0x7c00);
}

template <Half T>
T nan(Unsigned<T> code) {
  return {(unsigned short)(0x7e00u | (code & 0x1ffu))};
}

template <Half T>
T nextafter(T x, T y) {
  float a = half_to_float(x), b = half_to_float(y);
  if (a != a) return x;
  if (b != b || a == b) return y;
  if (a == 0) return {(unsigned short)((y.bits & 0x8000u) | 1)};
  return {(unsigned short)((a < b) == (a > 0) ? x.bits + 1 : x.bits - 1)};
}

template <Half T>
T bitselect(T a, T b, T c) {
  return {(unsigned short)((a.bits & ~c.bits) | (b.bits & c.bits))};
}

}  // namespace manyrt::library
