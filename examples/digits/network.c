/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels, device memory and launches of the network. All weights lie in one block, so that one launch updates both layers; the
 * layers are interior addresses of it. */
#include "network.h"

#include <math.h>
#include <string.h>

#include "../common.h"
#include "pcg.h"

enum { kLossItems = 8, kUpdateItems = 256 };

static const float kMomentum = 0.9f;
static const float kDecay = 1e-4f;

/* The file is the user's to name: what is wrong with it is told without this program's lines. */
static void checkKernels(rtStatus_t status, const char* kernels) {
  if (status >= 0) return;
  char* message = lastMessage();
  fprintf(stderr, "digits: the kernels in %s cannot be used, %s: %s\n", kernels, rtGetErrorName(status),
          message != NULL ? message : "");
  free(message);
  exit(EXIT_FAILURE);
}

/* An image of `manyrt cc` ends in .rtm. It was built with its options, and nothing compiles it again where it has code for the
 * device. */
static int isImage(const char* kernels) {
  const size_t length = strlen(kernels);
  return length > 4 && strcmp(kernels + length - 4, ".rtm") == 0;
}

static void loadKernels(Network* network, const char* kernels, rtContext_t context) {
  char build_options[32];
  snprintf(build_options, sizeof build_options, "-DCLASSES=%d", (int)kClasses);
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = isImage(kernels) ? RT_IMAGE_MANYRT : RT_IMAGE_OPENCL_C;
  if (!isImage(kernels)) options.build_options = build_options;
  checkKernels(rtModuleLoadFile(&network->module, kernels, &options, context), kernels);
  checkKernels(rtModuleGetKernel(&network->forward, "forward", network->module), kernels);
  checkKernels(rtModuleGetKernel(&network->loss, "softmax_cross_entropy", network->module), kernels);
  checkKernels(rtModuleGetKernel(&network->backward, "backward", network->module), kernels);
  checkKernels(rtModuleGetKernel(&network->gradient, "gradient", network->module), kernels);
  checkKernels(rtModuleGetKernel(&network->update, "update", network->module), kernels);
}

static void launch(rtKernel_t kernel, uint32_t groups, uint32_t items, void* const* args, rtStream_t stream) {
  CHECK(rtLaunchKernel(kernel, groups, 1, 1, items, 1, 1, 0, stream, args, RT_ARGS_ALL));
}

static float* allocate(size_t count, rtContext_t context) {
  void* memory = NULL;
  CHECK(rtMalloc(&memory, count * sizeof(float), context));
  return memory;
}

/* He's range for ReLU layers, uniform; biases start at 0. */
static void fillLayer(float* layer, uint32_t inputs, uint32_t neurons, Pcg* pcg) {
  const float limit = sqrtf(6.0f / (float)inputs);
  for (uint32_t i = 0; i < inputs * neurons; ++i) layer[i] = pcgUniform(pcg, limit);
  for (uint32_t i = 0; i < neurons; ++i) layer[inputs * neurons + i] = 0.0f;
}

void networkCreate(Network* network, const char* kernels, uint64_t seed, rtContext_t context) {
  loadKernels(network, kernels, context);
  network->weights = allocate(kWeights, context);
  network->gradients = allocate(kWeights, context);
  network->velocity = allocate(kWeights, context);

  void* memory = NULL;
  CHECK(rtMallocHost(&memory, kWeights * sizeof(float), context));
  float* weights = memory;
  Pcg pcg = pcgSeed(seed);
  fillLayer(weights, kPixels, kHidden, &pcg);
  fillLayer(weights + kHiddenLayer, kHidden, kClasses, &pcg);
  CHECK(rtMemcpy(network->weights, weights, kWeights * sizeof(float), RT_MEMCPY_HOST_TO_DEVICE));
  CHECK(rtMemset(network->velocity, 0, kWeights * sizeof(float)));
  CHECK(rtFree(memory));
}

void networkDestroy(Network* network) {
  CHECK(rtFree(network->weights));
  CHECK(rtFree(network->gradients));
  CHECK(rtFree(network->velocity));
  CHECK(rtModuleDestroy(network->module)); /* its kernels end with it */
}

void workspaceCreate(Workspace* workspace, uint32_t images, rtContext_t context) {
  workspace->hidden = allocate((size_t)images * kHidden, context);
  workspace->hidden_delta = allocate((size_t)images * kHidden, context);
  workspace->logits = allocate((size_t)images * kClasses, context);
  workspace->logits_delta = allocate((size_t)images * kClasses, context);
}

void workspaceDestroy(Workspace* workspace) {
  CHECK(rtFree(workspace->hidden));
  CHECK(rtFree(workspace->hidden_delta));
  CHECK(rtFree(workspace->logits));
  CHECK(rtFree(workspace->logits_delta));
}

static void launchForward(const Network* network, const float* input, const float* layer, float* output, uint32_t inputs,
                          uint32_t neurons, uint32_t relu, uint32_t images, rtStream_t stream) {
  size_t image_bytes = inputs * sizeof(float); /* of a __local argument: how much there shall be */
  void* args[] = {&input, &layer, &output, &inputs, &relu, &image_bytes};
  launch(network->forward, images, neurons, args, stream);
}

