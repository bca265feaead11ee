/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalisation by the mean square, four numbers at a time; an item takes a row. */

__kernel void rms_norm(__global const float4* input, __global const float4* gain, __global float4* output, uint quads, uint rows) {
  uint row = get_global_id(0);
  if (row >= rows) return;
  float4 squares = (float4)(0.0f);
  for (uint i = 0; i < quads; ++i) {
    float4 x = input[row * quads + i];
    squares = mad(x, x, squares);
  }
  float scale = rsqrt(dot(squares, (float4)(1.0f)) / (4.0f * quads) + 1e-6f);
  for (uint i = 0; i < quads; ++i) output[row * quads + i] = input[row * quads + i] * scale * gain[i];
}
