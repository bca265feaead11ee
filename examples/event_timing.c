/* SPDX-License-Identifier: Apache-2.0
 *
 * event_timing: how long copies take, measured on the device. An event is a point in a stream; two of them enclose work. */
#include <inttypes.h>

#include "common.h"

enum { kMinBytes = 1 << 16, kMaxBytes = 1 << 26, kRepetitions = 5 };

int main(void) {
  rtStream_t stream = NULL;
  rtEvent_t start = NULL;
  rtEvent_t stop = NULL;
  void* host = NULL;
  void* from = NULL;
  void* to = NULL;
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtEventCreate(&start, NULL, NULL));
  CHECK(rtEventCreate(&stop, NULL, NULL));
  CHECK(rtMallocHost(&host, kMaxBytes, NULL));
  CHECK(rtMalloc(&from, kMaxBytes, NULL));
  CHECK(rtMalloc(&to, kMaxBytes, NULL));

  /* The memory is touched once before anything is measured. The pattern is 8 bytes long. */
  const uint64_t pattern = 0x0123456789abcdefu;
  CHECK(rtMemFillAsync(from, &pattern, sizeof pattern, kMaxBytes / sizeof pattern, stream));
  CHECK(rtMemsetAsync(to, 0, kMaxBytes, stream));
  CHECK(rtStreamSynchronize(stream));

  printf("%10s %12s %12s\n", "bytes", "best of 5", "GB/s");
  for (size_t size = kMinBytes; size <= kMaxBytes; size *= 4) {
    int64_t best = INT64_MAX;
    for (int i = 0; i < kRepetitions; ++i) {
      int64_t nanoseconds = 0;
      CHECK(rtEventRecord(start, stream));
      CHECK(rtMemcpyAsync(to, from, size, RT_MEMCPY_DEVICE_TO_DEVICE, stream));
      CHECK(rtEventRecord(stop, stream));
      CHECK(rtEventSynchronize(stop));
      CHECK(rtEventElapsedNanoseconds(&nanoseconds, start, stop));
      best = nanoseconds < best ? nanoseconds : best;
    }
    EXPECT(best >= 0);
    printf("%10zu %9.1f us %12.2f\n", size, (double)best / 1e3, (double)size / (double)(best > 0 ? best : 1));
  }

  /* Swapped, the time is negative. */
  int64_t reversed = 0;
  float milliseconds = 0.0f;
  CHECK(rtEventElapsedNanoseconds(&reversed, stop, start));
  CHECK(rtEventElapsedTime(&milliseconds, start, stop));
  EXPECT(reversed <= 0 && milliseconds >= 0.0f);
  printf("the last one: %.4f ms, and %" PRId64 " ns with the events swapped\n", (double)milliseconds, reversed);

  /* An event that the stream has not reached is not ready: that is a state, not an error. */
  rtFence_t gate = NULL;
  CHECK(rtFenceCreate(&gate, 0, NULL));
  CHECK(rtStreamWaitFence(gate, 1, stream));
  CHECK(rtEventRecord(stop, stream));
  EXPECT(rtEventQuery(stop) == RT_NOT_READY);
  EXPECT(rtEventElapsedTime(&milliseconds, start, stop) == RT_NOT_READY);
  CHECK(rtFenceSignal(1, gate));
  CHECK(rtEventSynchronize(stop));
  EXPECT(rtEventQuery(stop) == RT_SUCCESS);
  printf("after a closed gate: %s; once it is open: %s\n", rtGetErrorName(RT_NOT_READY), rtGetErrorName(RT_SUCCESS));

  CHECK(rtMemcpyAsync(host, to, kMaxBytes, RT_MEMCPY_DEVICE_TO_HOST, stream));
  CHECK(rtStreamSynchronize(stream));
  const uint64_t* words = host;
  for (size_t i = 0; i < kMaxBytes / sizeof *words; ++i) EXPECT(words[i] == pattern);

  CHECK(rtFenceDestroy(gate));
  CHECK(rtFree(host));
  CHECK(rtFree(from));
  CHECK(rtFree(to));
  CHECK(rtEventDestroy(start));
  CHECK(rtEventDestroy(stop));
  CHECK(rtStreamDestroy(stream));
  return EXIT_SUCCESS;
}
