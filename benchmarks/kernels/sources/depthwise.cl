/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolution of each channel by itself, 3 x 3 with a step of two pixels; an item takes four channels. */

__kernel void depthwise(__global const float4* input, __constant float4* weights, __global float4* output, uint width, uint height,
                        uint quads) {
  uint quad = get_global_id(0), x = get_global_id(1), y = get_global_id(2);
  uint out_width = (width + 1) / 2, out_height = (height + 1) / 2;
  if (quad >= quads || x >= out_width || y >= out_height) return;
  float4 sum = 0.0f;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      uint yy = 2 * y + i - 1, xx = 2 * x + j - 1; /* what is left of 0 wraps, and is outside */
      if (yy < height && xx < width) sum += input[(yy * width + xx) * quads + quad] * weights[(i * 3 + j) * quads + quad];
    }
  }
  output[(y * out_width + x) * quads + quad] = clamp(sum, 0.0f, 6.0f);
}
