/* SPDX-License-Identifier: Apache-2.0
 *
 * A group multiplies TILE rows of a with TILE columns of b, tile by tile through local memory. All sizes are multiples of TILE,
 * which the program defines; rows of a and c are those that one device has. */

#ifndef TILE
#define TILE 16
#endif

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void multiply(__global const float* a, __global const float* b,
                                                                          __global float* c, uint size) {
  __local float tile_a[TILE][TILE];
  __local float tile_b[TILE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (uint first = 0; first < size; first += TILE) {
    tile_a[y][x] = a[row * size + first + x];
    tile_b[y][x] = b[(first + y) * size + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * size + column] = sum;
}
