/* SPDX-License-Identifier: Apache-2.0
 *
 * The set of Mandelbrot: steps until a point is far away. */

__kernel void mandelbrot(__global float* steps, float left, float top, float pixel, int width, int height, int limit) {
  int column = get_global_id(0);
  int row = get_global_id(1);
  if (column >= width || row >= height) return;
  float cx = left + column * pixel, cy = top + row * pixel;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    n++;
  }
  steps[row * width + column] = n;
}
