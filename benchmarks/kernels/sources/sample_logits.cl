/* SPDX-License-Identifier: Apache-2.0
 *
 * A word for each row of logits, drawn with a given number between 0 and 1 at a temperature. */

__kernel void sample_logits(__global const float* logits, __global const float* chance, __global int* chosen,
                            __global float* probability, float temperature, uint width, uint rows) {
  const size_t row = get_global_id(0);
  if (row >= rows) return;
  __global const float* mine = logits + row * width;
  float largest = mine[0];
  for (uint i = 1; i < width; ++i) largest = max(largest, mine[i]);
  float total = 0.0f;
  for (uint i = 0; i < width; ++i) total += exp((mine[i] - largest) / temperature);
  const float wanted = chance[row] * total;
  float sum = 0.0f, last = 0.0f;
  uint i = 0;
  for (; i < width; ++i) {
    last = exp((mine[i] - largest) / temperature);
    sum += last;
    if (sum > wanted) break;
  }
  chosen[row] = min(i, width - 1);
  probability[row] = last / total;
}
