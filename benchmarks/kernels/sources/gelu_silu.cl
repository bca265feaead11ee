/* SPDX-License-Identifier: Apache-2.0
 *
 * Two activations: the exact GELU of one half of a row gates the SiLU of the other. */

__kernel void gelu_silu(__global const float* input, __global float* output, __global float* gate, int width, int rows) {
  int column = get_global_id(0), row = get_global_id(1);
  if (column >= width || row >= rows) return;
  float a = input[row * 2 * width + column];
  float b = input[row * 2 * width + width + column];
  float gelu = 0.5f * a * (1.0f + erf(a * M_SQRT1_2_F));
  float silu = b / (1.0f + exp(-b));
  gate[row * width + column] = 0.5f * a * (1.0f + tanh(0.7978845608f * (a + 0.044715f * a * a * a)));
  output[row * width + column] = gelu * silu;
}
