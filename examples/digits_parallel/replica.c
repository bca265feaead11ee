/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory, uploads and steps of one rank. All work of a rank is in one stream, the average of the gradients among it:
 *
 *   upload of the epoch | forward, loss, backward, gradients | all-reduce | update | forward ... | results
 *
 * No host waits between the steps: an update begins when the average of its gradients is there. */
#define _POSIX_C_SOURCE 200809L /* files.h */

#include "replica.h"

#include <string.h>

#include "../common_comm.h"
#include "../files.h"

enum { kWeighItems = 256 };

static void* deviceMemory(size_t size, rtContext_t context) {
  void* memory = NULL;
  CHECK(rtMalloc(&memory, size != 0 ? size : 1, context));
  return memory;
}

static void* pinnedMemory(size_t size, rtContext_t context) {
  void* memory = NULL;
  CHECK(rtMallocHost(&memory, size != 0 ? size : 1, context));
  return memory;
}

static void imagesCreate(Images* images, uint32_t count, rtContext_t context) {
  images->count = count;
  images->host_images = pinnedMemory(count * kPixels * sizeof(float), context);
  images->host_labels = pinnedMemory(count * sizeof(int32_t), context);
  images->host_losses = pinnedMemory(count * sizeof(float), context);
  images->host_predictions = pinnedMemory(count * sizeof(int32_t), context);
  images->images = deviceMemory(count * kPixels * sizeof(float), context);
  images->labels = deviceMemory(count * sizeof(int32_t), context);
  images->losses = deviceMemory(count * sizeof(float), context);
  images->predictions = deviceMemory(count * sizeof(int32_t), context);
}

static void imagesDestroy(Images* images) {
  void* const memory[] = {images->host_images, images->host_labels, images->host_losses, images->host_predictions,
                          images->images,      images->labels,      images->losses,      images->predictions};
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i) CHECK(rtFree(memory[i]));
}

static void imagesUpload(const Images* images, rtStream_t stream) {
  if (images->count == 0) return;
  CHECK(rtMemcpyAsync(images->images, images->host_images, images->count * kPixels * sizeof(float), RT_MEMCPY_HOST_TO_DEVICE,
                      stream));
  CHECK(rtMemcpyAsync(images->labels, images->host_labels, images->count * sizeof(int32_t), RT_MEMCPY_HOST_TO_DEVICE, stream));
}

static void setImage(Images* images, uint32_t at, const Image* image) {
  datasetScale(images->host_images + (size_t)at * kPixels, image);
  images->host_labels[at] = image->digit;
}

void replicaShare(uint32_t* begin, uint32_t* end, uint32_t count, uint32_t rank, uint32_t size) {
  *begin = (uint32_t)((uint64_t)count * rank / size);
  *end = (uint32_t)((uint64_t)count * (rank + 1) / size);
}

/* Calls setImage, if there are images, for the rank's share of each batch; returns how many these are. */
static uint32_t dealEpoch(Images* images, const Replica* replica, const uint32_t* order) {
  uint32_t dealt = 0;
  for (uint32_t first = 0; first < replica->data->train_count; first += kBatch) {
    const uint32_t left = replica->data->train_count - first;
    uint32_t begin, end;
    replicaShare(&begin, &end, left < kBatch ? left : kBatch, replica->rank, replica->size);
    for (uint32_t i = begin; i < end; ++i, ++dealt) {
      if (images != NULL) setImage(images, dealt, &replica->data->images[order[first + i]]);
    }
  }
  return dealt;
}

static void createHeldOut(Replica* replica) {
  const Dataset* data = replica->data;
  uint32_t begin, end;
  replicaShare(&begin, &end, data->held_out_count, replica->rank, replica->size);
  imagesCreate(&replica->held_out, end - begin, replica->context);
  for (uint32_t i = begin; i < end; ++i) setImage(&replica->held_out, i - begin, &data->images[data->held_out[i]]);
  imagesUpload(&replica->held_out, replica->stream);
}

static void loadWeigh(Replica* replica) {
  char path[kExamplePath];
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = RT_IMAGE_OPENCL_C;
  CHECK(rtModuleLoadFile(&replica->weigh_module, exampleFile(path, "digits_parallel/weigh.cl"), &options, replica->context));
  CHECK(rtModuleGetKernel(&replica->weigh, "weigh", replica->weigh_module));
}

void replicaCreate(Replica* replica, const Dataset* data, const char* kernels, uint64_t seed, const ReplicaPlace* place) {
  memset(replica, 0, sizeof *replica);
  replica->rank = place->rank;
  replica->size = place->size;
  replica->data = data;
  replica->context = place->context;
  replica->comm = place->comm;
  CHECK(rtStreamCreate(&replica->stream, NULL, replica->context));
  CHECK(rtEventCreate(&replica->start, NULL, replica->context));
  CHECK(rtEventCreate(&replica->stop, NULL, replica->context));
  networkCreate(&replica->network, kernels, seed, replica->context); /* one seed: the same weights on each rank */
  loadWeigh(replica);
  workspaceCreate(&replica->workspace, kBatch, replica->context);
  imagesCreate(&replica->train, dealEpoch(NULL, replica, NULL), replica->context);
  createHeldOut(replica);
  workspaceCreate(&replica->held_out_workspace, replica->held_out.count + 1, replica->context);
  replica->results = deviceMemory(sizeof(Results), replica->context);
  replica->host_results = pinnedMemory(sizeof(Results), replica->context);
}

