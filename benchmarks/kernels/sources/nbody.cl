// Accelerations of bodies (x, y, z, mass) under gravity, with tiles of bodies in local memory.
__kernel void nbody(__global const float4* bodies, __global float4* accelerations, uint count, float softening,
                    __local float4* tile) {
  const uint id = get_global_id(0);
  const uint lane = get_local_id(0);
  const uint size = get_local_size(0);
  const float4 own = bodies[id];
  float4 sum = (float4)(0.0f);
  for (uint start = 0; start < count; start += size) {
    tile[lane] = bodies[start + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < size; ++k) {
      const float4 away = tile[k] - own;
      const float distance = away.x * away.x + away.y * away.y + away.z * away.z + softening;
      const float inverse = rsqrt(distance);
      const float strength = tile[k].w * inverse * inverse * inverse;
      sum.xyz += away.xyz * strength;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  accelerations[id] = sum;
}
