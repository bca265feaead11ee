/* SPDX-License-Identifier: Apache-2.0
 *
 * One step of the heat equation on a square plate: an item is a point, and the edge stays as cold as it is. The product that a
 * compiler might round before or after the sum is a fma(), which is rounded once on every device; 4 times a point is exact. So
 * the bits are the same everywhere, and the host can compare all of them. */
__kernel void heat(__global const float* old, __global float* next) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int side = get_global_size(0);
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  __global const float* p = old + y * side + x;
  next[y * side + x] = fma(0.2f, (p[-1] + p[1]) + (p[-side] + p[side]) - 4.0f * p[0], p[0]);
}
