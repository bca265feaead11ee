/* SPDX-License-Identifier: Apache-2.0
 *
 * The cost of a launch on a device: trace_cost DEVICE [ROUNDS]. A loop of 1,000 launches of a kernel of one group and a wait,
 * again and again; prints the least nanoseconds a launch and the median. Run it as it is, with RT_PROFILE and with RT_TRACE in
 * turn: the difference is what those cost. */
#define _POSIX_C_SOURCE 199309L
#include <rt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                                  \
  do {                                                               \
    if ((call) < 0) {                                                \
      char message[512] = "";                                        \
      (void)rtGetLastErrorMessage(message, sizeof message, NULL);    \
      fprintf(stderr, "trace_cost: %s fails: %s\n", #call, message); \
      exit(EXIT_FAILURE);                                            \
    }                                                                \
  } while (0)

enum { kLaunches = 1000 };

static double nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

int main(int argc, char** argv) {
  const int rounds = argc > 2 ? atoi(argv[2]) : 300;
  if (argc < 2 || argc > 3 || rounds < 1) {
    fprintf(stderr, "usage: trace_cost DEVICE [ROUNDS]\n");
    return 2;
  }
  rtDevice_t device;
  if (rtDeviceGetByName(&device, argv[1]) < 0) {
    printf("SKIP: there is no device %s\n", argv[1]);
    return 77;
  }
  rtContext_t context;
  rtStream_t stream;
  rtModule_t module;
  rtKernel_t kernel;
  void* memory;
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK(rtStreamCreate(&stream, NULL, context));
  CHECK(rtModuleCreateFromSource(&module, "kernel void add(global int* x) { x[get_global_id(0)] += 1; }", "", context));
  CHECK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  CHECK(rtModuleGetKernel(&kernel, "add", module));
  CHECK(rtMalloc(&memory, 256, context));
  CHECK(rtMemset(memory, 0, 256));
  void* args[] = {&memory};
  double* times = malloc((size_t)rounds * sizeof *times);
  if (times == NULL) return EXIT_FAILURE;
  for (int round = 0; round < rounds; ++round) {
    const double start = nanoseconds();
    for (int i = 0; i < kLaunches; ++i) CHECK(rtLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, args, 1));
    CHECK(rtStreamSynchronize(stream));
    times[round] = (nanoseconds() - start) / kLaunches;
  }
  int32_t first = 0;
  CHECK(rtMemcpy(&first, memory, sizeof first, RT_MEMCPY_DEVICE_TO_HOST));
  if (first != rounds * kLaunches) {
    fprintf(stderr, "trace_cost: the kernel ran %d times\n", first);
    return EXIT_FAILURE;
  }
  qsort(times, (size_t)rounds, sizeof *times, ascending);
  printf("%s: %.1f ns a launch at least, %.1f in the median\n", argv[1], times[0], times[rounds / 2]);
  free(times);
  CHECK(rtFree(memory));
  CHECK(rtModuleDestroy(module));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtContextDestroy(context));
  return EXIT_SUCCESS;
}
