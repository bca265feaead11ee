// C (rows x columns) = A (rows x inner) * B (inner x columns), row by row. Three forms of one product.
#ifndef TILE
#define TILE 16
#endif

__kernel void naive(__global const float *a, __global const float *b, __global float *c, int rows, int columns, int inner) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= columns || y >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < inner; ++k) sum += a[y * inner + k] * b[k * columns + x];
  c[y * columns + x] = sum;
}

// Groups of TILE x TILE.
__kernel void tiled(__global const float *a, __global const float *b, __global float *c, int rows, int columns, int inner) {
  __local float tile_a[TILE][TILE], tile_b[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x = get_group_id(0) * TILE + lx, y = get_group_id(1) * TILE + ly;
  float sum = 0.0f;
  for (int first = 0; first < inner; first += TILE) {
    tile_a[ly][lx] = y < rows && first + lx < inner ? a[y * inner + first + lx] : 0.0f;
    tile_b[ly][lx] = x < columns && first + ly < inner ? b[(first + ly) * columns + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += tile_a[ly][k] * tile_b[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x < columns && y < rows) c[y * columns + x] = sum;
}

// Groups of any shape w x h: tiles of h x depth and depth x w, loaded together.
__kernel void any_shape(__global const float *a, __global const float *b, __global float *c, int rows, int columns, int inner,
                        __local float *tile_a, __local float *tile_b, int depth) {
  const int w = get_local_size(0), h = get_local_size(1), lx = get_local_id(0), ly = get_local_id(1);
  const int x0 = get_group_id(0) * w, y0 = get_group_id(1) * h, item = ly * w + lx;
  float sum = 0.0f;
  for (int first = 0; first < inner; first += depth) {
    for (int i = item; i < h * depth; i += w * h) {
      const int y = y0 + i / depth, k = first + i % depth;
      tile_a[i] = y < rows && k < inner ? a[y * inner + k] : 0.0f;
    }
    for (int i = item; i < depth * w; i += w * h) {
      const int k = first + i / w, x = x0 + i % w;
      tile_b[i] = k < inner && x < columns ? b[k * columns + x] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < depth; ++k) sum = mad(tile_a[ly * depth + k], tile_b[k * w + lx], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x0 + lx < columns && y0 + ly < rows) c[(y0 + ly) * columns + x0 + lx] = sum;
}
