// Operators of vectors, and those of scalars that C++ leaves undefined. Signed integers are computed as unsigned ones, so that
// what overflows wraps. Division never traps, and a shift takes its amount modulo the width. Comparisons of vectors give -1 or
// 0 in each component. The prelude writes a call of one of these where C++ has no such operator. Sets and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

// ---- Arithmetic

template <Integer T, int... I>
Vector<T, I...> add(Vector<T, I...> a, Vector<T, I...> b) {
  return {(T)((Promoted<T>)a.s[I] + (Promoted<T>)b.s[I])...};
}

template <Floating T, int... I>
Vector<T, I...> add(Vector<T, I...> a, Vector<T, I...> b) {
  return {a.s[I] + b.s[I]...};
}

template <Integer T, int... I>
Vector<T, I...> subtract(Vector<T, I...> a, Vector<T, I...> b) {
  return {(T)((Promoted<T>)a.s[I] - (Promoted<T>)b.s[I])...};
}

template <Floating T, int... I>
Vector<T, I...> subtract(Vector<T, I...> a, Vector<T, I...> b) {
  return {a.s[I] - b.s[I]...};
}

template <Integer T, int... I>
Vector<T, I...> multiply(Vector<T, I...> a, Vector<T, I...> b) {
  return {(T)((Promoted<T>)a.s[I] * (Promoted<T>)b.s[I])...};
}

template <Floating T, int... I>
Vector<T, I...> multiply(Vector<T, I...> a, Vector<T, I...> b) {
  return {a.s[I] * b.s[I]...};
}

// By zero: as if by one. The lowest value by -1 is itself, which is what wrapping gives.
template <WideSigned T>
T divide(T a, T b) {
  T d = b == 0 ? (T)1 : b;
  return d == -1 ? (T)(0 - (Promoted<T>)a) : (T)(a / d);
}

template <Integer T>
T divide(T a, T b) {
  T d = b == 0 ? (T)1 : b;
  return (T)(a / d);
}

template <Integer T, int... I>
Vector<T, I...> divide(Vector<T, I...> a, Vector<T, I...> b) {
  return {divide(a.s[I], b.s[I])...};
}

template <Floating T, int... I>
Vector<T, I...> divide(Vector<T, I...> a, Vector<T, I...> b) {
  return {a.s[I] / b.s[I]...};
}

// By zero: as if by one.
template <WideSigned T>
T modulo(T a, T b) {
  T d = b == 0 ? (T)1 : b;
  return d == -1 ? 0 : (T)(a % d);
}

template <Integer T>
T modulo(T a, T b) {
  T d = b == 0 ? (T)1 : b;
  return (T)(a % d);
}

template <Integer T, int... I>
Vector<T, I...> modulo(Vector<T, I...> a, Vector<T, I...> b) {
  return {modulo(a.s[I], b.s[I])...};
}

template <Integer T, int... I>
Vector<T, I...> negate(Vector<T, I...> a) {
  return {(T)(0u - (Promoted<T>)a.s[I])...};
}

template <Floating T, int... I>
Vector<T, I...> negate(Vector<T, I...> a) {
  return {-a.s[I]...};
}

// a * b + c and its like.
template <Floating T, int... I>
Vector<T, I...> multiply_add(Vector<T, I...> a, Vector<T, I...> b, Vector<T, I...> c) {
  return {fused(a.s[I], b.s[I], c.s[I])...};
}

template <Floating T, int... I>
Vector<T, I...> multiply_subtract(Vector<T, I...> a, Vector<T, I...> b, Vector<T, I...> c) {
  return {fused(a.s[I], b.s[I], -c.s[I])...};
}

template <Floating T, int... I>
Vector<T, I...> subtract_product(Vector<T, I...> a, Vector<T, I...> b, Vector<T, I...> c) {
  return {fused(-a.s[I], b.s[I], c.s[I])...};
}

// ---- Steps: ++ and --

template <Integer T, int... I>
Vector<T, I...> step_by(Vector<T, I...> a, int n) {
  return {(T)((Promoted<T>)a.s[I] + (Promoted<T>)n)...};
}

