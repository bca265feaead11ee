/* SPDX-License-Identifier: Apache-2.0
 *
 * digits_parallel: trains the network of digits on several ranks. Each has all weights and a share of every batch; after the
 * backward pass the ranks average their gradients (rtCommAllReduce, in the stream), so that all take the same step. The ranks
 * are devices of this process, or the processes of mpirun; see --help. It ends with a table of the hashes of the weights, and
 * fails if two ranks have other weights.
 *
 *   options.c  the command line       ranks.c    devices or processes as ranks
 *   replica.c  a rank and its steps   weigh.cl   shares of batches that do not divide evenly
 *
 * Images, network and kernels are those of digits. One rank has the same bits as digits. With more the batch's sum has another
 * order, and so other bits. They are the same at each run with as many ranks, in one process or in several. The operands are
 * taken in the order of the ranks. NCCL chooses its own. */
#include <inttypes.h>
#include <string.h>

#include "../common_comm.h"
#include "../digits/pcg.h"
#include "options.h"
#include "ranks.h"
#include "replica.h"

static const float kFirstRate = 0.1f; /* as digits: falls to 0 in a straight line */
static const float kRequiredAccuracy = 0.96f;

enum { kQuietStep = 10 };

/* Each rank's report to the others at the end. */
typedef struct Report {
  uint64_t hash;
  char device[32];
} Report;

typedef struct Training {
  const Options* options;
  const Dataset* data;
  Ranks ranks;
  Replica* replicas; /* of the local ranks */
  uint32_t* order;   /* of the training images, the same on all ranks */
  Pcg pcg;
  float* milliseconds; /* of each epoch, as the first local rank saw it */
  Results last;
} Training;

static void* hostMemory(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "digits_parallel: no memory for %zu bytes\n", count * size);
    exit(EXIT_FAILURE);
  }
  return memory;
}

static void trainingCreate(Training* training, const Options* options, const Dataset* data) {
  memset(training, 0, sizeof *training);
  training->options = options;
  training->data = data;
  ranksOpen(&training->ranks, options);
  const Ranks* ranks = &training->ranks;
  training->replicas = hostMemory(ranks->local, sizeof *training->replicas);
  for (uint32_t i = 0; i < ranks->local; ++i) {
    const ReplicaPlace place = {ranks->first + i, ranks->size, ranks->contexts[i], ranks->comms[i]};
    replicaCreate(&training->replicas[i], data, options->kernels, options->seed, &place);
  }
  training->order = hostMemory(data->train_count, sizeof *training->order);
  memcpy(training->order, data->train, data->train_count * sizeof *training->order);
  training->pcg = pcgSeed(options->seed ^ 0x5deece66du); /* as digits */
  training->milliseconds = hostMemory(options->epochs, sizeof *training->milliseconds);
}

static void trainingDestroy(Training* training) {
  for (uint32_t i = 0; i < training->ranks.local; ++i) replicaDestroy(&training->replicas[i]);
  free(training->replicas);
  free(training->order);
  free(training->milliseconds);
  ranksClose(&training->ranks);
}

/* One thread submits for all ranks of the process. No call waits for another rank; the streams do, each at its all-reduce. */
static void trainEpoch(Training* training, uint32_t epoch, float rate, float rate_step) {
  const uint32_t local = training->ranks.local;
  Replica* replicas = training->replicas;
  pcgShuffle(training->order, training->data->train_count, &training->pcg);
  for (uint32_t i = 0; i < local; ++i) replicaBeginEpoch(&replicas[i], training->order);
  for (uint32_t first = 0; first < training->data->train_count; first += kBatch) {
    const uint32_t left = training->data->train_count - first;
    for (uint32_t i = 0; i < local; ++i) {
      replicaStep(&replicas[i], left < kBatch ? left : kBatch, rate, training->options->apart);
    }
    rate -= rate_step;
  }
  for (uint32_t i = 0; i < local; ++i) replicaEndEpoch(&replicas[i]);
  for (uint32_t i = 0; i < local; ++i) replicaSumResults(&replicas[i]);
  for (uint32_t i = local; i-- > 0;) {
    replicaReadResults(&training->last, &training->milliseconds[epoch], &replicas[i]);
  }
}

static double accuracy(const Training* training) {
  return (double)training->last.right / (double)training->data->held_out_count;
}

static void showProgress(const Training* training, uint32_t epoch) {
  const uint32_t epochs = training->options->epochs;
  if (training->ranks.first != 0 || ((epoch + 1) % kQuietStep != 0 && epoch + 1 != epochs)) return;
  fprintf(stderr, "epoch %3u/%u  loss %.4f  held out %.4f  read right %6.2f %%\n", epoch + 1, epochs,
          (double)training->last.train_loss / (double)training->data->train_count,
          (double)training->last.held_out_loss / (double)training->data->held_out_count, 100.0 * accuracy(training));
}

