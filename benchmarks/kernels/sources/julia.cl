/* SPDX-License-Identifier: Apache-2.0
 *
 * A Julia set in double precision, coloured without steps. Dimension 0 is the row, as careless users have it. */

double2 square(double2 z) { return (double2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y); }

__kernel void julia(__global float* colour, double2 constant_part, double pixel, uint width, uint height, uint limit) {
  const uint row = get_global_id(0), column = get_global_id(1);
  if (row >= height || column >= width) return;
  double2 z = (double2)((column - 0.5 * width) * pixel, (row - 0.5 * height) * pixel);
  uint n = 0;
  for (; n < limit; ++n) {
    if (dot(z, z) > 64.0) break;
    z = square(z) + constant_part;
  }
  float result = n;
  if (n < limit) result += 1 - log2(0.5f * log((float)dot(z, z)) / log(8.0f));
  colour[row * width + column] = result;
}
