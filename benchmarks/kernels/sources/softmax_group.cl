/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax of each row; a group takes a row, with one pass for the largest and one for the sum in local memory. */

__kernel void softmax_group(__global const float* input, __global float* output, uint width, __local float* shared_values) {
  uint lid = get_local_id(0);
  uint size = get_local_size(0);
  uint row = get_group_id(0);
  float largest = -FLT_MAX;
  for (uint i = lid; i < width; i += size) largest = max(largest, input[row * width + i]);
  shared_values[lid] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0) {
    for (uint i = 1; i < size; ++i) shared_values[0] = max(shared_values[0], shared_values[i]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  largest = shared_values[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (uint i = lid; i < width; i += size) {
    float e = exp(input[row * width + i] - largest);
    output[row * width + i] = e;
    sum += e;
  }
  shared_values[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint stride = 1; stride < size; stride *= 2) {
    if (lid % (2 * stride) == 0 && lid + stride < size) shared_values[lid] += shared_values[lid + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = lid; i < width; i += size) output[row * width + i] /= shared_values[0];
}
