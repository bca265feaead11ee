/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the ranks of a communicator of this process: scale_memory RANKS. All ranks are in one context of the CPU, each with
 * a stream of its own inside, and none has run an operation. Prints the bytes that the process has more than before, for each
 * rank; of the engine of shared memory with what is reserved in /dev/shm, which counts where it is touched. */
#include <rt_comm.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

static void check(rtStatus_t status, const char* call) {
  if (status >= 0) return;
  char text[512] = "";
  (void)rtCommGetLastErrorMessage(text, sizeof text, NULL);
  fprintf(stderr, "scale_memory: %s is %s: %s\n", call, rtGetErrorName(status), text);
  exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call)

/* Resident, without what is shared. */
static double ownBytes(void) {
  unsigned long size = 0, resident = 0, shared = 0;
  FILE* const file = fopen("/proc/self/statm", "re");
  if (file == NULL || fscanf(file, "%lu %lu %lu", &size, &resident, &shared) != 3) exit(EXIT_FAILURE);
  fclose(file);
  return (double)(resident - shared) * (double)sysconf(_SC_PAGESIZE);
}

static double freeSharedBytes(void) {
  struct statvfs folder;
  return statvfs("/dev/shm", &folder) == 0 ? (double)folder.f_bfree * (double)folder.f_frsize : 0.0;
}

static void make(rtComm_t* comms, const rtContext_t* contexts, uint32_t count) {
  CHECK(rtCommCreateAll(comms, NULL, contexts, count));
}

int main(int argc, char** argv) {
  const unsigned long ranks = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtComm_t first[2] = {NULL, NULL};
  if (ranks < 1 || ranks > 65536) return EXIT_FAILURE;
  rtComm_t* const comms = calloc(ranks, sizeof *comms);
  rtContext_t* const contexts = calloc(ranks, sizeof(rtContext_t));
  if (comms == NULL || contexts == NULL) return EXIT_FAILURE;
  CHECK(rtDeviceGetByName(&device, "cpu"));
  CHECK(rtContextCreate(&context, NULL, device));
  for (unsigned long i = 0; i < ranks; ++i) contexts[i] = context;
  make(first, contexts, ranks < 2 ? 1 : 2); /* what the library itself takes does not count */
  const double own = ownBytes(), shared = freeSharedBytes();
  make(comms, contexts, (uint32_t)ranks);
  printf("%.0f %.0f\n", (ownBytes() - own) / (double)ranks, (shared - freeSharedBytes()) / (double)ranks);
  for (unsigned long i = 0; i < ranks; ++i) CHECK(rtCommDestroy(comms[i]));
  for (int i = 0; i < 2; ++i) CHECK(rtCommDestroy(first[i]));
  CHECK(rtContextDestroy(context));
  free(comms);
  free(contexts);
  return EXIT_SUCCESS;
}
