/* SPDX-License-Identifier: Apache-2.0
 *
 * Times rtCommCreateFromMpi and rtCommSplit among the processes of MPI, by MPI's clock. A line for each:
 *   create SECONDS
 *   split SECONDS
 * from the last rank's start to the last rank's end. In a simulator this clock is the simulated one and the same on all hosts
 * (docs/lab/scale.md). The split makes a communicator of every second rank; ranks, sizes and a sum over each are checked. */
#include <mpi.h>
#include <rt_comm.h>
#include <stdio.h>
#include <stdlib.h>

static void check(rtStatus_t status, const char* call) {
  if (status >= 0) return;
  fprintf(stderr, "scale_create: %s is %s\n", call, rtGetErrorName(status));
  exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call)

static double latest(double seconds) {
  double last = 0.0;
  MPI_Allreduce(&seconds, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return last;
}

/* Whether the communicator has these ranks, and their sum is right. */
static int isRight(rtComm_t comm, rtStream_t stream, int rank, int size) {
  rtCommInfo_t info = RT_COMM_INFO_INIT;
  int64_t sum = rank;
  CHECK(rtCommGetInfo(&info, comm));
  CHECK(rtCommAllReduce(&sum, &sum, 1, RT_COMM_I64, RT_COMM_SUM, stream, comm));
  CHECK(rtStreamSynchronize(stream));
  return info.engine == RT_COMM_ENGINE_MPI && info.rank == rank && info.size == size && sum == (int64_t)size * (size - 1) / 2;
}

int main(int argc, char** argv) {
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtStream_t stream = NULL;
  rtComm_t comm = NULL, part = NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
  CHECK(rtDeviceGetByName(&device, "cpu"));
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK(rtStreamCreate(&stream, NULL, context));
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = latest(MPI_Wtime());
  CHECK(rtCommCreateFromMpi(&comm, NULL, &world, context));
  const double made = latest(MPI_Wtime());
  CHECK(rtCommSplit(&part, rank % 2, rank, comm));
  const double parted = latest(MPI_Wtime());
  int wrong = !isRight(comm, stream, rank, size) || !isRight(part, stream, rank / 2, (size + (rank + 1) % 2) / 2), all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("create %.9f\nsplit %.9f\nwrong %d\n", made - began, parted - made, all);
  CHECK(rtCommDestroy(part));
  CHECK(rtCommDestroy(comm));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtContextDestroy(context));
  MPI_Finalize();
  return all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
