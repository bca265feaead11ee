/* SPDX-License-Identifier: Apache-2.0
 *
 * One rank: the whole network, a share of the images of every batch, a stream. The ranks begin with the same weights, average
 * their gradients in each step, and so keep the same weights. Nothing here waits but replicaReadResults and replicaHash. */
#ifndef MANYRT_EXAMPLES_DIGITS_PARALLEL_REPLICA_H_
#define MANYRT_EXAMPLES_DIGITS_PARALLEL_REPLICA_H_

#include <rt_comm.h>

#include "../digits/data.h"
#include "../digits/network.h"

enum { kBatch = 32 };

/* The sums of all ranks after an epoch, as floats: counts up to 2^24 are exact. */
typedef struct Results {
  float right;         /* held-out images read right */
  float held_out_loss; /* sums over the images */
  float train_loss;
} Results;
enum { kResults = sizeof(Results) / sizeof(float) };

/* Images on the device and on the host. They are the shares of all batches of an epoch, one after the other. */
typedef struct Images {
  float* host_images; /* pinned, as the next three */
  int32_t* host_labels;
  float* host_losses;
  int32_t* host_predictions;
  float* images; /* device, as the next three */
  int32_t* labels;
  float* losses;
  int32_t* predictions;
  uint32_t count;
} Images;

typedef struct Replica {
  uint32_t rank;
  uint32_t size;
  const Dataset* data;
  rtContext_t context; /* borrowed, as comm */
  rtComm_t comm;
  rtStream_t stream;
  rtEvent_t start; /* of an epoch; timed */
  rtEvent_t stop;
  Network network;
  rtModule_t weigh_module;
  rtKernel_t weigh;
  Workspace workspace;
  Workspace held_out_workspace;
  Images train;
  Images held_out;
  uint32_t done; /* images of `train` that this epoch's steps have used */
  float* results;
  float* host_results;
} Replica;

typedef struct ReplicaPlace {
  uint32_t rank;
  uint32_t size;
  rtContext_t context;
  rtComm_t comm;
} ReplicaPlace;

/* The images from `*begin` up to `*end` of `count` are those of the rank: shares differ by one image at most. */
void replicaShare(uint32_t* begin, uint32_t* end, uint32_t count, uint32_t rank, uint32_t size);

void replicaCreate(Replica* replica, const Dataset* data, const char* kernels, uint64_t seed, const ReplicaPlace* place);
void replicaDestroy(Replica* replica);

/* The ranks call these in the same order. An epoch begins with the upload of the rank's images, in the order that `order` has
 * for all ranks. */
void replicaBeginEpoch(Replica* replica, const uint32_t* order);
void replicaStep(Replica* replica, uint32_t batch_count, float rate, int apart);
void replicaEndEpoch(Replica* replica); /* reads the held-out images */

/* Waits for the epoch and submits the sum of what the ranks found; then waits for that. */
void replicaSumResults(Replica* replica);
void replicaReadResults(Results* results, float* milliseconds, Replica* replica);

#endif /* MANYRT_EXAMPLES_DIGITS_PARALLEL_REPLICA_H_ */
