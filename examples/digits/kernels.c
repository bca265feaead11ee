/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels. Each is called once for a work-group and loops over its work-items; where a sum runs over many inputs, the loop
 * over items is the inner one, so that it reads rows of the matrix and the compiler can use vector instructions. */
#include "kernels.h"

#include <math.h>

#include "data.h"

/* args[i] points to the value of argument i. */
#define ARG(type, index) (*(type const*)args[index])

void forwardKernel(const rtHostGroup_t* group, void* const* args) {
  const uint32_t inputs = ARG(uint32_t, 3);
  const uint32_t relu = ARG(uint32_t, 4);
  const uint32_t neurons = group->group_size[0];
  const size_t image = group->group_id[0];
  const float* restrict input = ARG(float*, 0) + image * inputs;
  const float* restrict layer = ARG(float*, 1);
  float* restrict output = ARG(float*, 2) + image * neurons;

  const float* bias = layer + (size_t)inputs * neurons;
  for (uint32_t item = 0; item < neurons; ++item) output[item] = bias[item];
  for (uint32_t i = 0; i < inputs; ++i) {
    const float x = input[i];
    const float* row = layer + (size_t)i * neurons;
    for (uint32_t item = 0; item < neurons; ++item) output[item] += x * row[item];
  }
  if (relu == 0) return;
  for (uint32_t item = 0; item < neurons; ++item) output[item] = output[item] > 0.0f ? output[item] : 0.0f;
}

void lossKernel(const rtHostGroup_t* group, void* const* args) {
  float* const delta = ARG(float*, 2);
  int32_t* const predictions = ARG(int32_t*, 4);
  const uint32_t images = ARG(uint32_t, 5);

  for (uint32_t item = 0; item < group->group_size[0]; ++item) {
    const size_t image = (size_t)group->group_id[0] * group->group_size[0] + item;
    if (image >= images) return; /* the last group may reach beyond the batch */
    const float* logits = ARG(float*, 0) + image * kClasses;
    const int32_t label = ARG(int32_t*, 1)[image];

    int32_t best = 0;
    for (int32_t c = 1; c < kClasses; ++c) best = logits[c] > logits[best] ? c : best;
    float exponentials[kClasses];
    float sum = 0.0f;
    for (int32_t c = 0; c < kClasses; ++c) {
      exponentials[c] = expf(logits[c] - logits[best]); /* at most 1: no overflow */
      sum += exponentials[c];
    }
    ARG(float*, 3)[image] = logf(sum) - (logits[label] - logits[best]);
    if (predictions != NULL) predictions[image] = best;
    if (delta == NULL) continue;
    for (int32_t c = 0; c < kClasses; ++c) {
      delta[image * kClasses + (size_t)c] = (exponentials[c] / sum - (c == label ? 1.0f : 0.0f)) / (float)images;
    }
  }
}

void backwardKernel(const rtHostGroup_t* group, void* const* args) {
  const uint32_t outputs = ARG(uint32_t, 4);
  const uint32_t inputs = group->group_size[0];
  const size_t image = group->group_id[0];
  const float* restrict delta = ARG(float*, 0) + image * outputs;
  const float* restrict layer = ARG(float*, 1);
  const float* restrict activation = ARG(float*, 2) + image * inputs;
  float* restrict input_delta = ARG(float*, 3) + image * inputs;

  for (uint32_t item = 0; item < inputs; ++item) {
    float sum = 0.0f;
    for (uint32_t o = 0; o < outputs; ++o) sum += delta[o] * layer[(size_t)item * outputs + o];
    input_delta[item] = activation[item] > 0.0f ? sum : 0.0f;
  }
}

void gradientKernel(const rtHostGroup_t* group, void* const* args) {
  const uint32_t inputs = ARG(uint32_t, 3);
  const uint32_t images = ARG(uint32_t, 4);
  const uint32_t neurons = group->group_size[0];
  const uint32_t row = group->group_id[0];
  const float* restrict input = ARG(float*, 0);
  const float* restrict delta = ARG(float*, 1);
  float* restrict gradient = ARG(float*, 2) + (size_t)row * neurons;

  for (uint32_t item = 0; item < neurons; ++item) gradient[item] = 0.0f;
  for (uint32_t image = 0; image < images; ++image) {
    const float x = row < inputs ? input[(size_t)image * inputs + row] : 1.0f;
    const float* image_delta = delta + (size_t)image * neurons;
    for (uint32_t item = 0; item < neurons; ++item) gradient[item] += x * image_delta[item];
  }
}

void updateKernel(const rtHostGroup_t* group, void* const* args) {
  float* restrict weights = ARG(float*, 0);
  const float* restrict gradients = ARG(float*, 1);
  float* restrict velocity = ARG(float*, 2);
  const uint32_t count = ARG(uint32_t, 3);
  const float rate = ARG(float, 4);
  const float momentum = ARG(float, 5);
  const float decay = ARG(float, 6);

  const uint32_t first = group->group_id[0] * group->group_size[0];
  const uint32_t end = count - first < group->group_size[0] ? count : first + group->group_size[0];
  for (uint32_t i = first; i < end; ++i) {
    velocity[i] = momentum * velocity[i] - rate * (gradients[i] + decay * weights[i]);
    weights[i] += velocity[i];
  }
}
