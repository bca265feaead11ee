// Counts of bytes: each group counts in local memory, then adds to the result.
#define BINS 256

__kernel void histogram(__global const uchar *in, __global uint *result, uint count) {
  __local uint bins[BINS];
  for (uint i = get_local_id(0); i < BINS; i += get_local_size(0)) bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) atomic_inc(&bins[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < BINS; i += get_local_size(0)) {
    if (bins[i] != 0) atomic_add(&result[i], bins[i]);
  }
}

// Four bytes at a time, through a union.
typedef union {
  uint word;
  uchar bytes[4];
} Four;

__kernel void histogram_of_words(__global const uint *in, __global uint *result, uint words, __local uint *bins) {
  const uint item = get_local_id(0);
  for (uint i = item; i < BINS; i += get_local_size(0)) bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint i = get_global_id(0);
  while (i < words) {
    Four four;
    four.word = in[i];
    for (int k = 0; k < 4; ++k) atomic_add(bins + four.bytes[k], 1u);
    i += get_global_size(0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = item; k < BINS; k += get_local_size(0)) atomic_add(result + k, bins[k]);
}
