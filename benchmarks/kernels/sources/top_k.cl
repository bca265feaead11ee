/* SPDX-License-Identifier: Apache-2.0
 *
 * The K largest of each row and where they are, kept in order in private arrays. */

#define K 5

__kernel void top_k(__global const float* scores, __global float* best, __global int* where, int width, int rows) {
  int row = get_global_id(0);
  if (row >= rows) return;
  float value[K];
  int index[K];
  for (int i = 0; i < K; i++) {
    value[i] = -FLT_MAX;
    index[i] = -1;
  }
  for (int column = 0; column < width; column++) {
    float candidate = scores[row * width + column];
    if (candidate <= value[K - 1]) continue;
    int place = K - 1;
    while (place > 0 && value[place - 1] < candidate) {
      value[place] = value[place - 1];
      index[place] = index[place - 1];
      place--;
    }
    value[place] = candidate;
    index[place] = column;
  }
  for (int i = 0; i < K; i++) {
    best[row * K + i] = value[i];
    where[row * K + i] = index[i];
  }
}