template <Floating T, int... I>
Vector<T, I...> step_by(Vector<T, I...> a, int n) {
  return {a.s[I] + n...};
}

template <Element T, int... I>
Vector<T, I...> pre_increment(Vector<T, I...>& a) {
  return a = step_by(a, 1);
}

template <Element T, int... I>
Vector<T, I...> pre_decrement(Vector<T, I...>& a) {
  return a = step_by(a, -1);
}

template <Element T, int... I>
Vector<T, I...> post_increment(Vector<T, I...>& a) {
  Vector<T, I...> old = a;
  a = step_by(a, 1);
  return old;
}

template <Element T, int... I>
Vector<T, I...> post_decrement(Vector<T, I...>& a) {
  Vector<T, I...> old = a;
  a = step_by(a, -1);
  return old;
}

// ---- Bits. From is the type of a shift's amount: a vector, or one scalar for all components.

template <Integer T, int... I>
Vector<T, I...> bit_and(Vector<T, I...> a, Vector<T, I...> b) {
  return {(T)(a.s[I] & b.s[I])...};
}

template <Integer T, int... I>
Vector<T, I...> bit_or(Vector<T, I...> a, Vector<T, I...> b) {
  return {(T)(a.s[I] | b.s[I])...};
}

template <Integer T, int... I>
Vector<T, I...> bit_xor(Vector<T, I...> a, Vector<T, I...> b) {
  return {(T)(a.s[I] ^ b.s[I])...};
}

template <Integer T, int... I>
Vector<T, I...> bit_not(Vector<T, I...> a) {
  return {(T)~a.s[I]...};
}

template <Integer T, Integer From, int... I>
Vector<T, I...> shift_left(Vector<T, I...> a, Vector<From, I...> b) {
  return {(T)((Promoted<T>)a.s[I] << (b.s[I] & (bits<T> - 1)))...};
}

template <Integer T, Integer From, int... I>
Vector<T, I...> shift_right(Vector<T, I...> a, Vector<From, I...> b) {
  return {(T)(a.s[I] >> (b.s[I] & (bits<T> - 1)))...};
}

template <Integer T, Integer From, int... I>
Vector<T, I...> shift_all_left(Vector<T, I...> a, From b) {
  return {(T)((Promoted<T>)a.s[I] << (b & (bits<T> - 1)))...};
}

template <Integer T, Integer From, int... I>
Vector<T, I...> shift_all_right(Vector<T, I...> a, From b) {
  return {(T)(a.s[I] >> (b & (bits<T> - 1)))...};
}

// ---- Comparisons and logic

template <Number T, int... I>
Vector<Signed<T>, I...> less(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(a.s[I] < b.s[I])...};
}

template <Number T, int... I>
Vector<Signed<T>, I...> greater(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(a.s[I] > b.s[I])...};
}

template <Number T, int... I>
Vector<Signed<T>, I...> less_equal(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(a.s[I] <= b.s[I])...};
}

template <Number T, int... I>
Vector<Signed<T>, I...> greater_equal(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(a.s[I] >= b.s[I])...};
}

template <Number T, int... I>
Vector<Signed<T>, I...> equal(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(a.s[I] == b.s[I])...};
}

template <Number T, int... I>
Vector<Signed<T>, I...> not_equal(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-(a.s[I] != b.s[I])...};
}

template <Number T, int... I>
Vector<Signed<T>, I...> logical_and(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-((a.s[I] != 0) & (b.s[I] != 0))...};
}

template <Number T, int... I>
Vector<Signed<T>, I...> logical_or(Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)-((a.s[I] != 0) | (b.s[I] != 0))...};
}

template <Number T, int... I>
Vector<Signed<T>, I...> logical_not(Vector<T, I...> a) {
  return {(Signed<T>)-(a.s[I] == 0)...};
}

// c ? a : b, by the sign of each component of c.
template <Element T, Integer From, int... I>
Vector<T, I...> choose(Vector<From, I...> c, Vector<T, I...> a, Vector<T, I...> b) {
  return {(Signed<T>)c.s[I] < 0 ? a.s[I] : b.s[I]...};
}

}  // namespace manyrt::library
