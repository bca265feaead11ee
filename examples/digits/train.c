/* SPDX-License-Identifier: Apache-2.0
 *
 * Training in mini-batches. Two streams work at the same time: while `compute` learns from one batch, `copy` uploads the next
 * into the other of two slots. Two events of each slot keep the order:
 *
 *   copy     wait consumed[s] | upload slot s | record uploaded[s]
 *   compute                     wait uploaded[s] | seven kernels on slot s | record consumed[s]
 *
 * Where graphs were asked for, the seven kernels of a whole batch are one launch of a graph.
 *
 * The host waits for one thing only inside an epoch: that the upload before last has left the pinned memory it fills next. */
#include "train.h"

#include <string.h>

#include "../common.h"
#include "network.h"
#include "pcg.h"
#include "step_graph.h"

enum { kBatch = 32, kSlots = 2 };

static const float kFirstRate = 0.1f; /* falls to 0 in a straight line, so that the final epoch is a calm one */

typedef struct Slot {
  float* host_images; /* pinned */
  int32_t* host_labels;
  float* images; /* device */
  int32_t* labels;
  rtEvent_t uploaded;
  rtEvent_t consumed;
  StepGraph step; /* of whole batches, where there are graphs */
} Slot;

typedef struct Trainer {
  const Dataset* data;
  rtContext_t context;
  rtStream_t compute;
  rtStream_t copy;
  rtEvent_t start; /* of an epoch; timed */
  rtEvent_t stop;
  Network network;
  Workspace batch_workspace;
  Workspace held_out_workspace;
  Slot slots[kSlots];
  uint32_t slot; /* the next to fill */
  uint32_t* order;
  Pcg pcg;
  float* train_losses; /* device */
  Batch held_out;      /* device, uploaded once */
  float* host_train_losses;
  float* host_held_out_losses;
  int32_t* host_predictions;
  int graph;
} Trainer;

static void* deviceMemory(size_t size, rtContext_t context) {
  void* memory = NULL;
  CHECK(rtMalloc(&memory, size, context));
  return memory;
}

static void* pinnedMemory(size_t size, rtContext_t context) {
  void* memory = NULL;
  CHECK(rtMallocHost(&memory, size, context));
  return memory;
}

static void* hostMemory(size_t size) {
  void* memory = malloc(size);
  if (memory == NULL) {
    fprintf(stderr, "digits: no memory for %zu bytes\n", size);
    exit(EXIT_FAILURE);
  }
  return memory;
}

static rtStream_t createStream(const char* label, rtContext_t context) {
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  strncpy(options.label, label, sizeof options.label - 1); /* seen in a trace: RT_TRACE=digits.json */
  rtStream_t stream = NULL;
  CHECK(rtStreamCreate(&stream, &options, context));
  return stream;
}

static rtEvent_t createEvent(uint32_t flags, rtContext_t context) {
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = flags;
  rtEvent_t event = NULL;
  CHECK(rtEventCreate(&event, &options, context));
  return event;
}

static void fillHost(float* images, int32_t* labels, const Dataset* data, const uint32_t* indices, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const Image* image = &data->images[indices[i]];
    datasetScale(images + (size_t)i * kPixels, image);
    labels[i] = image->digit;
  }
}

static void createHeldOut(Trainer* trainer) {
  const Dataset* data = trainer->data;
  const uint32_t count = data->held_out_count;
  float* host_images = pinnedMemory(count * kPixels * sizeof(float), trainer->context);
  int32_t* host_labels = pinnedMemory(count * sizeof(int32_t), trainer->context);
  float* images = deviceMemory(count * kPixels * sizeof(float), trainer->context);
  int32_t* labels = deviceMemory(count * sizeof(int32_t), trainer->context);
  fillHost(host_images, host_labels, data, data->held_out, count);
  CHECK(rtMemcpyAsync(images, host_images, count * kPixels * sizeof(float), RT_MEMCPY_HOST_TO_DEVICE, trainer->compute));
  CHECK(rtMemcpyAsync(labels, host_labels, count * sizeof(int32_t), RT_MEMCPY_HOST_TO_DEVICE, trainer->compute));
  CHECK(rtFree(host_images)); /* legal while the copies are in flight: the memory goes after them */
  CHECK(rtFree(host_labels));

  trainer->held_out.images = images;
  trainer->held_out.labels = labels;
  trainer->held_out.losses = deviceMemory(count * sizeof(float), trainer->context);
  trainer->held_out.predictions = deviceMemory(count * sizeof(int32_t), trainer->context);
  trainer->held_out.count = count;
}

