/* SPDX-License-Identifier: Apache-2.0
 *
 * The one file that knows MPI. It is built without it where no MPI is found; the ranks are then devices of one process, or
 * processes that find each other by a file. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "ranks.h"

#include <string.h>
#include <time.h>

#include "../common_comm.h"

#ifndef MANYRT_EXAMPLE_MPI
#define MANYRT_EXAMPLE_MPI 0
#endif
#if MANYRT_EXAMPLE_MPI
#include <mpi.h>
#endif

static rtContext_t createContext(const char* device_name) {
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  int32_t builds = 0;
  CHECK(rtDeviceGetByName(&device, device_name));
  CHECK(rtDeviceHasCapability(&builds, RT_CAPABILITY_KERNELS, device));
  if (!builds) {
    fprintf(stderr, "digits_parallel: no kernels from source run on %s\n", device_name);
    exit(EXIT_FAILURE);
  }
  CHECK(rtContextCreate(&context, NULL, device));
  return context;
}

static void openDevices(Ranks* ranks, const Options* options, const rtCommOptions_t* comm_options) {
  ranks->size = ranks->local = options->device_count;
  for (uint32_t i = 0; i < ranks->local; ++i) ranks->contexts[i] = createContext(options->device_names[i]);
  CHECK_COMM(rtCommCreateAll(ranks->comms, comm_options, ranks->contexts, ranks->size));
}

#if MANYRT_EXAMPLE_MPI
static void openProcesses(Ranks* ranks, const rtCommOptions_t* comm_options) {
  int level = MPI_THREAD_SINGLE, rank = 0, size = 0;
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level); /* with a lower level operations wait in their calls */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ranks->processes = 1;
  ranks->size = (uint32_t)size;
  ranks->first = (uint32_t)rank;
  ranks->local = 1;
  ranks->contexts[0] = createContext("cpu");
  CHECK_COMM(rtCommCreateFromMpi(&ranks->comms[0], comm_options, &world, ranks->contexts[0]));
}
#else
static void openProcesses(Ranks* ranks, const rtCommOptions_t* comm_options) {
  (void)ranks;
  (void)comm_options;
  fprintf(stderr, "digits_parallel: built without MPI: name the ranks' devices with --devices\n");
  exit(EXIT_FAILURE);
}
#endif

/* The file has its name when it is whole. */
static void writeId(const rtCommUniqueId_t* id, const char* name) {
  char other[4096];
  FILE* file = NULL;
  if (snprintf(other, sizeof other, "%s.new", name) < (int)sizeof other) file = fopen(other, "wb");
  const int written = file != NULL && fwrite(id->bytes, sizeof id->bytes, 1, file) == 1;
  if ((file != NULL && fclose(file) != 0) || !written || rename(other, name) != 0) {
    fprintf(stderr, "digits_parallel: %s cannot be written\n", name);
    exit(EXIT_FAILURE);
  }
}

static void readId(rtCommUniqueId_t* id, const char* name) {
  enum { kMostSeconds = 60 };
  const struct timespec nap = {0, 1000000};
  const time_t began = time(NULL);
  for (;;) {
    FILE* const file = fopen(name, "rb");
    const int got = file != NULL && fread(id->bytes, sizeof id->bytes, 1, file) == 1;
    if (file != NULL) (void)fclose(file);
    if (got) return;
    if (time(NULL) - began > kMostSeconds) {
      fprintf(stderr, "digits_parallel: rank 0 did not write %s\n", name);
      exit(EXIT_FAILURE);
    }
    (void)nanosleep(&nap, NULL);
  }
}

static void openHostProcesses(Ranks* ranks, const Options* options, const rtCommOptions_t* comm_options) {
  rtCommUniqueId_t id;
  ranks->size = options->ranks;
  ranks->first = options->rank;
  ranks->local = 1;
  ranks->contexts[0] = createContext(options->device_count != 0 ? options->device_names[0] : "cpu");
  if (options->rank == 0) {
    CHECK_COMM(rtCommGetUniqueId(&id));
    writeId(&id, options->id_file);
  } else {
    readId(&id, options->id_file);
  }
  CHECK_COMM(
      rtCommCreate(&ranks->comms[0], comm_options, &id, (int32_t)ranks->first, (int32_t)ranks->size, ranks->contexts[0]));
}

void ranksOpen(Ranks* ranks, const Options* options) {
  rtCommOptions_t comm_options = RT_COMM_OPTIONS_INIT;
  memset(ranks, 0, sizeof *ranks);
  strcpy(comm_options.label, "digits");
  if (options->id_file != NULL) {
    openHostProcesses(ranks, options, &comm_options);
  } else if (options->device_count != 0) {
    openDevices(ranks, options, &comm_options);
  } else {
    openProcesses(ranks, &comm_options);
  }
}

void ranksClose(Ranks* ranks) {
  for (uint32_t i = 0; i < ranks->local; ++i) {
    CHECK_COMM(rtCommDestroy(ranks->comms[i]));
    CHECK(rtContextDestroy(ranks->contexts[i]));
  }
#if MANYRT_EXAMPLE_MPI
  if (ranks->processes) MPI_Finalize();
#endif
}
