/* SPDX-License-Identifier: Apache-2.0
 *
 * Times rtCommAllReduce among the processes of MPI, by MPI's clock: scale_all_reduce BYTES... A line for each size:
 *   BYTES SECONDS
 * from the last rank's start to the last rank's end, once, after one that does not count. In a simulator this clock is the
 * simulated one and the same on all hosts (docs/lab/scale.md); there one run is exact. The sums are checked on all ranks; but
 * in a simulator long operands of all ranks are one piece of memory, as those of a thousand ranks would not fit. */
#include <mpi.h>
#include <rt_comm.h>
#include <stdio.h>
#include <stdlib.h>

static void check(rtStatus_t status, const char* call) {
  if (status >= 0) return;
  fprintf(stderr, "scale_all_reduce: %s is %s\n", call, rtGetErrorName(status));
  exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call)

static double latest(double seconds) {
  double last = 0.0;
  MPI_Allreduce(&seconds, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return last;
}

enum { kMostSeparate = 4 << 20 }; /* bytes of an operand that is the rank's own, also in a simulator */

static int isFolded(size_t bytes) {
#ifdef SMPI_SHARED_MALLOC
  return bytes > kMostSeparate;
#else
  (void)bytes;
  return 0;
#endif
}

static void* hostMemory(size_t bytes) {
#ifdef SMPI_SHARED_MALLOC
  if (isFolded(bytes)) return SMPI_SHARED_MALLOC(bytes);
#endif
  return malloc(bytes);
}

static void freeHostMemory(void* memory, size_t bytes) {
#ifdef SMPI_SHARED_MALLOC
  if (isFolded(bytes)) {
    SMPI_SHARED_FREE(memory);
    return;
  }
#endif
  (void)bytes;
  free(memory);
}

/* Whole numbers that floats hold: element i of rank r is r + i % 8. */
static int allRight(const float* sums, size_t count, int size) {
  const float first = (float)size * (float)(size - 1) / 2.0f;
  for (size_t i = 0; i < count; ++i) {
    if (sums[i] != first + (float)size * (float)(i % 8)) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  int level = 0, rank = 0, size = 0, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtStream_t stream = NULL;
  rtComm_t comm = NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  CHECK(rtDeviceGetByName(&device, "cpu"));
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK(rtStreamCreate(&stream, NULL, context));
  CHECK(rtCommCreateFromMpi(&comm, NULL, &world, context));
  for (int a = 1; a < argc; ++a) {
    const size_t bytes = strtoull(argv[a], NULL, 10), count = bytes / sizeof(float);
    float* operand = hostMemory(bytes);
    float* sums = hostMemory(bytes);
    if (count == 0 || operand == NULL || sums == NULL) {
      fprintf(stderr, "scale_all_reduce: no memory, or no size: %s\n", argv[a]);
      exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < count && !isFolded(bytes); ++i) operand[i] = (float)rank + (float)(i % 8);
    double start = 0.0, end = 0.0;
    for (int round = 0; round < 2; ++round) {
      MPI_Barrier(MPI_COMM_WORLD);
      start = MPI_Wtime();
      CHECK(rtCommAllReduce(sums, operand, count, RT_COMM_F32, RT_COMM_SUM, stream, comm));
      CHECK(rtStreamSynchronize(stream));
      end = MPI_Wtime();
    }
    const double seconds = latest(end) - latest(start);
    wrong |= !isFolded(bytes) && !allRight(sums, count, size);
    if (rank == 0) {
      printf("%zu %.9g\n", bytes, seconds);
      fflush(stdout);
    }
    freeHostMemory(operand, bytes);
    freeHostMemory(sums, bytes);
  }
  CHECK(rtCommDestroy(comm));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtContextDestroy(context));
  int any_wrong = 0;
  MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (any_wrong && rank == 0) fprintf(stderr, "scale_all_reduce: a sum is wrong\n");
  MPI_Finalize();
  const rtStatus_t ended = rtShutdown(); /* in a simulator the first rank ends the library for all */
  if (ended != RT_ERROR_SHUT_DOWN) CHECK(ended);
  return any_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
