// Transposition through local memory with one column of padding. Groups of TILE x ROWS, each for TILE x TILE elements.
#ifndef TILE
#define TILE 16
#endif

__kernel void transpose(__global const float *in, __global float *out, int width, int height) {
  __local float tile[TILE][TILE + 1];
  const int lx = get_local_id(0), ly = get_local_id(1), rows = get_local_size(1);
  int x = get_group_id(0) * TILE + lx, y = get_group_id(1) * TILE;
  for (int k = ly; k < TILE; k += rows) {
    if (x < width && y + k < height) tile[k][lx] = in[(y + k) * width + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + lx;
  y = get_group_id(0) * TILE;
  for (int k = ly; k < TILE; k += rows) {
    if (x < height && y + k < width) out[(y + k) * height + x] = tile[lx][k];
  }
}