static void trainerCreate(Trainer* trainer, const Dataset* data, const char* kernels, uint64_t seed, rtContext_t context) {
  memset(trainer, 0, sizeof *trainer);
  trainer->data = data;
  trainer->context = context;
  trainer->compute = createStream("compute", context);
  trainer->copy = createStream("copy", context);
  trainer->start = createEvent(0, context);
  trainer->stop = createEvent(0, context);
  networkCreate(&trainer->network, kernels, seed, context);
  workspaceCreate(&trainer->batch_workspace, kBatch, context);
  workspaceCreate(&trainer->held_out_workspace, data->held_out_count, context);
  for (uint32_t i = 0; i < kSlots; ++i) {
    Slot* slot = &trainer->slots[i];
    slot->host_images = pinnedMemory(kBatch * kPixels * sizeof(float), context);
    slot->host_labels = pinnedMemory(kBatch * sizeof(int32_t), context);
    slot->images = deviceMemory(kBatch * kPixels * sizeof(float), context);
    slot->labels = deviceMemory(kBatch * sizeof(int32_t), context);
    slot->uploaded = createEvent(RT_EVENT_DISABLE_TIMING, context);
    slot->consumed = createEvent(RT_EVENT_DISABLE_TIMING, context);
  }
  trainer->order = hostMemory(data->train_count * sizeof *trainer->order);
  memcpy(trainer->order, data->train, data->train_count * sizeof *trainer->order);
  trainer->pcg = pcgSeed(seed ^ 0x5deece66du); /* other numbers than those of the weights */
  trainer->train_losses = deviceMemory(data->train_count * sizeof(float), context);
  trainer->host_train_losses = pinnedMemory(data->train_count * sizeof(float), context);
  trainer->host_held_out_losses = pinnedMemory(data->held_out_count * sizeof(float), context);
  trainer->host_predictions = pinnedMemory(data->held_out_count * sizeof(int32_t), context);
  createHeldOut(trainer);
}

/* One graph for each slot: they differ in where images and labels lie. */
static void captureSteps(Trainer* trainer, const char* file) {
  if (trainer->data->train_count < kBatch) {
    fprintf(stderr, "digits: --graph needs %d images to train on; there are %u\n", (int)kBatch, trainer->data->train_count);
    exit(EXIT_FAILURE);
  }
  for (uint32_t i = 0; i < kSlots; ++i) {
    Slot* slot = &trainer->slots[i];
    const Batch batch = {slot->images, slot->labels, trainer->train_losses, NULL, kBatch};
    stepGraphCreate(&slot->step, &trainer->network, &trainer->batch_workspace, &batch, trainer->compute, trainer->context);
  }
  trainer->graph = 1;
  if (file != NULL) stepGraphSave(&trainer->slots[0].step, file);
}

static void trainerDestroy(Trainer* trainer) {
  for (uint32_t i = 0; i < kSlots; ++i) {
    Slot* slot = &trainer->slots[i];
    if (trainer->graph) stepGraphDestroy(&slot->step);
    CHECK(rtFree(slot->host_images));
    CHECK(rtFree(slot->host_labels));
    CHECK(rtFree(slot->images));
    CHECK(rtFree(slot->labels));
    CHECK(rtEventDestroy(slot->uploaded));
    CHECK(rtEventDestroy(slot->consumed));
  }
  CHECK(rtFree((void*)trainer->held_out.images));
  CHECK(rtFree((void*)trainer->held_out.labels));
  CHECK(rtFree(trainer->held_out.losses));
  CHECK(rtFree(trainer->held_out.predictions));
  CHECK(rtFree(trainer->train_losses));
  CHECK(rtFree(trainer->host_train_losses));
  CHECK(rtFree(trainer->host_held_out_losses));
  CHECK(rtFree(trainer->host_predictions));
  free(trainer->order);
  workspaceDestroy(&trainer->batch_workspace);
  workspaceDestroy(&trainer->held_out_workspace);
  networkDestroy(&trainer->network);
  CHECK(rtEventDestroy(trainer->start));
  CHECK(rtEventDestroy(trainer->stop));
  CHECK(rtStreamDestroy(trainer->compute));
  CHECK(rtStreamDestroy(trainer->copy));
}

/* Learns from `count` images of this epoch's order, from `first` on. Returns as soon as everything is submitted. */
static void submitBatch(Trainer* trainer, uint32_t first, uint32_t count, float rate) {
  Slot* slot = &trainer->slots[trainer->slot];
  trainer->slot = (trainer->slot + 1) % kSlots;

  CHECK(rtEventSynchronize(slot->uploaded)); /* never recorded is complete */
  fillHost(slot->host_images, slot->host_labels, trainer->data, trainer->order + first, count);

  CHECK(rtStreamWaitEvent(slot->consumed, trainer->copy));
  CHECK(
      rtMemcpyAsync(slot->images, slot->host_images, count * kPixels * sizeof(float), RT_MEMCPY_HOST_TO_DEVICE, trainer->copy));
  CHECK(rtMemcpyAsync(slot->labels, slot->host_labels, count * sizeof(int32_t), RT_MEMCPY_HOST_TO_DEVICE, trainer->copy));
  CHECK(rtEventRecord(slot->uploaded, trainer->copy));

  const Batch batch = {slot->images, slot->labels, trainer->train_losses + first, NULL, count};
  CHECK(rtStreamWaitEvent(slot->uploaded, trainer->compute));
  if (trainer->graph && count == kBatch) {
    stepGraphRun(&slot->step, &trainer->network, batch.losses, rate, trainer->compute);
  } else {
    networkTrain(&trainer->network, &trainer->batch_workspace, &batch, rate, trainer->compute);
  }
  CHECK(rtEventRecord(slot->consumed, trainer->compute));
}

