/* SPDX-License-Identifier: Apache-2.0
 *
 * Trains one network from one seed on one device and keeps what was measured. */
#ifndef MANYRT_EXAMPLES_DIGITS_TRAIN_H_
#define MANYRT_EXAMPLES_DIGITS_TRAIN_H_

#include <rt.h>

#include "data.h"

typedef struct Epoch {
  float train_loss;    /* mean over the epoch, while it learned */
  float held_out_loss; /* mean after the epoch */
  float accuracy;      /* held-out images read right after the epoch, 0 to 1 */
  float milliseconds;  /* of the device, training only */
} Epoch;

typedef struct Run {
  char device[32];
  uint64_t seed;
  Epoch* epochs;
  uint32_t epoch_count;
  int32_t* predictions; /* after the last epoch, one for each held-out image */
  uint64_t hash;        /* of the weights */
} Run;

/* Called after each epoch. */
typedef void (*EpochCallback)(const Run* run, uint32_t epoch);

typedef struct TrainOptions {
  const char* kernels; /* the file that they are in */
  uint64_t seed;
  uint32_t epochs;
  int graph;              /* replays whole batches as a graph that was captured once */
  const char* graph_file; /* where that is written; may be NULL */
  const char* weights;    /* where they are written after the last epoch; may be NULL */
} TrainOptions;

void runTrain(Run* run, const Dataset* data, const TrainOptions* options, EpochCallback after_epoch, rtDevice_t device);
void runFree(Run* run);

float runAccuracy(const Run* run);     /* of the final epoch */
float runMilliseconds(const Run* run); /* mean of an epoch */

#endif /* MANYRT_EXAMPLES_DIGITS_TRAIN_H_ */