static void train(Training* training) {
  const uint32_t epochs = training->options->epochs;
  const uint32_t batches = (training->data->train_count + kBatch - 1) / kBatch;
  const float rate_step = kFirstRate / ((float)batches * (float)epochs);
  for (uint32_t i = 0; i < epochs; ++i) {
    trainEpoch(training, i, kFirstRate - (float)i * (float)batches * rate_step, rate_step);
    showProgress(training, i);
  }
}

/* Every rank gets the reports of all, in the order of the ranks. */
static void gatherReports(Report* reports, const Training* training) {
  const uint32_t size = training->ranks.size;
  void* memory[kMostRanks];
  for (uint32_t i = 0; i < training->ranks.local; ++i) {
    Replica* replica = &training->replicas[i];
    rtDevice_t device = NULL;
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    Report own;
    CHECK(rtContextGetDevice(&device, replica->context));
    CHECK(rtDeviceGetProperties(&properties, device));
    memcpy(own.device, properties.id, sizeof own.device);
    own.hash = networkHash(&replica->network, replica->context, replica->stream);
    CHECK(rtMalloc(&memory[i], size * sizeof own, replica->context));
    char* const mine = (char*)memory[i] + replica->rank * sizeof own;
    CHECK(rtMemcpy(mine, &own, sizeof own, RT_MEMCPY_HOST_TO_DEVICE));
    CHECK_COMM(rtCommAllGather(memory[i], mine, sizeof own, RT_COMM_U8, replica->stream, replica->comm));
  }
  for (uint32_t i = 0; i < training->ranks.local; ++i) {
    synchronizeRank(training->replicas[i].stream, training->replicas[i].comm);
    CHECK(rtMemcpy(reports, memory[i], size * sizeof *reports, RT_MEMCPY_DEVICE_TO_HOST));
    CHECK(rtFree(memory[i]));
  }
}

static int compareFloats(const void* a, const void* b) {
  const float x = *(const float*)a, y = *(const float*)b;
  return (x > y) - (x < y);
}

/* The median: the first epochs run code that was compiled quickly. */
static double medianMilliseconds(const Training* training) {
  qsort(training->milliseconds, training->options->epochs, sizeof(float), compareFloats);
  return (double)training->milliseconds[training->options->epochs / 2];
}

/* Returns whether all ranks have the same weights. */
static int compareWeights(const Training* training, int prints) {
  const uint32_t size = training->ranks.size;
  Report* reports = hostMemory(size, sizeof *reports);
  gatherReports(reports, training);
  int same = 1;
  if (prints) printf("\n%4s  %-12s hash of the weights\n", "rank", "device");
  for (uint32_t i = 0; i < size; ++i) {
    const int alike = reports[i].hash == reports[0].hash;
    same = same && alike;
    if (prints) printf("%4u  %-12s %016" PRIx64 "%s\n", i, reports[i].device, reports[i].hash, alike ? "" : "   OTHER WEIGHTS");
  }
  free(reports);
  return same;
}

int main(int argc, char** argv) {
  Options options;
  const int end = optionsParse(&options, argc, argv);
  if (end >= 0) return end;
  Dataset data;
  if (!datasetLoad(&data, options.data, options.images)) return EXIT_FAILURE;

  Training training;
  trainingCreate(&training, &options, &data);
  const int prints = training.ranks.first == 0;
  if (prints) {
    printf("%u images, %u held out; %u epochs in batches of %d, dealt to %u rank%s\n", data.count, data.held_out_count,
           options.epochs, (int)kBatch, training.ranks.size, training.ranks.size == 1 ? "" : "s");
    fflush(stdout);
  }
  train(&training);
  const int same = compareWeights(&training, prints);
  const int enough = accuracy(&training) >= (double)kRequiredAccuracy || !options.threshold;
  if (prints) {
    printf("\nread right: %.2f %% of the held-out images; median of an epoch: %.2f ms\n", 100.0 * accuracy(&training),
           medianMilliseconds(&training));
    fflush(stdout);
    if (!same) fprintf(stderr, "digits_parallel: the ranks have other weights\n");
    if (!enough) fprintf(stderr, "digits_parallel: less than 96 %% of the held-out images are read\n");
  }
  trainingDestroy(&training);
  datasetFree(&data);
  /* A simulator runs all ranks in one process (docs/lab/scale.md): the first one that comes here ends the library for all. */
  const rtStatus_t ended = rtShutdown();
  if (ended != RT_ERROR_SHUT_DOWN) CHECK(ended);
  return same && enough ? EXIT_SUCCESS : EXIT_FAILURE;
}
