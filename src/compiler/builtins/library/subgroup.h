// Sub-group functions on the CPU: work-items are fibers there, and exchange a value with those of their sub-group
// (compiler/unit.h). Those that have ended take no part. Sets and words: language.h.
#pragma once

#include "half_numbers.h"
#include "integer.h"
#include "language.h"

namespace manyrt::library {

// As compiler/unit.h has them.
struct SubGroupValues {
  unsigned long values[16];
  unsigned int members;
};
struct SubGroupCalls {
  const SubGroupValues* (*exchange)(unsigned long value);
  unsigned int (*subGroupItem)();
};
[[maybe_unused]] static const SubGroupCalls* rtHostFibers = nullptr;

// ---- What they are made of

inline unsigned int sub_group_item() { return rtHostFibers->subGroupItem(); }

template <Element T>
unsigned long sub_group_bits(T x) {
  unsigned long r = 0;
  __builtin_memcpy(&r, &x, sizeof x);
  return r;
}

template <Element T>
T sub_group_value(unsigned long bits_of_x) {
  T r;
  __builtin_memcpy(&r, &bits_of_x, sizeof r);
  return r;
}

template <Integer T>
T sub_group_sum(T a, T b) {
  return (T)((Promoted<T>)a + (Promoted<T>)b);
}

template <Floating T>
T sub_group_sum(T a, T b) {
  return a + b;
}

template <Half T>
T sub_group_sum(T a, T b) {
  return add(a, b);
}

template <Number T>
T sub_group_least(T a, T b) {
  return b < a ? b : a;
}

template <Half T>
T sub_group_least(T a, T b) {
  return half_to_float(b) < half_to_float(a) ? b : a;
}

template <Number T>
T sub_group_most(T a, T b) {
  return a < b ? b : a;
}

template <Half T>
T sub_group_most(T a, T b) {
  return half_to_float(a) < half_to_float(b) ? b : a;
}

// Identities: zero for sums, the highest value for the least, the lowest for the largest.
template <Number T>
T sub_group_zero() {
  return 0;
}

template <Half T>
T sub_group_zero() {
  return {0};
}

template <Integer T>
T sub_group_highest() {
  return largest<T>;
}

template <Float T>
T sub_group_highest() {
  return __builtin_inff();
}

template <Double T>
T sub_group_highest() {
  return __builtin_inf();
}

template <Half T>
T sub_group_highest() {
  return {0x7c00};
}

template <Integer T>
T sub_group_lowest() {
  return smallest<T>;
}

template <Floating T>
T sub_group_lowest() {
  return -sub_group_highest<T>();
}

template <Half T>
T sub_group_lowest() {
  return {0xfc00};
}

// ---- Moving values

inline void sub_group_barrier(unsigned int flags) { rtHostFibers->exchange(flags); }

template <Element T>
T sub_group_shuffle(T x, unsigned int index) {
  return sub_group_value<T>(rtHostFibers->exchange(sub_group_bits(x))->values[index & 15u]);
}

template <Element T>
T sub_group_broadcast(T x, unsigned int index) {
  return sub_group_shuffle(x, index);
}

template <Element T>
T sub_group_non_uniform_broadcast(T x, unsigned int index) {
  return sub_group_shuffle(x, index);
}

template <Element T>
T sub_group_broadcast_first(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  return sub_group_value<T>(g->values[__builtin_ctz(g->members)]);
}

template <Element T>
T sub_group_shuffle_xor(T x, unsigned int mask) {
  return sub_group_shuffle(x, sub_group_item() ^ mask);
}

template <Element T>
T sub_group_shuffle_up(T x, unsigned int delta) {
  return sub_group_shuffle(x, sub_group_item() - delta);
}

template <Element T>
T sub_group_shuffle_down(T x, unsigned int delta) {
  return sub_group_shuffle(x, sub_group_item() + delta);
}

// ---- Votes

template <NarrowUnsigned T>
Vector4<T> sub_group_ballot(int predicate) {
  const auto* g = rtHostFibers->exchange(predicate != 0);
  unsigned int votes = 0;
  for (unsigned int i = 0; i < 16; ++i) votes |= (g->members >> i & (unsigned int)g->values[i] & 1u) << i;
  return {votes, 0, 0, 0};
}

inline int sub_group_any(int predicate) {
  const auto* g = rtHostFibers->exchange(predicate != 0);
  for (unsigned int i = 0; i < 16; ++i) {
    if ((g->members >> i & 1u) != 0 && g->values[i] != 0) return 1;
  }
  return 0;
}

inline int sub_group_all(int predicate) { return !sub_group_any(!predicate); }

template <NarrowUnsigned T>
int sub_group_inverse_ballot(Vector4<T> votes) {
  return (int)(votes.s[0] >> sub_group_item() & 1u);
}

template <NarrowUnsigned T>
int sub_group_ballot_bit_extract(Vector4<T> votes, unsigned int index) {
  return (int)(votes.s[0] >> (index & 31u) & 1u);
}

template <NarrowUnsigned T>
unsigned int sub_group_ballot_bit_count(Vector4<T> votes) {
  return (unsigned int)__builtin_popcount(votes.s[0]);
}

template <NarrowUnsigned T>
unsigned int sub_group_ballot_inclusive_scan(Vector4<T> votes) {
  return (unsigned int)__builtin_popcount(votes.s[0] & ((2u << sub_group_item()) - 1));
}

template <NarrowUnsigned T>
unsigned int sub_group_ballot_exclusive_scan(Vector4<T> votes) {
  return (unsigned int)__builtin_popcount(votes.s[0] & ((1u << sub_group_item()) - 1));
}

template <NarrowUnsigned T>
unsigned int sub_group_ballot_find_lsb(Vector4<T> votes) {
  return 31u - (unsigned int)__builtin_clz(votes.s[0] & (0u - votes.s[0]));
}

template <NarrowUnsigned T>
unsigned int sub_group_ballot_find_msb(Vector4<T> votes) {
  return 31u - (unsigned int)__builtin_clz(votes.s[0]);
}

// ---- Sums, least and largest values

template <Element T>
T sub_group_reduce_add(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_zero<T>();
  for (unsigned int i = 0; i < 16; ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_sum(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

template <Element T>
T sub_group_scan_inclusive_add(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_zero<T>();
  for (unsigned int i = 0; i <= sub_group_item(); ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_sum(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

template <Element T>
T sub_group_scan_exclusive_add(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_zero<T>();
  for (unsigned int i = 0; i < sub_group_item(); ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_sum(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

template <Element T>
T sub_group_reduce_min(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_highest<T>();
  for (unsigned int i = 0; i < 16; ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_least(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

template <Element T>
T sub_group_scan_inclusive_min(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_highest<T>();
  for (unsigned int i = 0; i <= sub_group_item(); ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_least(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

template <Element T>
T sub_group_scan_exclusive_min(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_highest<T>();
  for (unsigned int i = 0; i < sub_group_item(); ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_least(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

template <Element T>
T sub_group_reduce_max(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_lowest<T>();
  for (unsigned int i = 0; i < 16; ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_most(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

template <Element T>
T sub_group_scan_inclusive_max(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_lowest<T>();
  for (unsigned int i = 0; i <= sub_group_item(); ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_most(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

template <Element T>
T sub_group_scan_exclusive_max(T x) {
  const auto* g = rtHostFibers->exchange(sub_group_bits(x));
  T r = sub_group_lowest<T>();
  for (unsigned int i = 0; i < sub_group_item(); ++i) {
    if ((g->members >> i & 1u) != 0) r = sub_group_most(r, sub_group_value<T>(g->values[i]));
  }
  return r;
}

}  // namespace manyrt::library
