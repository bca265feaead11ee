/* SPDX-License-Identifier: Apache-2.0
 *
 * The discrete cosine transform of the 8 x 8 blocks of an image, as JPEG has it: rows into local memory, then columns. */

__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void dct8x8(__global const uchar* image, __constant float* cosines,
                                                                    __global const uchar* divisors, __global float* coefficients,
                                                                    __global short* quantised, int width) {
  __local float rows[8][8];
  const int u = get_local_id(0), y = get_local_id(1);
  const int x0 = get_group_id(0) * 8, y0 = get_group_id(1) * 8;
  float sum = 0;
  for (int x = 0; x < 8; ++x) sum += (image[(y0 + y) * width + x0 + x] - 128.0f) * cosines[u * 8 + x];
  rows[y][u] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  float result = 0;
  for (int i = 0; i < 8; ++i) result += rows[i][u] * cosines[y * 8 + i];
  const int at = (y0 + y) * width + x0 + u;
  coefficients[at] = result;
  quantised[at] = convert_short_sat_rte(result / divisors[y * 8 + u]);
}
