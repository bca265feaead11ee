/* SPDX-License-Identifier: Apache-2.0
 *
 * A layer with weights of 8 bits in groups of 32 that share a scale, times a vector of float; an item takes an output. */

__kernel void quant_rows(__global const char* weights, __global const float* scales, __global const float* input,
                         __global float* output, int inputs, int outputs) {
  int row = get_global_id(0);
  if (row >= outputs) return;
  int groups = inputs / 32;
  float sum = 0.0f;
  for (int g = 0; g < groups; ++g) {
    float part = 0.0f;
    for (int i = 0; i < 32; ++i) part += weights[(row * groups + g) * 32 + i] * input[g * 32 + i];
    sum += scales[row * groups + g] * part;
  }
  output[row] = sum;
}
