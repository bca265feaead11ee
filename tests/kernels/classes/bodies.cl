// Gravity among bodies (x, y, z, mass), in tiles of one group's size.
float3 pull(float4 from, float4 to, float softening) {
  const float3 d = to.xyz - from.xyz;
  const float inverse = rsqrt(dot(d, d) + softening);
  return d * (to.w * inverse * inverse * inverse);
}

__kernel void accelerations(__global const float4 *bodies, __global float4 *out, int count, float softening,
                            __local float4 *tile) {
  const int g = get_global_id(0), item = get_local_id(0), size = get_local_size(0);
  const float4 mine = g < count ? bodies[g] : (float4)(0.0f);
  float3 sum = (float3)(0.0f, 0.0f, 0.0f);
  for (int first = 0; first < count; first += size) {
    tile[item] = first + item < count ? bodies[first + item] : (float4)(0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < size; ++k) sum += pull(mine, tile[k], softening);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (g < count) out[g] = (float4)(sum, length(sum));
}

__kernel void move(__global float4 *bodies, __global float4 *speeds, __global const float4 *accelerations_, int count, float dt) {
  const int g = get_global_id(0);
  if (g >= count) return;
  speeds[g].xyz += accelerations_[g].xyz * dt;
  bodies[g].xyz = fma(speeds[g].xyz, dt, bodies[g].xyz);
}
