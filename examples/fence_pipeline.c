/* SPDX-License-Identifier: Apache-2.0
 *
 * fence_pipeline: three stages on three streams, kept in step by three fences over a ring of two buffers. A fence is a number
 * that only grows. `filled` at n says that n items were uploaded, `squared` and `drained` the same of the next stages. Unlike
 * an event, it can be waited for before the signal has been submitted. So each stage is submitted on its own, here even the
 * last one first. */
#define _POSIX_C_SOURCE 200809L /* files.h */

#include "common.h"
#include "files.h"

enum { kItems = 12, kRing = 2, kCount = 4096, kGroup = 256 };

int main(void) {
  rtStream_t upload = NULL;
  rtStream_t compute = NULL;
  rtStream_t download = NULL;
  rtFence_t filled = NULL;
  rtFence_t squared = NULL;
  rtFence_t drained = NULL;
  CHECK(rtStreamCreate(&upload, NULL, NULL));
  CHECK(rtStreamCreate(&compute, NULL, NULL));
  CHECK(rtStreamCreate(&download, NULL, NULL));
  CHECK(rtFenceCreate(&filled, 0, NULL));
  CHECK(rtFenceCreate(&squared, 0, NULL));
  CHECK(rtFenceCreate(&drained, 0, NULL));

  const size_t size = kCount * sizeof(uint32_t);
  void* memory[3] = {NULL, NULL, NULL};
  CHECK(rtMallocHost(&memory[0], kItems * size, NULL));
  CHECK(rtMallocHost(&memory[1], kItems * size, NULL));
  CHECK(rtMalloc(&memory[2], kRing * size, NULL));
  uint32_t* in = memory[0];
  uint32_t* out = memory[1];
  uint32_t* ring = memory[2];
  for (uint32_t i = 0; i < kItems * kCount; ++i) in[i] = i;

  /* The last stage first: it waits for values that no stream has promised yet. */
  for (uint64_t n = 0; n < kItems; ++n) {
    CHECK(rtStreamWaitFence(squared, n + 1, download));
    CHECK(rtMemcpyAsync(out + n * kCount, ring + n % kRing * kCount, size, RT_MEMCPY_DEVICE_TO_HOST, download));
    CHECK(rtStreamSignalFence(drained, n + 1, download));
  }

  char path[kExamplePath];
  rtModule_t module = NULL;
  rtKernel_t square = NULL;
  CHECK(rtModuleLoadFile(&module, exampleFile(path, "fence_pipeline.cl"), NULL, NULL));
  CHECK(rtModuleGetKernel(&square, "square", module));
  for (uint64_t n = 0; n < kItems; ++n) {
    uint32_t* data = ring + n % kRing * kCount;
    void* args[] = {&data};
    CHECK(rtStreamWaitFence(filled, n + 1, compute));
    CHECK(rtLaunchKernel(square, kCount / kGroup, 1, 1, kGroup, 1, 1, 0, compute, args, RT_ARGS_ALL));
    CHECK(rtStreamSignalFence(squared, n + 1, compute));
  }
  EXPECT(rtStreamQuery(compute) == RT_NOT_READY && rtStreamQuery(download) == RT_NOT_READY);
  printf("two stages submitted, waiting for the first\n");

  for (uint64_t n = 0; n < kItems; ++n) {
    if (n >= kRing) CHECK(rtStreamWaitFence(drained, n + 1 - kRing, upload)); /* the buffer is free again */
    CHECK(rtMemcpyAsync(ring + n % kRing * kCount, in + n * kCount, size, RT_MEMCPY_HOST_TO_DEVICE, upload));
    CHECK(rtStreamSignalFence(filled, n + 1, upload));
  }

  /* The host takes items as they come out, with no event and no synchronised stream. */
  for (uint64_t n = 0; n < kItems; ++n) {
    CHECK(rtFenceWait(n + 1, drained));
    const uint32_t* item = out + n * kCount;
    for (uint32_t i = 0; i < kCount; ++i) EXPECT(item[i] == in[n * kCount + i] * in[n * kCount + i]);
    if (n % 4 == 3) printf("items %2d to %2d are out: %u squared is %u\n", (int)n - 3, (int)n, in[n * kCount], item[0]);
  }
  uint64_t value = 0;
  CHECK(rtFenceGetValue(&value, drained));
  EXPECT(value == kItems);

  CHECK(rtModuleDestroy(module));
  for (int i = 0; i < 3; ++i) CHECK(rtFree(memory[i]));
  CHECK(rtFenceDestroy(filled));
  CHECK(rtFenceDestroy(squared));
  CHECK(rtFenceDestroy(drained));
  CHECK(rtStreamDestroy(upload));
  CHECK(rtStreamDestroy(compute));
  CHECK(rtStreamDestroy(download));
  return EXIT_SUCCESS;
}
