/* SPDX-License-Identifier: Apache-2.0
 *
 * A step of gravity between all bodies; a group reads them tile by tile into local memory. */

float4 attraction(float4 from, float4 to) {
  float4 d = to - from;
  d.w = 0.0f;
  float inverse = rsqrt(dot(d, d) + 0.01f);
  return d * (to.w * inverse * inverse * inverse);
}

__kernel void nbody_tile(__global const float4* position, __global const float4* velocity, __global float4* new_position,
                         __global float4* new_velocity, __local float4* tile, float dt, int bodies) {
  int body = get_global_id(0);
  int lid = get_local_id(0), size = get_local_size(0);
  float4 mine = position[min(body, bodies - 1)];
  float4 force = (float4)(0.0f);
  for (int start = 0; start < bodies; start += size) {
    if (start + lid < bodies) tile[lid] = position[start + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    int count = min(size, bodies - start);
    for (int i = 0; i < count; ++i) force += attraction(mine, tile[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (body >= bodies) return;
  float4 speed = velocity[body] + force * dt;
  new_velocity[body] = speed;
  new_position[body] = (float4)(mine.xyz + speed.xyz * dt, mine.w);
}