void replicaDestroy(Replica* replica) {
  CHECK(rtFree(replica->results));
  CHECK(rtFree(replica->host_results));
  imagesDestroy(&replica->train);
  imagesDestroy(&replica->held_out);
  workspaceDestroy(&replica->workspace);
  workspaceDestroy(&replica->held_out_workspace);
  networkDestroy(&replica->network);
  CHECK(rtModuleDestroy(replica->weigh_module));
  CHECK(rtEventDestroy(replica->start));
  CHECK(rtEventDestroy(replica->stop));
  CHECK(rtStreamDestroy(replica->stream));
}

void replicaBeginEpoch(Replica* replica, const uint32_t* order) {
  replica->done = 0;
  (void)dealEpoch(&replica->train, replica, order);
  CHECK(rtEventRecord(replica->start, replica->stream));
  imagesUpload(&replica->train, replica->stream);
}

static void submitGradients(Replica* replica, uint32_t count) {
  if (count == 0) { /* more ranks than images in the batch */
    CHECK(rtMemsetAsync(replica->network.gradients, 0, kWeights * sizeof(float), replica->stream));
    return;
  }
  const Images* train = &replica->train;
  const Batch batch = {train->images + (size_t)replica->done * kPixels, train->labels + replica->done,
                       train->losses + replica->done, NULL, count};
  networkGradients(&replica->network, &replica->workspace, &batch, replica->stream);
  replica->done += count;
}

static void submitWeigh(Replica* replica, float weight) {
  uint32_t count = kWeights;
  void* args[] = {&replica->network.gradients, &count, &weight};
  CHECK(rtLaunchKernel(replica->weigh, (kWeights + kWeighItems - 1) / kWeighItems, 1, 1, kWeighItems, 1, 1, 0, replica->stream,
                       args, RT_ARGS_ALL));
}

void replicaStep(Replica* replica, uint32_t batch_count, float rate, int apart) {
  uint32_t begin, end;
  replicaShare(&begin, &end, batch_count, replica->rank, replica->size);
  const uint32_t count = end - begin;
  float* gradients = replica->network.gradients;
  submitGradients(replica, count);
  if (!apart) {
    /* A gradient is the mean over the rank's own images. */
    if (count * replica->size != batch_count) {
      submitWeigh(replica, (float)(count * replica->size) / (float)batch_count);
    }
    CHECK_COMM(rtCommAllReduce(gradients, gradients, kWeights, RT_COMM_F32, RT_COMM_AVERAGE, replica->stream, replica->comm));
  }
  networkUpdate(&replica->network, rate, replica->stream);
}

void replicaEndEpoch(Replica* replica) {
  Images* train = &replica->train;
  Images* held_out = &replica->held_out;
  CHECK(rtEventRecord(replica->stop, replica->stream));
  if (train->count != 0) {
    CHECK(rtMemcpyAsync(train->host_losses, train->losses, train->count * sizeof(float), RT_MEMCPY_DEVICE_TO_HOST,
                        replica->stream));
  }
  if (held_out->count == 0) return;
  const Batch batch = {held_out->images, held_out->labels, held_out->losses, held_out->predictions, held_out->count};
  networkPredict(&replica->network, &replica->held_out_workspace, &batch, replica->stream);
  CHECK(rtMemcpyAsync(held_out->host_losses, held_out->losses, held_out->count * sizeof(float), RT_MEMCPY_DEVICE_TO_HOST,
                      replica->stream));
  CHECK(rtMemcpyAsync(held_out->host_predictions, held_out->predictions, held_out->count * sizeof(int32_t),
                      RT_MEMCPY_DEVICE_TO_HOST, replica->stream));
}

static float sum(const float* values, uint32_t count) {
  double result = 0.0;
  for (uint32_t i = 0; i < count; ++i) result += (double)values[i];
  return (float)result;
}

void replicaSumResults(Replica* replica) {
  const Images* held_out = &replica->held_out;
  synchronizeRank(replica->stream, replica->comm);
  uint32_t right = 0;
  for (uint32_t i = 0; i < held_out->count; ++i) right += held_out->host_predictions[i] == held_out->host_labels[i] ? 1 : 0;
  const Results own = {(float)right, sum(held_out->host_losses, held_out->count),
                       sum(replica->train.host_losses, replica->train.count)};
  memcpy(replica->host_results, &own, sizeof own);
  CHECK(rtMemcpyAsync(replica->results, replica->host_results, sizeof own, RT_MEMCPY_HOST_TO_DEVICE, replica->stream));
  CHECK_COMM(
      rtCommAllReduce(replica->results, replica->results, kResults, RT_COMM_F32, RT_COMM_SUM, replica->stream, replica->comm));
  CHECK(rtMemcpyAsync(replica->host_results, replica->results, sizeof own, RT_MEMCPY_DEVICE_TO_HOST, replica->stream));
}

void replicaReadResults(Results* results, float* milliseconds, Replica* replica) {
  synchronizeRank(replica->stream, replica->comm);
  memcpy(results, replica->host_results, sizeof *results);
  CHECK(rtEventElapsedTime(milliseconds, replica->start, replica->stop));
}
