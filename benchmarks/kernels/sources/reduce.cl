// The sum of each group's elements, by a tree in local memory.
__kernel void reduce(__global const float* in, __global float* out, __local float* scratch) {
  const uint id = get_global_id(0);
  const uint lane = get_local_id(0);
  scratch[lane] = in[id];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (lane < half_size) scratch[lane] += scratch[lane + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) out[get_group_id(0)] = scratch[0];
}
