// N=40x24 GROUP=8x8 OUT=1 IN=1
// A stencil whose guards are wraps of unsigned numbers, of 32 and 64 bits.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint x = get_global_id(0), y = get_global_id(1), h = 24, s = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      uint px = x + dx, py = y + dy;
      if (px < n && py < h)
        s = s * 3 + in[py * n + px];
      else
        s ^= px - py;
    }
  if (x - 1 < n - 2 && y - 1u < h - 2u) s += in[(y - 1) * n + x - 1] - in[(y + 1) * n + (x + 1)];
  size_t left = get_global_id(0) - 1;
  if (left < n) s ^= in[y * n + left] << 1;
  out[y * n + x] = s;
}
