/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_overlap: eight pieces of work, each an upload, a kernel and a download, on one stream, then on two, then on four. Work
 * of one stream runs in order; work of different streams runs at the same time where the device has room. */
#include "common.h"

enum { kPieces = 8, kItems = 1 << 16, kRounds = 60, kMaxStreams = 4 };

/* One work-group for a piece, so that a piece alone keeps no more than one core busy. */
static void mixKernel(const rtHostGroup_t* group, void* const* args) {
  uint32_t* data = *(uint32_t* const*)args[0];
  const uint32_t count = *(const uint32_t*)args[1];
  (void)group;
  for (uint32_t i = 0; i < count; ++i) {
    for (int round = 0; round < kRounds; ++round) data[i] = data[i] * 1664525u + 1013904223u;
  }
}

static uint32_t mixed(uint32_t value) {
  for (int round = 0; round < kRounds; ++round) value = value * 1664525u + 1013904223u;
  return value;
}

static rtKernel_t createMixKernel(void) {
  const rtHostArg_t args[] = {{8, RT_ARG_POINTER}, {sizeof(uint32_t), RT_ARG_VALUE}};
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = mixKernel;
  host.name = "mix";
  host.args = args;
  host.arg_count = 2;
  rtKernel_t kernel = NULL;
  CHECK(rtKernelCreateFromHost(&kernel, &host, NULL));
  return kernel;
}

/* Device time from the start of the first piece to the end of the last. */
static float runOn(int stream_count, uint32_t* host, uint32_t* device, rtKernel_t mix) {
  rtStream_t streams[kMaxStreams] = {NULL};
  rtEvent_t start = NULL;
  rtEvent_t stop = NULL;
  CHECK(rtEventCreate(&start, NULL, NULL));
  CHECK(rtEventCreate(&stop, NULL, NULL));
  for (int i = 0; i < stream_count; ++i) CHECK(rtStreamCreate(&streams[i], NULL, NULL));

  /* Fork: every stream starts after the event. */
  CHECK(rtEventRecord(start, streams[0]));
  for (int i = 1; i < stream_count; ++i) CHECK(rtStreamWaitEvent(start, streams[i]));

  const size_t size = kItems * sizeof(uint32_t);
  for (int piece = 0; piece < kPieces; ++piece) {
    rtStream_t stream = streams[piece % stream_count];
    uint32_t* data = device + piece * kItems;
    uint32_t count = kItems;
    void* args[] = {&data, &count};
    CHECK(rtMemcpyAsync(data, host + piece * kItems, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(rtLaunchKernel(mix, 1, 1, 1, 1, 1, 1, 0, stream, args, RT_ARGS_ALL));
    CHECK(rtMemcpyAsync(host + piece * kItems, data, size, RT_MEMCPY_DEVICE_TO_HOST, stream));
  }

  /* Join: the first stream waits for the others. */
  for (int i = 1; i < stream_count; ++i) CHECK(rtStreamWaitStream(streams[i], streams[0]));
  CHECK(rtEventRecord(stop, streams[0]));
  CHECK(rtEventSynchronize(stop));

  float milliseconds = 0.0f;
  CHECK(rtEventElapsedTime(&milliseconds, start, stop));
  for (int i = 0; i < stream_count; ++i) CHECK(rtStreamDestroy(streams[i]));
  CHECK(rtEventDestroy(start));
  CHECK(rtEventDestroy(stop));
  return milliseconds;
}

int main(void) {
  useCpuDevice();
  void* host = NULL;
  void* device = NULL;
  CHECK(rtMallocHost(&host, kPieces * kItems * sizeof(uint32_t), NULL));
  CHECK(rtMalloc(&device, kPieces * kItems * sizeof(uint32_t), NULL));
  rtKernel_t mix = createMixKernel();
  uint32_t* values = host;

  float first = 0.0f;
  for (int stream_count = 1; stream_count <= kMaxStreams; stream_count *= 2) {
    for (uint32_t i = 0; i < kPieces * kItems; ++i) values[i] = i;
    const float milliseconds = runOn(stream_count, values, device, mix);
    for (uint32_t i = 0; i < kPieces * kItems; ++i) EXPECT(values[i] == mixed(i));
    if (stream_count == 1) first = milliseconds;
    printf("%d stream%s %7.2f ms, %.2f times as fast\n", stream_count, stream_count == 1 ? ": " : "s:", (double)milliseconds,
           (double)(first / milliseconds));
  }

  CHECK(rtKernelDestroy(mix));
  CHECK(rtFree(device));
  CHECK(rtFree(host));
  return EXIT_SUCCESS;
}
