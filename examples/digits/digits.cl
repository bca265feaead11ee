/* SPDX-License-Identifier: Apache-2.0
 *
 * The five kernels of the network, in OpenCL C 1.2. A layer is one matrix of (inputs + 1) rows and a column for each neuron; its
 * last row is the bias. Batches are rows too. CLASSES is defined by the program.
 *
 * Every sum runs in a fixed order inside one work-item, so the bits of a result do not depend on how many work-items run at the
 * same time, nor do they change from run to run. They may differ between machines: a product and the sum after it are rounded
 * once where the device can do that, and exp and log are the device's. */

/* A group is an image, an item a neuron. The image is read once by the whole group. */
__kernel void forward(__global const float* input, __global const float* layer, __global float* output, uint inputs, uint relu,
                      __local float* image) {
  const uint neuron = get_local_id(0);
  const uint neurons = get_local_size(0);
  const uint row = get_group_id(0);
  for (uint i = neuron; i < inputs; i += neurons) image[i] = input[row * inputs + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = layer[inputs * neurons + neuron];
  for (uint i = 0; i < inputs; ++i) sum += image[i] * layer[i * neurons + neuron];
  output[row * neurons + neuron] = relu != 0 ? fmax(sum, 0.0f) : sum;
}

/* Softmax cross-entropy; an item is an image. `delta`, the gradient of the mean loss towards the logits, and `predictions` may
 * be null: not wanted. */
__kernel void softmax_cross_entropy(__global const float* logits, __global const int* labels, __global float* delta,
                                    __global float* losses, __global int* predictions, uint images) {
  const uint image = get_global_id(0);
  if (image >= images) return; /* the last group may reach beyond the batch */
  __global const float* own = logits + image * CLASSES;
  const int label = labels[image];

  int best = 0;
  for (int c = 1; c < CLASSES; ++c) best = own[c] > own[best] ? c : best;
  float exponentials[CLASSES];
  float sum = 0.0f;
  for (int c = 0; c < CLASSES; ++c) {
    exponentials[c] = exp(own[c] - own[best]); /* at most 1: no overflow */
    sum += exponentials[c];
  }
  losses[image] = log(sum) - (own[label] - own[best]);
  if (predictions) predictions[image] = best;
  if (!delta) return;
  for (int c = 0; c < CLASSES; ++c) {
    delta[image * CLASSES + c] = (exponentials[c] / sum - (c == label ? 1.0f : 0.0f)) / images;
  }
}

/* Back through a layer and the ReLU before it. A group is an image, an item an input of the layer. */
__kernel void backward(__global const float* delta, __global const float* layer, __global const float* activation,
                       __global float* input_delta, uint outputs) {
  const uint item = get_local_id(0);
  const uint inputs = get_local_size(0);
  const uint image = get_group_id(0);
  float sum = 0.0f;
  for (uint o = 0; o < outputs; ++o) sum += delta[image * outputs + o] * layer[item * outputs + o];
  input_delta[image * inputs + item] = activation[image * inputs + item] > 0.0f ? sum : 0.0f;
}

/* The gradient of a layer. A group is a row of the layer (the last: the bias), an item a neuron. */
__kernel void gradient(__global const float* input, __global const float* delta, __global float* result, uint inputs,
                       uint images) {
  const uint neuron = get_local_id(0);
  const uint neurons = get_local_size(0);
  const uint row = get_group_id(0);
  float sum = 0.0f;
  for (uint image = 0; image < images; ++image) {
    const float x = row < inputs ? input[image * inputs + row] : 1.0f;
    sum += x * delta[image * neurons + neuron];
  }
  result[row * neurons + neuron] = sum;
}

/* Gradient descent with momentum and weight decay; an item is a weight. Written with fma, so that each device rounds alike: ranks
 * on devices of different kinds, which have the same gradients, keep the same weights (examples/digits_parallel). */
__kernel void update(__global float* weights, __global const float* gradients, __global float* velocity, uint count, float rate,
                     float momentum, float decay) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  velocity[i] = fma(momentum, velocity[i], -rate * fma(decay, weights[i], gradients[i]));
  weights[i] += velocity[i];
}
