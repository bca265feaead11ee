/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolution of an image of channels with a border of zeros: x and y are the pixel, z the channel of the output. */

__kernel void conv2d(__global const float* input, __global const float* weights, __global const float* bias,
                     __global float* output, int width, int height, int channels, int side) {
  int x = get_global_id(0), y = get_global_id(1), out = get_global_id(2);
  if (x >= width || y >= height) return;
  float sum = bias[out];
  int reach = side / 2;
  for (int c = 0; c < channels; c++) {
    for (int i = -reach; i <= reach; i++) {
      for (int j = -reach; j <= reach; j++) {
        int yy = y + i, xx = x + j;
        if (yy < 0 || yy >= height || xx < 0 || xx >= width) continue;
        sum += input[(c * height + yy) * width + xx] * weights[((out * channels + c) * side + i + reach) * side + j + reach];
      }
    }
  }
  output[(out * height + y) * width + x] = fmax(sum, 0.0f);
}
