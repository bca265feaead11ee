/* SPDX-License-Identifier: Apache-2.0
 *
 * The largest of 3 x 3 pixels at every second pixel, and where it was. Dimension 0 is the row, dimension 1 the column. */

__kernel void max_pool(__global const float* input, __global float* output, __global int* where, int height, int width) {
  const int row = get_global_id(0), column = get_global_id(1), channel = get_global_id(2);
  const int out_height = (height + 1) / 2, out_width = (width + 1) / 2;
  if (row >= out_height || column >= out_width) return;
  float best = -MAXFLOAT;
  int at = -1;
  for (int y = max(2 * row - 1, 0); y <= min(2 * row + 1, height - 1); ++y) {
    for (int x = max(2 * column - 1, 0); x <= min(2 * column + 1, width - 1); ++x) {
      const float value = input[(channel * height + y) * width + x];
      if (value > best) {
        best = value;
        at = y * width + x;
      }
    }
  }
  const int to = (channel * out_height + row) * out_width + column;
  output[to] = best;
  where[to] = at;
}
