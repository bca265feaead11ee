// Functions that move components: loads and stores of vectors, also as halves in memory, shuffles, the bits of a vector as
// another one, and prefetch. I numbers the components of the result or of what is stored, M those of a source with another
// number of components. Sets and words: language.h.
#pragma once

#include "half.h"
#include "language.h"

namespace manyrt::library {

// ---- Loads and stores. The vectors lie one after the other without gaps.

template <Element T, int... I>
Vector<T, I...> vload(unsigned long offset, const T* p) {
  p += offset * sizeof...(I);
  return {p[I]...};
}

template <Element T, int... I>
void vstore(Vector<T, I...> data, unsigned long offset, T* p) {
  p += offset * sizeof...(I);
  ((p[I] = data.s[I]), ...);
}

template <Float T, int... I>
Vector<T, I...> vload_half(unsigned long offset, const half* p) {
  p += offset * sizeof...(I);
  return {half_to_float(p[I])...};
}

template <Floating T, int... I>
void vstore_half(Vector<T, I...> data, unsigned long offset, half* p) {
  p += offset * sizeof...(I);
  ((p[I] = to_half(data.s[I])), ...);
}

template <Floating T, int... I>
void vstore_half_rte(Vector<T, I...> data, unsigned long offset, half* p) {
  return vstore_half(data, offset, p);
}

template <Floating T, int... I>
void vstore_half_rtz(Vector<T, I...> data, unsigned long offset, half* p) {
  p += offset * sizeof...(I);
  ((p[I] = to_half_rtz(data.s[I])), ...);
}

template <Floating T, int... I>
void vstore_half_rtp(Vector<T, I...> data, unsigned long offset, half* p) {
  p += offset * sizeof...(I);
  ((p[I] = to_half_rtp(data.s[I])), ...);
}

template <Floating T, int... I>
void vstore_half_rtn(Vector<T, I...> data, unsigned long offset, half* p) {
  p += offset * sizeof...(I);
  ((p[I] = to_half_rtn(data.s[I])), ...);
}

// ---- The same with aligned vectors of halves: three components lie like four, and the fourth is not written.

template <Float T, int... I>
Vector<T, I...> vloada_half(unsigned long offset, const half* p) {
  p += offset * (sizeof...(I) == 3 ? 4 : sizeof...(I));
  return {half_to_float(p[I])...};
}

template <Floating T, int... I>
void vstorea_half(Vector<T, I...> data, unsigned long offset, half* p) {
  p += offset * (sizeof...(I) == 3 ? 4 : sizeof...(I));
  ((p[I] = to_half(data.s[I])), ...);
}

template <Floating T, int... I>
void vstorea_half_rte(Vector<T, I...> data, unsigned long offset, half* p) {
  return vstorea_half(data, offset, p);
}

template <Floating T, int... I>
void vstorea_half_rtz(Vector<T, I...> data, unsigned long offset, half* p) {
  p += offset * (sizeof...(I) == 3 ? 4 : sizeof...(I));
  ((p[I] = to_half_rtz(data.s[I])), ...);
}

template <Floating T, int... I>
void vstorea_half_rtp(Vector<T, I...> data, unsigned long offset, half* p) {
  p += offset * (sizeof...(I) == 3 ? 4 : sizeof...(I));
  ((p[I] = to_half_rtp(data.s[I])), ...);
}

template <Floating T, int... I>
void vstorea_half_rtn(Vector<T, I...> data, unsigned long offset, half* p) {
  p += offset * (sizeof...(I) == 3 ? 4 : sizeof...(I));
  ((p[I] = to_half_rtn(data.s[I])), ...);
}

// ---- Shuffles. Only the low bits of each component of the mask count, as many as number the components of the sources.

template <Element T, int... M, int... I>
Vector<T, I...> shuffle(Vector<T, M...> x, Vector<Unsigned<T>, I...> mask) {
  T v[] = {x.s[M]...};
  return {v[mask.s[I] & (sizeof...(M) - 1)]...};
}

template <Element T, int... M, int... I>
Vector<T, I...> shuffle2(Vector<T, M...> x, Vector<T, M...> y, Vector<Unsigned<T>, I...> mask) {
  T v[] = {x.s[M]..., y.s[M]...};
  return {v[mask.s[I] & (2 * sizeof...(M) - 1)]...};
}

// ---- The bits of one type as another. One by one where the numbers of components agree, which compilers see through best.

template <Element T, Element From>
T as(From x) {
  T r;
  __builtin_memcpy(&r, &x, sizeof r);
  return r;
}

// Else as a block of memory. A vector of three components has the size of four, and its fourth component has no value.
template <Element T, Element From, int... M, int... I>
Vector<T, I...> as_block(Vector<From, M...> x) {
  Vector<T, I...> r = {};
  constexpr unsigned long size = sizeof...(I) * sizeof(T), from = sizeof...(M) * sizeof(From);
  __builtin_memcpy(&r, &x, from < size ? from : size);
  return r;
}

// ---- Any and all: by the sign bits of the components

template <SignedInteger T, int... I>
int any(Vector<T, I...> x) {
  return (x.s[I] | ...) < 0;
}

template <SignedInteger T, int... I>
int all(Vector<T, I...> x) {
  return (x.s[I] & ...) < 0;
}

// ---- Prefetch

template <Element T, int... I>
void prefetch(const Vector<T, I...>* p, unsigned long count) {
  if (count > 0) __builtin_prefetch(p);
}

}  // namespace manyrt::library
