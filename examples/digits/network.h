/* SPDX-License-Identifier: Apache-2.0
 *
 * The network of 64 inputs, 128 hidden neurons (ReLU) and 10 outputs on one device. It has kernels and memory, and the launches
 * of a prediction or a step of training. Everything is submitted to a stream and returns at once. */
#ifndef MANYRT_EXAMPLES_DIGITS_NETWORK_H_
#define MANYRT_EXAMPLES_DIGITS_NETWORK_H_

#include <rt.h>

#include "data.h"

enum {
  kHidden = 128,
  kHiddenLayer = (kPixels + 1) * kHidden,  /* weights of the first layer, biases among them */
  kOutputLayer = (kHidden + 1) * kClasses, /* and of the second */
  kWeights = kHiddenLayer + kOutputLayer
};

typedef struct Network {
  rtModule_t module;  /* of digits.cl; owned */
  rtKernel_t forward; /* the module's, as the next four */
  rtKernel_t loss;
  rtKernel_t backward;
  rtKernel_t gradient;
  rtKernel_t update;
  float* weights;   /* device: hidden layer, then output layer */
  float* gradients; /* device, as weights */
  float* velocity;  /* device, as weights */
} Network;

/* The data between the layers while a batch is on its way. Device memory, owned. */
typedef struct Workspace {
  float* hidden;
  float* hidden_delta;
  float* logits;
  float* logits_delta;
} Workspace;

/* A batch on the device; borrowed. */
typedef struct Batch {
  const float* images;
  const int32_t* labels;
  float* losses;        /* receives the loss of each image */
  int32_t* predictions; /* receives the digit that was read; may be NULL */
  uint32_t count;
} Batch;

/* Builds the kernels of the file `kernels`; random weights from the seed. Waits until they are on the device. A file that
 * cannot be read or built ends the program, with the compiler's log. */
void networkCreate(Network* network, const char* kernels, uint64_t seed, rtContext_t context);
void networkDestroy(Network* network);

void workspaceCreate(Workspace* workspace, uint32_t images, rtContext_t context);
void workspaceDestroy(Workspace* workspace);

/* Forward and loss. */
void networkPredict(const Network* network, const Workspace* workspace, const Batch* batch, rtStream_t stream);

/* Forward, loss, backward: the gradients of the batch's mean loss. */
void networkGradients(const Network* network, const Workspace* workspace, const Batch* batch, rtStream_t stream);

/* Descends along the gradients. */
void networkUpdate(const Network* network, float rate, rtStream_t stream);

/* Both. */
void networkTrain(const Network* network, const Workspace* workspace, const Batch* batch, float rate, rtStream_t stream);

/* The memory of a step's last launch, as operands of a graph. */
typedef struct UpdateMemory {
  rtGraphOperand_t weights;
  rtGraphOperand_t gradients;
  rtGraphOperand_t velocity;
} UpdateMemory;

/* Another rate for the node `update`, which a capture of networkTrain has recorded last. */
void networkSetRate(const Network* network, const UpdateMemory* memory, float rate, rtGraphNode_t update, rtGraphExec_t exec);

/* Writes all weights to a file, as the device has them. Waits for the stream. */
void networkSave(const Network* network, const char* path, rtContext_t context, rtStream_t stream);

/* FNV-1a, 64 bits, over the bytes of all weights. Waits for the stream. */
uint64_t networkHash(const Network* network, rtContext_t context, rtStream_t stream);

#endif /* MANYRT_EXAMPLES_DIGITS_NETWORK_H_ */
