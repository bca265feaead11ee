/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolution of one pixel: channels lie together, x is the channel of the output, y the pixel. */

__kernel void conv1x1(__global const float* input, __global const float* weights, __global float* output, ulong in_channels,
                      ulong out_channels, ulong pixels) {
  size_t out = get_global_id(0), pixel = get_global_id(1);
  if (out >= out_channels || pixel >= pixels) return;
  float sum = 0;
  for (size_t c = 0; c < in_channels; ++c) sum += input[pixel * in_channels + c] * weights[c * out_channels + out];
  output[pixel * out_channels + out] = sum > 0 ? sum : 0.01 * sum;
}
