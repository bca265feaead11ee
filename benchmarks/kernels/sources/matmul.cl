// c = a * b for square matrices whose size is a multiple of the tile, through tiles in local memory.
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul(__global const float* a, __global const float* b,
                                                                          __global float* c, uint n) {
  __local float a_tile[TILE][TILE];
  __local float b_tile[TILE][TILE];
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  float sum = 0.0f;
  for (uint tile = 0; tile < n / TILE; ++tile) {
    a_tile[y][x] = a[row * n + tile * TILE + x];
    b_tile[y][x] = b[(tile * TILE + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k) sum += a_tile[y][k] * b_tile[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
