// Histograms: atomics on global memory, atomics on local memory with one sum for each group, and counters of eight bits for each item.
__kernel void histogram_clear(__global uint* bins, uint count) {
  const uint i = get_global_id(0);
  if (i < count) bins[i] = 0;
}

__kernel void histogram_global(__global const uchar* data, __global uint* bins, int count) {
  int i = get_global_id(0);
  if (i < count) atomic_inc(&bins[data[i]]);
}

#define BINS 256
__kernel void histogram_local(__global const uint* data, __global uint* bins, uint count) {
  __local uint own[BINS];
  for (uint i = get_local_id(0); i < BINS; i += get_local_size(0)) own[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
    const uint word = data[i];
    atomic_add(&own[word & 255u], 1u);
    atomic_add(&own[(word >> 8) & 255u], 1u);
    atomic_add(&own[(word >> 16) & 255u], 1u);
    atomic_add(&own[word >> 24], 1u);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < BINS; i += get_local_size(0)) atomic_add(&bins[i], own[i]);
}

// 64 bins: an item has 64 counters of its own, a column of local memory, for at most 255 elements; then items add up rows.
#define FEW 64
__kernel void histogram_private(__global const uchar* data, __global uint* bins, ulong count, uint each, __local uchar* counters) {
  const size_t lane = get_local_id(0);
  const size_t size = get_local_size(0);
  for (size_t b = 0; b < FEW; ++b) counters[b * size + lane] = 0;
  const size_t begin = get_group_id(0) * size * each + lane;
  for (size_t k = 0; k < each; ++k) {
    const size_t i = begin + k * size;
    if (i < count) counters[(data[i] >> 2) * size + lane]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t b = lane; b < FEW; b += size) {
    uint sum = 0;
    for (size_t k = 0; k < size; ++k) sum += counters[b * size + k];
    atomic_add(&bins[b], sum);
  }
}
