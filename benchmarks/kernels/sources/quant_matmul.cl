/* SPDX-License-Identifier: Apache-2.0
 *
 * Product of two matrices of 8-bit numbers with a scale for each row and column. The second one is stored by columns. */

__kernel void quant_matmul(__global const char4* left, __global const char4* right, __global const float* row_scale,
                           __global const float* column_scale, __global float* result, uint rows, uint columns, uint quads) {
  uint column = get_global_id(0);
  uint row = get_global_id(1);
  if (row >= rows || column >= columns) return;
  int sum = 0;
  for (uint k = 0; k < quads; ++k) {
    int4 product = convert_int4(left[row * quads + k]) * convert_int4(right[column * quads + k]);
    sum += product.x + product.y + product.z + product.w;
  }
  result[row * columns + column] = sum * row_scale[row] * column_scale[column];
}
