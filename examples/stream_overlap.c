/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_overlap: eight pieces of work, each an upload, a kernel and a download, on one stream, then on two, then on four. Work
 * of one stream runs in order; work of different streams runs at the same time where the device has room. */
#define _POSIX_C_SOURCE 200809L /* files.h */

#include "common.h"
#include "files.h"

enum { kPieces = 8, kItems = 1 << 16, kRounds = 60, kGroup = 64, kMaxStreams = 4 };

/* The kernel's arithmetic, on the host. */
static uint32_t scrambled(uint32_t value) {
  for (int round = 0; round < kRounds; ++round) value = value * 1664525u + 1013904223u;
  return value;
}

/* Device time from the start of the first piece to the end of the last. */
static float runOn(int stream_count, uint32_t* host, uint32_t* device, rtKernel_t scramble) {
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
    uint32_t rounds = kRounds;
    void* args[] = {&data, &count, &rounds};
    CHECK(rtMemcpyAsync(data, host + piece * kItems, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(rtLaunchKernel(scramble, 1, 1, 1, kGroup, 1, 1, 0, stream, args, RT_ARGS_ALL));
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
  void* host = NULL;
  void* device = NULL;
  CHECK(rtMallocHost(&host, kPieces * kItems * sizeof(uint32_t), NULL));
  CHECK(rtMalloc(&device, kPieces * kItems * sizeof(uint32_t), NULL));
  char path[kExamplePath];
  rtModule_t module = NULL;
  rtKernel_t scramble = NULL;
  CHECK(rtModuleLoadFile(&module, exampleFile(path, "stream_overlap.cl"), NULL, NULL));
  CHECK(rtModuleGetKernel(&scramble, "scramble", module));
  uint32_t* values = host;

  float first = 0.0f;
  for (int stream_count = 1; stream_count <= kMaxStreams; stream_count *= 2) {
    for (uint32_t i = 0; i < kPieces * kItems; ++i) values[i] = i;
    const float milliseconds = runOn(stream_count, values, device, scramble);
    for (uint32_t i = 0; i < kPieces * kItems; ++i) EXPECT(values[i] == scrambled(i));
    if (stream_count == 1) first = milliseconds;
    printf("%d stream%s %7.2f ms, %.2f times as fast\n", stream_count, stream_count == 1 ? ": " : "s:", (double)milliseconds,
           (double)(first / milliseconds));
  }

  CHECK(rtModuleDestroy(module));
  CHECK(rtFree(device));
  CHECK(rtFree(host));
  return EXIT_SUCCESS;
}
