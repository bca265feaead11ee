/* SPDX-License-Identifier: Apache-2.0
 *
 * Times the computations of one rank of digits_parallel, without the others. Usage: scale_compute SIZE EPOCHS. The rank is the
 * last of SIZE, which has the most images of each batch. Its gradients are its own. Prints the median time of an epoch in
 * seconds, by the host's clock: dealing images, uploads, the steps and the rank's held-out images. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../examples/common_comm.h"
#include "../examples/digits_parallel/replica.h"

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double epoch(Replica* replica, const Dataset* data) {
  const double start = seconds();
  replicaBeginEpoch(replica, data->train);
  for (uint32_t first = 0; first < data->train_count; first += kBatch) {
    const uint32_t left = data->train_count - first;
    replicaStep(replica, left < kBatch ? left : kBatch, 1e-3f, 1);
  }
  replicaEndEpoch(replica);
  synchronizeRank(replica->stream, replica->comm);
  return seconds() - start;
}

int main(int argc, char** argv) {
  const long size = argc == 3 ? strtol(argv[1], NULL, 10) : 0, epochs = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (size < 1 || size > 1000000 || epochs < 1 || epochs > 100000) {
    fprintf(stderr, "usage: scale_compute SIZE EPOCHS\n");
    return 2;
  }
  Dataset data;
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtComm_t comm = NULL;
  Replica replica;
  double* times = malloc((size_t)epochs * sizeof *times);
  if (times == NULL || !datasetLoad(&data, MANYRT_EXAMPLE_FILES "/data/digits.csv", 0)) return EXIT_FAILURE;
  CHECK(rtDeviceGetByName(&device, "cpu"));
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK_COMM(rtCommCreateAll(&comm, NULL, &context, 1));
  const ReplicaPlace place = {(uint32_t)size - 1, (uint32_t)size, context, comm};
  replicaCreate(&replica, &data, MANYRT_EXAMPLE_FILES "/digits/digits.cl", 1, &place);
  for (int warm = 0; warm < 3; ++warm) (void)epoch(&replica, &data);
  for (long i = 0; i < epochs; ++i) times[i] = epoch(&replica, &data);
  qsort(times, (size_t)epochs, sizeof *times, compare);
  printf("%.9g\n", times[epochs / 2]);
  replicaDestroy(&replica);
  CHECK_COMM(rtCommDestroy(comm));
  CHECK(rtContextDestroy(context));
  datasetFree(&data);
  free(times);
  CHECK(rtShutdown());
  return EXIT_SUCCESS;
}
