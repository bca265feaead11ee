// Geometric functions of up to four components. Those without fast_ in their names scale their vectors by a power of two where
// squares would leave the range of the type. They use selects instead of branches, so that compilers can vectorise loops over
// them. A function with parameters Vector<T, I...> serves every number of components. Sets and words: language.h.
#pragma once

#include "language.h"
#include "math.h"

namespace manyrt::library {

// ---- What they are made of

template <Floating T>
T dot(T p0, T p1) {
  return p0 * p1;
}

template <Floating T>
T dot(Vector2<T> p0, Vector2<T> p1) {
  return fused(p0.s[1], p1.s[1], p0.s[0] * p1.s[0]);
}

template <Floating T>
T dot(Vector3<T> p0, Vector3<T> p1) {
  return fused(p0.s[2], p1.s[2], fused(p0.s[1], p1.s[1], p0.s[0] * p1.s[0]));
}

template <Floating T>
T dot(Vector4<T> p0, Vector4<T> p1) {
  return fused(p0.s[3], p1.s[3], fused(p0.s[2], p1.s[2], fused(p0.s[1], p1.s[1], p0.s[0] * p1.s[0])));
}

template <Floating T, int... I>
Vector<T, I...> scaled(Vector<T, I...> p, T k) {
  return {p.s[I] * k...};
}

template <Floating T, int... I>
Vector<T, I...> difference(Vector<T, I...> p0, Vector<T, I...> p1) {
  return {p0.s[I] - p1.s[I]...};
}

template <Floating T>
T larger(T x, T y) {
  return x < y ? y : x;
}

template <Floating T>
T magnitude(T p) {
  return fabs(p);
}

template <Floating T>
T magnitude(Vector2<T> p) {
  return larger(fabs(p.s[0]), fabs(p.s[1]));
}

template <Floating T>
T magnitude(Vector3<T> p) {
  return larger(larger(fabs(p.s[0]), fabs(p.s[1])), fabs(p.s[2]));
}

template <Floating T>
T magnitude(Vector4<T> p) {
  return larger(larger(larger(fabs(p.s[0]), fabs(p.s[1])), fabs(p.s[2])), fabs(p.s[3]));
}

// An infinite component counts as one and finite ones beside it as zero.
template <Floating T>
T unit(T x) {
  return x != x ? x : copysign<T>(fabs(x) > largest<T> ? 1 : 0, x);
}

template <Floating T, int... I>
Vector<T, I...> units(Vector<T, I...> p) {
  return {unit(p.s[I])...};
}

// ---- The range whose squares and their sums are exact enough: what brings a magnitude there, and back

template <Float T>
T scale_for(T m) {
  return m < 0x1p-40f ? 0x1p86f : m > 0x1p60f ? 0x1p-70f : 1;
}

template <Double T>
T scale_for(T m) {
  return m < 0x1p-300 ? 0x1p600 : m > 0x1p500 ? 0x1p-600 : 1;
}

template <Float T>
T unscale_for(T m) {
  return m < 0x1p-40f ? 0x1p-86f : m > 0x1p60f ? 0x1p70f : 1;
}

template <Double T>
T unscale_for(T m) {
  return m < 0x1p-300 ? 0x1p-600 : m > 0x1p500 ? 0x1p600 : 1;
}

// ---- Functions of the specification

template <Floating T>
Vector3<T> cross(Vector3<T> a, Vector3<T> b) {
  return {fused(a.s[1], b.s[2], -(a.s[2] * b.s[1])), fused(a.s[2], b.s[0], -(a.s[0] * b.s[2])),
          fused(a.s[0], b.s[1], -(a.s[1] * b.s[0]))};
}

template <Floating T>
Vector4<T> cross(Vector4<T> a, Vector4<T> b) {
  return {fused(a.s[1], b.s[2], -(a.s[2] * b.s[1])), fused(a.s[2], b.s[0], -(a.s[0] * b.s[2])),
          fused(a.s[0], b.s[1], -(a.s[1] * b.s[0])), 0};
}

template <Floating T>
T length(T p) {
  return fabs(p);
}

template <Floating T, int... I>
T length(Vector<T, I...> p) {
  T m = magnitude(p);
  Vector<T, I...> v = scaled(p, scale_for(m));
  return unscale_for(m) * sqrt(dot(v, v));
}

template <Floating T, int... I>
T distance(Vector<T, I...> p0, Vector<T, I...> p1) {
  return length(difference(p0, p1));
}

template <Floating T, int... I>
Vector<T, I...> normalize(Vector<T, I...> p) {
  T m = magnitude(p);
  Vector<T, I...> v = scaled(p, scale_for(m));
  if (m > largest<T>) v = units(p);
  T r = dot(v, v);
  if (r == 0) return p;
  return scaled(v, 1 / sqrt(r));
}

template <Float T, int... I>
T fast_length(Vector<T, I...> p) {
  return sqrt(dot(p, p));
}

template <Float T, int... I>
T fast_distance(Vector<T, I...> p0, Vector<T, I...> p1) {
  return fast_length(difference(p0, p1));
}

template <Float T, int... I>
Vector<T, I...> fast_normalize(Vector<T, I...> p) {
  T r = dot(p, p);
  return scaled(p, r == 0 ? 1 : 1 / sqrt(r));
}

}  // namespace manyrt::library
