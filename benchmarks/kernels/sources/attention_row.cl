/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention of one head: a group takes a row of queries, keeps its scores in local memory and looks at no later row. */

__kernel void attention_row(__global const float* queries, __global const float* keys, __global const float* values,
                            __global float* output, __local float* scores, __local float* partial, int length, int width) {
  const int row = get_group_id(0), lid = get_local_id(0), size = get_local_size(0);
  const int visible = row + 1;
  const float scale = 1.0f / sqrt((float)width);

  float largest = -MAXFLOAT;
  for (int k = lid; k < visible; k += size) {
    float sum = 0.0f;
    for (int d = 0; d < width; ++d) sum += queries[row * width + d] * keys[k * width + d];
    scores[k] = sum * scale;
    largest = fmax(largest, scores[k]);
  }
  partial[lid] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < size; ++i) largest = fmax(largest, partial[i]);
  barrier(CLK_LOCAL_MEM_FENCE);

  float sum = 0.0f;
  for (int k = lid; k < visible; k += size) {
    scores[k] = exp(scores[k] - largest);
    sum += scores[k];
  }
  partial[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  float total = 0.0f;
  for (int i = 0; i < size; ++i) total += partial[i];

  for (int d = lid; d < width; d += size) {
    float value = 0.0f;
    for (int k = 0; k < visible; ++k) value += scores[k] * values[k * width + d];
    output[row * width + d] = value / total;
  }
}
