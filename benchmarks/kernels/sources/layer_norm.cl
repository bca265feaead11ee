/* SPDX-License-Identifier: Apache-2.0
 *
 * Layer normalisation: a group takes a row, sums by halves in local memory. */

float group_sum(float mine, __local float* sums) {
  const size_t lid = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  sums[lid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t size = get_local_size(0); size > 1;) {
    const size_t upper = (size + 1) / 2;
    if (lid + upper < size) sums[lid] += sums[lid + upper];
    barrier(CLK_LOCAL_MEM_FENCE);
    size = upper;
  }
  return sums[0];
}

__kernel void layer_norm(__global const float* input, __global const float* gain, __global const float* bias,
                         __global float* output, __local float* sums, ulong width) {
  const size_t row = get_group_id(0), size = get_local_size(0);
  float sum = 0;
  for (size_t i = get_local_id(0); i < width; i += size) sum += input[row * width + i];
  const float mean = group_sum(sum, sums) / width;
  float squares = 0;
  for (size_t i = get_local_id(0); i < width; i += size) {
    float difference = input[row * width + i] - mean;
    squares += difference * difference;
  }
  const float variance = group_sum(squares, sums) / width;
  const float scale = 1.0 / sqrt(variance + 1e-5);
  for (size_t i = get_local_id(0); i < width; i += size) {
    output[row * width + i] = (input[row * width + i] - mean) * scale * gain[i] + bias[i];
  }
}
