// Convolution in one dimension, zero outside: the filter as a __constant argument, and one at program scope.
__constant float gauss[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

__kernel void convolve(__global const float *in, __global float *out, int count, __constant float *filter, int radius,
                       __local float *tile) {
  const int size = get_local_size(0), item = get_local_id(0), base = (int)(get_group_id(0) * size) - radius;
  for (int i = item; i < size + 2 * radius; i += size) {
    const int g = base + i;
    tile[i] = g >= 0 && g < count ? in[g] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int g = get_global_id(0);
  if (g >= count) return;
  float sum = 0.0f;
  for (int k = -radius; k <= radius; ++k) sum += filter[k + radius] * tile[item + radius - k];
  out[g] = sum;
}

__kernel void smooth(__global const float *in, __global float *out, int count) {
  const int g = get_global_id(0);
  if (g < count) {
    float sum = 0.0f;
    for (int k = 0; k < (int)(sizeof(gauss) / sizeof(*gauss)); k++) {
      const int i = g + k - 2;
      if (i < 0 || i >= count) continue;
      sum += gauss[k] * in[i];
    }
    out[g] = sum;
  }
}
