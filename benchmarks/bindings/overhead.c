/* SPDX-License-Identifier: Apache-2.0
 *
 * The cost of launch, record and query from C, which the other languages stand beside: overhead DEVICE CALLS RUNS. */
#include <rt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                       \
  do {                                                    \
    if ((call) < 0) {                                     \
      char said[512];                                     \
      rtGetLastErrorMessage(said, sizeof said, NULL);     \
      fprintf(stderr, "overhead: %s: %s\n", #call, said); \
      exit(EXIT_FAILURE);                                 \
    }                                                     \
  } while (0)

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int calls = atoi(argv[2]), runs = atoi(argv[3]);
  rtDevice_t device;
  rtContext_t context;
  rtStream_t stream;
  rtEvent_t event;
  rtFence_t fence;
  rtModule_t module;
  rtKernel_t kernel;
  void* data;
  int position = 1;
  float value = 2;
  void* args[] = {&data, &position, &value};
  CHECK(rtDeviceGetByName(&device, argv[1]));
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK(rtStreamCreate(&stream, NULL, context));
  CHECK(rtEventCreate(&event, NULL, context));
  CHECK(rtFenceCreate(&fence, 0, context));
  CHECK(rtMalloc(&data, 256, context));
  CHECK(rtModuleCreateFromSource(&module, "kernel void f(global float *x, int n, float y) { x[n] = y; }", NULL, context));
  CHECK(rtModuleGetKernel(&kernel, "f", module));
  uint64_t held = 0;
  for (int run = 0; run < runs; ++run) {
    CHECK(rtStreamWaitFence(fence, ++held, stream));
    double began = now();
    for (int i = 0; i < calls; ++i) CHECK(rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, args, 3));
    printf("launch %.1f\n", (now() - began) / calls);
    CHECK(rtFenceSignal(held, fence));
    CHECK(rtStreamSynchronize(stream));
    CHECK(rtStreamWaitFence(fence, ++held, stream));
    began = now();
    for (int i = 0; i < calls; ++i) CHECK(rtEventRecord(event, stream));
    printf("record %.1f\n", (now() - began) / calls);
    CHECK(rtFenceSignal(held, fence));
    CHECK(rtStreamSynchronize(stream));
    began = now();
    for (int i = 0; i < calls; ++i) CHECK(rtStreamQuery(stream));
    printf("query %.1f\n", (now() - began) / calls);
  }
  return EXIT_SUCCESS;
}
