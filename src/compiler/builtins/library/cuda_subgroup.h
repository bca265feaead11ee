// Sub-group functions on CUDA, where a sub-group is a warp; found before those of subgroup.h. The last one of a group may have
// less than 32 work-items, and the mask of a warp's functions names no others. Sets and words: language.h.
#pragma once

#include "language.h"
#include "subgroup.h"

namespace manyrt::library {

inline unsigned int sub_group_item() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u; }

inline unsigned int sub_group_members() {
  unsigned int item = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned int rest = blockDim.x * blockDim.y * blockDim.z - (item & ~31u);
  return rest >= 32u ? ~0u : (1u << rest) - 1u;
}

inline void sub_group_barrier(unsigned int flags) { __syncwarp(sub_group_members()); }

template <Element T>
T sub_group_shuffle(T x, unsigned int index) {
  CudaWord<T> word = 0;
  __builtin_memcpy(&word, &x, sizeof x);
  word = __shfl_sync(sub_group_members(), word, (int)index);
  T r;
  __builtin_memcpy(&r, &word, sizeof r);
  return r;
}

// The first of those that are there: all but work-items that have ended.
template <Element T>
T sub_group_broadcast_first(T x) {
  unsigned int there = __ballot_sync(sub_group_members(), 1);
  return sub_group_shuffle(x, 31u - (unsigned int)__builtin_clz(there & (0u - there)));
}

template <NarrowUnsigned T>
Vector4<T> sub_group_ballot(int predicate) {
  return {__ballot_sync(sub_group_members(), predicate), 0, 0, 0};
}

inline int sub_group_any(int predicate) { return __any_sync(sub_group_members(), predicate) != 0; }

inline int sub_group_all(int predicate) { return __all_sync(sub_group_members(), predicate) != 0; }

// ---- Sums, least and largest values, in steps of powers of two

template <Element T>
T sub_group_reduce_add(T x) {
  unsigned int item = sub_group_item(), count = (unsigned int)__popc(sub_group_members());
  for (unsigned int d = 16; d > 0; d >>= 1) {
    T other = sub_group_shuffle(x, item + d);
    if (item + d < count) x = sub_group_sum(x, other);
  }
  return sub_group_shuffle(x, 0u);
}

template <Element T>
T sub_group_scan_inclusive_add(T x) {
  unsigned int item = sub_group_item();
  for (unsigned int d = 1; d < 32; d <<= 1) {
    T other = sub_group_shuffle(x, item - d);
    if (item >= d) x = sub_group_sum(other, x);
  }
  return x;
}

template <Element T>
T sub_group_scan_exclusive_add(T x) {
  unsigned int item = sub_group_item();
  T before = sub_group_shuffle(sub_group_scan_inclusive_add(x), item - 1);
  return item == 0 ? sub_group_zero<T>() : before;
}

template <Element T>
T sub_group_reduce_min(T x) {
  unsigned int item = sub_group_item(), count = (unsigned int)__popc(sub_group_members());
  for (unsigned int d = 16; d > 0; d >>= 1) {
    T other = sub_group_shuffle(x, item + d);
    if (item + d < count) x = sub_group_least(x, other);
  }
  return sub_group_shuffle(x, 0u);
}

template <Element T>
T sub_group_scan_inclusive_min(T x) {
  unsigned int item = sub_group_item();
  for (unsigned int d = 1; d < 32; d <<= 1) {
    T other = sub_group_shuffle(x, item - d);
    if (item >= d) x = sub_group_least(other, x);
  }
  return x;
}

template <Element T>
T sub_group_scan_exclusive_min(T x) {
  unsigned int item = sub_group_item();
  T before = sub_group_shuffle(sub_group_scan_inclusive_min(x), item - 1);
  return item == 0 ? sub_group_highest<T>() : before;
}

template <Element T>
T sub_group_reduce_max(T x) {
  unsigned int item = sub_group_item(), count = (unsigned int)__popc(sub_group_members());
  for (unsigned int d = 16; d > 0; d >>= 1) {
    T other = sub_group_shuffle(x, item + d);
    if (item + d < count) x = sub_group_most(x, other);
  }
  return sub_group_shuffle(x, 0u);
}

template <Element T>
T sub_group_scan_inclusive_max(T x) {
  unsigned int item = sub_group_item();
  for (unsigned int d = 1; d < 32; d <<= 1) {
    T other = sub_group_shuffle(x, item - d);
    if (item >= d) x = sub_group_most(other, x);
  }
  return x;
}

template <Element T>
T sub_group_scan_exclusive_max(T x) {
  unsigned int item = sub_group_item();
  T before = sub_group_shuffle(sub_group_scan_inclusive_max(x), item - 1);
  return item == 0 ? sub_group_lowest<T>() : before;
}

}  // namespace manyrt::library