/* The order of the sum is that of the array: the same bits every time. */
static float mean(const float* values, uint32_t count) {
  double sum = 0.0;
  for (uint32_t i = 0; i < count; ++i) sum += (double)values[i];
  return (float)(sum / count);
}

static void trainEpoch(Epoch* epoch, Trainer* trainer, float rate, float rate_step) {
  const Dataset* data = trainer->data;
  pcgShuffle(trainer->order, data->train_count, &trainer->pcg);

  CHECK(rtEventRecord(trainer->start, trainer->compute));
  for (uint32_t first = 0; first < data->train_count; first += kBatch) {
    const uint32_t left = data->train_count - first;
    submitBatch(trainer, first, left < kBatch ? left : kBatch, rate);
    rate -= rate_step;
  }
  CHECK(rtEventRecord(trainer->stop, trainer->compute));

  networkPredict(&trainer->network, &trainer->held_out_workspace, &trainer->held_out, trainer->compute);
  CHECK(rtMemcpyAsync(trainer->host_train_losses, trainer->train_losses, data->train_count * sizeof(float),
                      RT_MEMCPY_DEVICE_TO_HOST, trainer->compute));
  CHECK(rtMemcpyAsync(trainer->host_held_out_losses, trainer->held_out.losses, data->held_out_count * sizeof(float),
                      RT_MEMCPY_DEVICE_TO_HOST, trainer->compute));
  CHECK(rtMemcpyAsync(trainer->host_predictions, trainer->held_out.predictions, data->held_out_count * sizeof(int32_t),
                      RT_MEMCPY_DEVICE_TO_HOST, trainer->compute));
  CHECK(rtStreamSynchronize(trainer->compute));

  uint32_t right = 0;
  for (uint32_t i = 0; i < data->held_out_count; ++i) {
    right += trainer->host_predictions[i] == data->images[data->held_out[i]].digit ? 1 : 0;
  }
  epoch->train_loss = mean(trainer->host_train_losses, data->train_count);
  epoch->held_out_loss = mean(trainer->host_held_out_losses, data->held_out_count);
  epoch->accuracy = (float)right / (float)data->held_out_count;
  CHECK(rtEventElapsedTime(&epoch->milliseconds, trainer->start, trainer->stop));
}

void runTrain(Run* run, const Dataset* data, const TrainOptions* options, EpochCallback after_epoch, rtDevice_t device) {
  const uint32_t epochs = options->epochs;
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  CHECK(rtDeviceGetProperties(&properties, device));
  memcpy(run->device, properties.id, sizeof run->device);
  run->seed = options->seed;
  run->epoch_count = epochs;
  run->epochs = hostMemory(epochs * sizeof *run->epochs);
  run->predictions = hostMemory(data->held_out_count * sizeof *run->predictions);

  rtContext_t context = NULL;
  CHECK(rtContextGetPrimary(&context, device));
  Trainer trainer;
  trainerCreate(&trainer, data, options->kernels, options->seed, context);
  if (options->graph) captureSteps(&trainer, options->graph_file);
  const uint32_t batches = (data->train_count + kBatch - 1) / kBatch;
  const float rate_step = kFirstRate / ((float)batches * (float)epochs);
  for (uint32_t i = 0; i < epochs; ++i) {
    trainEpoch(&run->epochs[i], &trainer, kFirstRate - (float)i * (float)batches * rate_step, rate_step);
    after_epoch(run, i);
  }
  memcpy(run->predictions, trainer.host_predictions, data->held_out_count * sizeof *run->predictions);
  if (options->weights != NULL) networkSave(&trainer.network, options->weights, context, trainer.compute);
  run->hash = networkHash(&trainer.network, context, trainer.compute);
  trainerDestroy(&trainer);
}

void runFree(Run* run) {
  free(run->epochs);
  free(run->predictions);
}

float runAccuracy(const Run* run) { return run->epochs[run->epoch_count - 1].accuracy; }

float runMilliseconds(const Run* run) {
  float sum = 0.0f;
  for (uint32_t i = 0; i < run->epoch_count; ++i) sum += run->epochs[i].milliseconds;
  return sum / (float)run->epoch_count;
}
