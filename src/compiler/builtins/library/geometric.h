// Geometric functions of up to four lanes. Those without fast_ in their names scale their vectors by a power of two where
// squares would leave the range of the type; selects instead of branches keep loops over them open to the vectoriser. A
// function whose parameters say Vector<T, N> is for every N. Sets and words: language.h.
#pragma once

#include "language.h"
#include "math.h"

namespace manyrt::library {

// ---- What depends on the number of lanes

template <Floating T>
T dot(Vector<T, 1> p0, Vector<T, 1> p1) {
  return p0 * p1;
}

template <Floating T>
T dot(Vector<T, 2> p0, Vector<T, 2> p1) {
  return fused(p0.s1, p1.s1, p0.s0 * p1.s0);
}

template <Floating T>
T dot(Vector<T, 3> p0, Vector<T, 3> p1) {
  return fused(p0.s2, p1.s2, fused(p0.s1, p1.s1, p0.s0 * p1.s0));
}

template <Floating T>
T dot(Vector<T, 4> p0, Vector<T, 4> p1) {
  return fused(p0.s3, p1.s3, fused(p0.s2, p1.s2, fused(p0.s1, p1.s1, p0.s0 * p1.s0)));
}

template <Floating T>
Vector<T, 1> scaled(Vector<T, 1> p, T k) {
  return p * k;
}

template <Floating T>
Vector<T, 2> scaled(Vector<T, 2> p, T k) {
  return {p.s0 * k, p.s1 * k};
}

template <Floating T>
Vector<T, 3> scaled(Vector<T, 3> p, T k) {
  return {p.s0 * k, p.s1 * k, p.s2 * k};
}

template <Floating T>
Vector<T, 4> scaled(Vector<T, 4> p, T k) {
  return {p.s0 * k, p.s1 * k, p.s2 * k, p.s3 * k};
}

template <Floating T>
Vector<T, 1> difference(Vector<T, 1> p0, Vector<T, 1> p1) {
  return p0 - p1;
}

template <Floating T>
Vector<T, 2> difference(Vector<T, 2> p0, Vector<T, 2> p1) {
  return {p0.s0 - p1.s0, p0.s1 - p1.s1};
}

template <Floating T>
Vector<T, 3> difference(Vector<T, 3> p0, Vector<T, 3> p1) {
  return {p0.s0 - p1.s0, p0.s1 - p1.s1, p0.s2 - p1.s2};
}

template <Floating T>
Vector<T, 4> difference(Vector<T, 4> p0, Vector<T, 4> p1) {
  return {p0.s0 - p1.s0, p0.s1 - p1.s1, p0.s2 - p1.s2, p0.s3 - p1.s3};
}

template <Floating T>
T greater(T x, T y) {
  return x < y ? y : x;
}

template <Floating T>
T magnitude(Vector<T, 1> p) {
  return fabs(p);
}

template <Floating T>
T magnitude(Vector<T, 2> p) {
  return greater(fabs(p.s0), fabs(p.s1));
}

template <Floating T>
T magnitude(Vector<T, 3> p) {
  return greater(greater(fabs(p.s0), fabs(p.s1)), fabs(p.s2));
}

template <Floating T>
T magnitude(Vector<T, 4> p) {
  return greater(greater(greater(fabs(p.s0), fabs(p.s1)), fabs(p.s2)), fabs(p.s3));
}

// An infinite lane counts as one and finite ones beside it as zero.
template <Floating T>
T unit(T x) {
  return x != x ? x : copysign<T>(fabs(x) > largest<T> ? 1 : 0, x);
}

template <Floating T>
Vector<T, 1> units(Vector<T, 1> p) {
  return unit(p);
}

template <Floating T>
Vector<T, 2> units(Vector<T, 2> p) {
  return {unit(p.s0), unit(p.s1)};
}

template <Floating T>
Vector<T, 3> units(Vector<T, 3> p) {
  return {unit(p.s0), unit(p.s1), unit(p.s2)};
}

template <Floating T>
Vector<T, 4> units(Vector<T, 4> p) {
  return {unit(p.s0), unit(p.s1), unit(p.s2), unit(p.s3)};
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
Vector<T, 3> cross(Vector<T, 3> a, Vector<T, 3> b) {
  return {fused(a.s1, b.s2, -(a.s2 * b.s1)), fused(a.s2, b.s0, -(a.s0 * b.s2)), fused(a.s0, b.s1, -(a.s1 * b.s0))};
}

template <Floating T>
Vector<T, 4> cross(Vector<T, 4> a, Vector<T, 4> b) {
  return {fused(a.s1, b.s2, -(a.s2 * b.s1)), fused(a.s2, b.s0, -(a.s0 * b.s2)), fused(a.s0, b.s1, -(a.s1 * b.s0)), 0};
}

template <Floating T>
T length(Vector<T, 1> p) {
  return fabs(p);
}

template <Floating T, int N>
T length(Vector<T, N> p) {
  T m = magnitude(p);
  Vector<T, N> v = scaled(p, scale_for(m));
  return unscale_for(m) * sqrt(dot(v, v));
}

template <Floating T, int N>
T distance(Vector<T, N> p0, Vector<T, N> p1) {
  return length(difference(p0, p1));
}

template <Floating T, int N>
Vector<T, N> normalize(Vector<T, N> p) {
  T m = magnitude(p);
  Vector<T, N> v = scaled(p, scale_for(m));
  if (m > largest<T>) v = units(p);
  T r = dot(v, v);
  if (r == 0) return p;
  return scaled(v, 1 / sqrt(r));
}

template <Float T, int N>
T fast_length(Vector<T, N> p) {
  return sqrt(dot(p, p));
}

template <Float T, int N>
T fast_distance(Vector<T, N> p0, Vector<T, N> p1) {
  return fast_length(difference(p0, p1));
}

template <Float T, int N>
Vector<T, N> fast_normalize(Vector<T, N> p) {
  T r = dot(p, p);
  return scaled(p, r == 0 ? 1 : 1 / sqrt(r));
}

}  // namespace manyrt::library
