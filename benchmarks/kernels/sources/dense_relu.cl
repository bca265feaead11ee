/* SPDX-License-Identifier: Apache-2.0
 *
 * A layer of a network for a batch: a group takes an image and keeps it in local memory, an item takes a neuron. */

__kernel void dense_relu(__global const float* images, __global const float* weights, __global const float* bias,
                         __global float* output, __local float* image, uint inputs) {
  const uint neuron = get_local_id(0), neurons = get_local_size(0), row = get_group_id(0);
  for (uint i = neuron; i < inputs; i += neurons) image[i] = images[row * inputs + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = bias[neuron];
  for (uint i = 0; i < inputs; ++i) sum += image[i] * weights[i * neurons + neuron];
  output[row * neurons + neuron] = max(sum, 0.0f);
}
