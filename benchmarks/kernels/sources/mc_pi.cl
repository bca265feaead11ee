/* SPDX-License-Identifier: Apache-2.0
 *
 * Pi by throwing points: numbers come from the index of the throw alone, hits are summed in the group and then in the grid. */

uint draw(uint counter, uint seed) {
  uint x = counter * 0x9e3779b1u ^ seed;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  x ^= x >> 12;
  x *= 0x297a2d39u;
  return x ^ (x >> 15);
}

__kernel void mc_pi_start(__global uint* hits) { hits[0] = 0; }

__kernel void mc_pi(__global uint* hits, __local uint* sums, uint throws, uint seed) {
  uint id = get_global_id(0);
  uint mine = 0;
  for (uint i = 0; i < throws; ++i) {
    uint bits = draw(id * throws + i, seed);
    float x = (bits & 0x7ff) / 2048.0f;
    float y = (bits >> 21) / 2048.0f;
    if (x * x + y * y < 1.0f) ++mine;
  }
  uint lid = get_local_id(0);
  sums[lid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint size = get_local_size(0); size > 1;) {
    uint half_size = (size + 1) / 2;
    if (lid + half_size < size) sums[lid] += sums[lid + half_size];
    size = half_size;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0) atomic_add(hits, sums[0]);
}
