// One step of a five-point stencil; the border keeps its values. Each group loads its part and a halo around it.
__kernel void stencil(__global const float *in, __global float *out, int width, int height, float weight,
                      __local float *tile) {
  const int w = get_local_size(0), h = get_local_size(1), lx = get_local_id(0), ly = get_local_id(1);
  const int x0 = get_group_id(0) * w - 1, y0 = get_group_id(1) * h - 1, pitch = w + 2;
  for (int ty = ly; ty < h + 2; ty += h) {
    for (int tx = lx; tx < w + 2; tx += w) {
      const int x = clamp(x0 + tx, 0, width - 1), y = clamp(y0 + ty, 0, height - 1);
      tile[ty * pitch + tx] = in[y * width + x];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = x0 + 1 + lx, y = y0 + 1 + ly;
  if (x >= width || y >= height) return;
  __local const float *c = tile + (ly + 1) * pitch + lx + 1;
  const bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  out[y * width + x] = border ? *c : *c + weight * (c[-1] + c[1] + c[-pitch] + c[pitch] - 4.0f * *c);
}

// Several steps in local memory for a block that stands alone, ends included in the ring.
__kernel void ring(__global float *data, int steps, float weight, __local float *a, __local float *b) {
  const int i = get_local_id(0), n = get_local_size(0), left = (i + n - 1) % n, right = (i + 1) % n;
  __global float *block = data + get_group_id(0) * n;
  a[i] = block[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 0; step < steps; ++step) {
    __local const float *from = step & 1 ? b : a;
    __local float *to = step & 1 ? a : b;
    to[i] = from[i] + weight * (from[left] - 2.0f * from[i] + from[right]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  block[i] = steps & 1 ? b[i] : a[i];
}
