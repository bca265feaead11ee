// Radix-2 transforms of blocks in local memory. Groups of a power of two; a block is twice the group.
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

uint reversed(uint x, uint bits) {
  uint result = 0;
  for (uint k = 0; k < bits; ++k, x >>= 1) result = (result << 1) | (x & 1);
  return result;
}

__kernel void transform(__global const float2 *in, __global float2 *out, int inverse, __local float2 *block) {
  const uint item = get_local_id(0), size = get_local_size(0), n = 2 * size, base = get_group_id(0) * n;
  const uint bits = 31 - clz(n);
  block[reversed(item, bits)] = in[base + item];
  block[reversed(item + size, bits)] = in[base + item + size];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint length = 2; length <= n; length <<= 1) {
    const uint half_ = length / 2, k = item & (half_ - 1), a = (item / half_) * length + k;
    const float angle = (inverse ? 2.0f : -2.0f) * M_PI_F * (float)k / (float)length;
    const float2 low = block[a], high = times(block[a + half_], (float2)(cos(angle), sin(angle)));
    block[a] = low + high;
    block[a + half_] = low - high;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float scale = inverse ? 1.0f / (float)n : 1.0f;
  out[base + item] = block[item] * scale;
  out[base + item + size] = block[item + size] * scale;
}
