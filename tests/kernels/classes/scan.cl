// Prefix sums of the blocks of an array, and the pass that adds what stands before each block.
__kernel void hillis_steele(__global const int *in, __global int *out, __global int *sums, uint count, __local int *scratch) {
  const uint item = get_local_id(0), size = get_local_size(0), g = get_global_id(0);
  __local int *from = scratch, *to = scratch + size;
  from[item] = g < count ? in[g] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < size; step <<= 1) {
    if (item >= step)
      to[item] = from[item] + from[item - step];
    else
      to[item] = from[item];
    __local int *t = from;
    from = to;
    to = t;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (g < count) out[g] = from[item];
  if (item == size - 1) sums[get_group_id(0)] = from[item];
}

// Exclusive; each group of a power of two takes twice its size.
__kernel void blelloch(__global const int *in, __global int *out, __global int *sums, uint count, __local int *scratch) {
  const uint item = get_local_id(0), n = 2 * get_local_size(0), base = get_group_id(0) * n;
  scratch[2 * item] = base + 2 * item < count ? in[base + 2 * item] : 0;
  scratch[2 * item + 1] = base + 2 * item + 1 < count ? in[base + 2 * item + 1] : 0;
  uint offset = 1;
  for (uint d = n >> 1; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < d) {
      const uint a = offset * (2 * item + 1) - 1, b = offset * (2 * item + 2) - 1;
      scratch[b] += scratch[a];
    }
    offset *= 2;
  }
  if (item == 0) {
    sums[get_group_id(0)] = scratch[n - 1];
    scratch[n - 1] = 0;
  }
  for (uint d = 1; d < n; d *= 2) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < d) {
      const uint a = offset * (2 * item + 1) - 1, b = offset * (2 * item + 2) - 1;
      const int t = scratch[a];
      scratch[a] = scratch[b];
      scratch[b] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (base + 2 * item < count) out[base + 2 * item] = scratch[2 * item];
  if (base + 2 * item + 1 < count) out[base + 2 * item + 1] = scratch[2 * item + 1];
}

__kernel void add_offsets(__global int *out, __global const int *offsets, uint count, uint block) {
  const uint g = get_global_id(0);
  if (g < count) out[g] += offsets[g / block];
}
