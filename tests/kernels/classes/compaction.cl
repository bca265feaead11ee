// Keeps the elements above a threshold: order inside a group by a prefix sum, places of groups by a global counter.
__kernel void compact(__global const int *in, __global int *out, volatile __global uint *kept, uint count, int threshold,
                      __local uint *scratch) {
  __local uint start;
  const uint g = get_global_id(0), item = get_local_id(0), size = get_local_size(0);
  const uint keep = g < count && in[g] > threshold;
  scratch[item] = keep;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < size; step *= 2) {
    const uint before = item >= step ? scratch[item - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[item] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == size - 1) start = atomic_add(kept, scratch[item]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (keep) out[start + scratch[item] - 1] = in[g];
}
