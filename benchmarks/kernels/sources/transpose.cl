// The transpose of a matrix of `rows` rows, directly and through a tile of local memory.
#define TILE 16

__kernel void transpose_plain(__global const float* in, __global float* out, uint rows, uint columns) {
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
}

// The tile is one wider than its groups, as for banks of local memory.
__kernel void transpose_tile(__global const float* in, __global float* out, uint rows, uint columns) {
  __local float tile[TILE][TILE + 1];
  const uint lx = get_local_id(0);
  const uint ly = get_local_id(1);
  uint x = get_group_id(0) * TILE + lx;
  uint y = get_group_id(1) * TILE + ly;
  if (x < columns && y < rows) tile[ly][lx] = in[y * columns + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + lx;
  y = get_group_id(0) * TILE + ly;
  if (x < rows && y < columns) out[y * rows + x] = tile[lx][ly];
}
