// Sorting: bitonic steps over global memory, Batcher's odd-even merge in local memory, a radix pass of four bits, and ranks by counting.

// One compare-and-exchange for each pair; `block` and `distance` are powers of two, distance at most block / 2.
__kernel void bitonic_step(__global uint* keys, uint count, uint block, uint distance) {
  const uint pair = get_global_id(0);
  if (pair >= count / 2) return;
  const uint low = 2 * pair - (pair & (distance - 1));
  const uint high = low + distance;
  const bool ascending = (low & block) == 0;
  const uint a = keys[low];
  const uint b = keys[high];
  if ((a > b) == ascending) {
    keys[low] = b;
    keys[high] = a;
  }
}

// Each group sorts 2 * GROUP keys with their values.
#ifndef GROUP
#define GROUP 128
#endif
void exchange(__local uint* keys, __local uint* values, uint a, uint b) {
  if (keys[a] > keys[b]) {
    const uint key = keys[a];
    const uint value = values[a];
    keys[a] = keys[b];
    values[a] = values[b];
    keys[b] = key;
    values[b] = value;
  }
}
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void odd_even_merge(__global uint* keys, __global uint* values) {
  __local uint own_keys[2 * GROUP];
  __local uint own_values[2 * GROUP];
  const uint lane = get_local_id(0);
  const uint base = get_group_id(0) * 2 * GROUP;
  own_keys[lane] = keys[base + lane];
  own_values[lane] = values[base + lane];
  own_keys[lane + GROUP] = keys[base + lane + GROUP];
  own_values[lane + GROUP] = values[base + lane + GROUP];
  for (uint size = 2; size <= 2 * GROUP; size <<= 1) {
    uint stride = size / 2;
    const uint offset = lane & (stride - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint first = 2 * lane - offset;
    exchange(own_keys, own_values, first, first + stride);
    for (stride >>= 1; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint at = 2 * lane - (lane & (stride - 1));
      if (offset >= stride) exchange(own_keys, own_values, at - stride, at);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[base + lane] = own_keys[lane];
  values[base + lane] = own_values[lane];
  keys[base + lane + GROUP] = own_keys[lane + GROUP];
  values[base + lane + GROUP] = own_values[lane + GROUP];
}

// A radix pass: each item owns `each` neighbouring keys. It counts their digits, the counts are summed up in the order digit, item,
// and the item writes its keys from there on.
#define DIGITS 16
__kernel void radix_count(__global const uint* keys, __global uint* counts, uint count, uint each, uint shift) {
  const uint item = get_global_id(0);
  const uint items = get_global_size(0);
  uint own[DIGITS];
  for (uint d = 0; d < DIGITS; ++d) own[d] = 0;
  for (uint i = item * each; i < min((item + 1) * each, count); ++i) ++own[(keys[i] >> shift) & (DIGITS - 1)];
  for (uint d = 0; d < DIGITS; ++d) counts[d * items + item] = own[d];
}

// One group: each item sums up a stretch of the counts, the sums of the stretches are summed up in local memory.
__kernel void radix_scan(__global uint* counts, uint total, __local uint* sums) {
  const uint lane = get_local_id(0);
  const uint size = get_local_size(0);
  const uint stretch = (total + size - 1) / size;
  const uint begin = min(lane * stretch, total);
  const uint end = min(begin + stretch, total);
  uint sum = 0;
  for (uint i = begin; i < end; ++i) sum += counts[i];
  sums[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < size; distance *= 2) {
    const uint before = lane >= distance ? sums[lane - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[lane] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint start = sums[lane] - sum;
  for (uint i = begin; i < end; ++i) {
    const uint here = counts[i];
    counts[i] = start;
    start += here;
  }
}

__kernel void radix_scatter(__global const uint* keys, __global uint* sorted, __global const uint* counts, uint count, uint each,
                            uint shift) {
  const uint item = get_global_id(0);
  const uint items = get_global_size(0);
  uint next[DIGITS];
  for (uint d = 0; d < DIGITS; ++d) next[d] = counts[d * items + item];
  for (uint i = item * each; i < min((item + 1) * each, count); ++i) {
    const uint key = keys[i];
    sorted[next[(key >> shift) & (DIGITS - 1)]++] = key;
  }
}

// The place of a number is how many are smaller, or equal and before it; tiles of numbers pass through local memory.
__kernel void rank_sort(__global const float* in, __global float* out, int count, __local float* tile) {
  int i = get_global_id(0);
  int lane = get_local_id(0);
  int size = get_local_size(0);
  const float own = i < count ? in[i] : 0.0f;
  int rank = 0;
  for (int start = 0; start < count; start += size) {
    if (start + lane < count) tile[lane] = in[start + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int here = min(size, count - start);
    for (int k = 0; k < here; k++) {
      if (tile[k] < own || (tile[k] == own && start + k < i)) rank++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < count) out[rank] = own;
}