static void launchGradient(const Network* network, const float* input, const float* delta, float* gradient, uint32_t inputs,
                           uint32_t neurons, uint32_t images, rtStream_t stream) {
  void* args[] = {&input, &delta, &gradient, &inputs, &images};
  launch(network->gradient, inputs + 1, neurons, args, stream);
}

/* `delta` may be NULL where no backward pass follows. */
static void forwardAndLoss(const Network* network, const Workspace* workspace, const Batch* batch, float* delta,
                           rtStream_t stream) {
  Batch values = *batch; /* arguments are addresses of values that are not const */
  float* logits = workspace->logits;
  launchForward(network, batch->images, network->weights, workspace->hidden, kPixels, kHidden, 1, batch->count, stream);
  launchForward(network, workspace->hidden, network->weights + kHiddenLayer, logits, kHidden, kClasses, 0, batch->count,
                stream);
  void* args[] = {&logits, &values.labels, &delta, &values.losses, &values.predictions, &values.count};
  launch(network->loss, (batch->count + kLossItems - 1) / kLossItems, kLossItems, args, stream);
}

void networkPredict(const Network* network, const Workspace* workspace, const Batch* batch, rtStream_t stream) {
  forwardAndLoss(network, workspace, batch, NULL, stream);
}

void networkGradients(const Network* network, const Workspace* workspace, const Batch* batch, rtStream_t stream) {
  forwardAndLoss(network, workspace, batch, workspace->logits_delta, stream);

  Workspace at = *workspace;
  float* output_layer = network->weights + kHiddenLayer;
  uint32_t classes = kClasses;
  void* backward[] = {&at.logits_delta, &output_layer, &at.hidden, &at.hidden_delta, &classes};
  launch(network->backward, batch->count, kHidden, backward, stream);

  launchGradient(network, batch->images, at.hidden_delta, network->gradients, kPixels, kHidden, batch->count, stream);
  launchGradient(network, at.hidden, at.logits_delta, network->gradients + kHiddenLayer, kHidden, kClasses, batch->count,
                 stream);
}

void networkUpdate(const Network* network, float rate, rtStream_t stream) {
  Network own = *network;
  uint32_t count = kWeights;
  float momentum = kMomentum;
  float decay = kDecay;
  void* update[] = {&own.weights, &own.gradients, &own.velocity, &count, &rate, &momentum, &decay};
  launch(network->update, (kWeights + kUpdateItems - 1) / kUpdateItems, kUpdateItems, update, stream);
}

void networkTrain(const Network* network, const Workspace* workspace, const Batch* batch, float rate, rtStream_t stream) {
  networkGradients(network, workspace, batch, stream);
  networkUpdate(network, rate, stream);
}

void networkSetRate(const Network* network, const UpdateMemory* memory, float rate, rtGraphNode_t update, rtGraphExec_t exec) {
  const uint32_t count = kWeights;
  const rtGraphOperand_t none = {NULL, 0, NULL};
  const rtGraphArg_t args[] = {
      {RT_ARG_POINTER, 0, 0, NULL, memory->weights},  {RT_ARG_POINTER, 0, 0, NULL, memory->gradients},
      {RT_ARG_POINTER, 0, 0, NULL, memory->velocity}, {RT_ARG_VALUE, 0, sizeof count, &count, none},
      {RT_ARG_VALUE, 0, sizeof rate, &rate, none},    {RT_ARG_VALUE, 0, sizeof kMomentum, &kMomentum, none},
      {RT_ARG_VALUE, 0, sizeof kDecay, &kDecay, none}};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = network->update;
  params.args = args;
  params.arg_count = sizeof args / sizeof args[0];
  params.grid[0] = (kWeights + kUpdateItems - 1) / kUpdateItems;
  params.group[0] = kUpdateItems;
  CHECK(rtGraphExecSetKernelParams(update, &params, exec));
}

/* All weights on the host, for rtFree(). */
static void* readWeights(const Network* network, rtContext_t context, rtStream_t stream) {
  void* memory = NULL;
  CHECK(rtMallocHost(&memory, kWeights * sizeof(float), context));
  CHECK(rtMemcpyAsync(memory, network->weights, kWeights * sizeof(float), RT_MEMCPY_DEVICE_TO_HOST, stream));
  CHECK(rtStreamSynchronize(stream));
  return memory;
}

void networkSave(const Network* network, const char* path, rtContext_t context, rtStream_t stream) {
  void* memory = readWeights(network, context, stream);
  FILE* file = fopen(path, "wb");
  const int written = file != NULL && fwrite(memory, sizeof(float), kWeights, file) == kWeights;
  if (file == NULL || fclose(file) != 0 || !written) {
    fprintf(stderr, "digits: the weights cannot be written to %s\n", path);
    exit(EXIT_FAILURE);
  }
  CHECK(rtFree(memory));
}

uint64_t networkHash(const Network* network, rtContext_t context, rtStream_t stream) {
  void* memory = readWeights(network, context, stream);
  const unsigned char* bytes = memory;
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < kWeights * sizeof(float); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  CHECK(rtFree(memory));
  return hash;
}
