/* SPDX-License-Identifier: Apache-2.0
 *
 * The five kernels of the network, as C functions over a grid of work-groups. A layer is one matrix of (inputs + 1) rows and a
 * column for each neuron; its last row is the bias. Batches are rows too. Every sum runs in a fixed order inside one work-item,
 * so the bits of a result do not depend on how many threads there are. */
#ifndef MANYRT_EXAMPLES_DIGITS_KERNELS_H_
#define MANYRT_EXAMPLES_DIGITS_KERNELS_H_

#include <rt.h>

/* A group is an image, an item a neuron. Arguments: input, layer, output, uint32 inputs, uint32 relu. */
void forwardKernel(const rtHostGroup_t* group, void* const* args);

/* Softmax cross-entropy; an item is an image. Arguments: logits, int32 labels, delta (NULL: not wanted), losses,
 * int32 predictions (NULL: not wanted), uint32 images. delta is the gradient of the mean loss towards the logits. */
void lossKernel(const rtHostGroup_t* group, void* const* args);

/* Back through a layer and the ReLU before it. A group is an image, an item an input of the layer. Arguments: delta, layer,
 * activation (the layer's input), input_delta, uint32 outputs. */
void backwardKernel(const rtHostGroup_t* group, void* const* args);

/* The gradient of a layer. A group is a row of the layer (the last: the bias), an item a neuron. Arguments: input, delta,
 * gradient, uint32 inputs, uint32 images. */
void gradientKernel(const rtHostGroup_t* group, void* const* args);

/* Gradient descent with momentum and weight decay; an item is a weight. Arguments: weights, gradients, velocity, uint32
 * weights, float rate, float momentum, float decay. */
void updateKernel(const rtHostGroup_t* group, void* const* args);

#endif /* MANYRT_EXAMPLES_DIGITS_KERNELS_H_ */
