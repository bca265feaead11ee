/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of the model, in OpenCL C 1.2. A matrix has a row for each image; a layer has a column for each neuron, and its last
 * row is the bias. Graphs have fixed grids, so each kernel gets the number of images in the batch and leaves out what is beyond.
 *
 * The same bits come out on all processors, with and without fused instructions: a product and the sum after it are rounded each,
 * and the exponential is one of our own. */
#pragma OPENCL FP_CONTRACT OFF

/* Grey levels from 0 to 16 become numbers from 0 to 1; an item is a pixel. */
__kernel void scale(__global const uchar* pixels, __global float* values, uint per_image, uint images) {
  const uint i = get_global_id(0);
  if (i < per_image * images) values[i] = pixels[i] * 0.0625f;
}

/* An item is a neuron in x, an image in y. */
__kernel void dense(__global const float* input, __global const float* layer, __global float* output, uint inputs, uint neurons,
                    uint relu, uint images) {
  const uint neuron = get_global_id(0);
  const uint image = get_global_id(1);
  if (neuron >= neurons || image >= images) return;
  float sum = layer[inputs * neurons + neuron];
  for (uint i = 0; i < inputs; ++i) sum += input[image * inputs + i] * layer[i * neurons + neuron];
  output[image * neurons + neuron] = relu != 0 ? fmax(sum, 0.0f) : sum;
}

/* e to the power of x, of x from -87 to 0: a power of two, and Taylor's series for what is left, at most half of log(2). exp() is
 * another function on each device, within some units of the last place. */
float power(float x) {
  const float whole = rint(x * 1.442695f);
  const float left = (x - whole * 0.693359375f) + whole * 2.1219444e-4f; /* log(2) in two parts, the first with few bits */
  float sum = 1.0f;
  for (int k = 7; k > 0; --k) sum = 1.0f + sum * left / k;
  return ldexp(sum, (int)whole);
}

/* In place; an item is an image. */
__kernel void softmax(__global float* rows, uint classes, uint images) {
  const uint image = get_global_id(0);
  if (image >= images) return;
  __global float* row = rows + image * classes;
  float most = row[0];
  for (uint c = 1; c < classes; ++c) most = fmax(most, row[c]);
  float sum = 0.0f;
  for (uint c = 0; c < classes; ++c) {
    row[c] = power(fmax(row[c] - most, -87.0f)); /* at most 1: no overflow */
    sum += row[c];
  }
  for (uint c = 0; c < classes; ++c) row[c] /= sum;
}

/* The class with the greatest number of a row; an item is an image. */
__kernel void best(__global const float* rows, __global int* found, uint classes, uint images) {
  const uint image = get_global_id(0);
  if (image >= images) return;
  __global const float* row = rows + image * classes;
  uint most = 0;
  for (uint c = 1; c < classes; ++c) most = row[c] > row[most] ? c : most;
  found[image] = most;
}
