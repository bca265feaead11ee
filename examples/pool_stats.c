/* SPDX-License-Identifier: Apache-2.0
 *
 * pool_stats: a pool with a limit. It shows the counters while a loop allocates and frees, the failure at the limit, and a
 * program that makes room when the pool asks. */
#include <inttypes.h>
#include <string.h>

#include "common.h"

enum { kMiB = 1 << 20, kRounds = 50, kLimitMiB = 16 };

static rtMemPoolStats_t show(const char* when, rtMemPool_t pool) {
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  CHECK(rtMemPoolGetStats(&stats, pool));
  printf("%-22s live %5.1f MiB in %" PRIu64 ", peak %5.1f, reserved %5.1f; %" PRIu64 " allocations, %" PRIu64 " reused\n", when,
         (double)stats.live_bytes / kMiB, stats.live_count, (double)stats.peak_live_bytes / kMiB,
         (double)stats.reserved_bytes / kMiB, stats.allocation_count, stats.reuse_count);
  return stats;
}

/* A cache that the program can do without: given up when the pool is full. */
static int32_t giveUpCache(uint64_t size, void* user) {
  void** cache = user;
  if (*cache == NULL) return 0; /* nothing left to give: let the allocation fail */
  printf("%.1f MiB are wanted: the cache goes\n", (double)size / kMiB);
  CHECK(rtFree(*cache));
  *cache = NULL;
  return 1; /* try again */
}

int main(void) {
  rtStream_t stream = NULL;
  rtMemPool_t pool = NULL;
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.kind = RT_MEMORY_DEVICE;
  options.maximum_bytes = kLimitMiB * kMiB;
  options.release_threshold = kLimitMiB * kMiB; /* keep what is free: it will be needed again */
  strncpy(options.label, "example", sizeof options.label - 1);
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtMemPoolCreate(&pool, &options, NULL));

  /* A loop that allocates in the stream's order: after the first round, memory that was freed comes back. */
  for (int round = 0; round < kRounds; ++round) {
    void* a = NULL;
    void* b = NULL;
    CHECK(rtMallocFromPool(&a, 2 * kMiB, 0, stream, pool));
    CHECK(rtMallocFromPool(&b, 1 * kMiB, 0, stream, pool));
    CHECK(rtMemsetAsync(a, round, 2 * kMiB, stream));
    CHECK(rtMemcpyAsync(b, a, kMiB, RT_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK(rtFreeAsync(a, stream));
    CHECK(rtFreeAsync(b, stream));
  }
  CHECK(rtStreamSynchronize(stream));
  rtMemPoolStats_t stats = show("after the loop", pool);
  EXPECT(stats.live_bytes == 0 && stats.allocation_count == 2 * kRounds && stats.free_count == 2 * kRounds);
  EXPECT(stats.reuse_count > 0 && stats.peak_live_bytes >= 3 * kMiB && stats.reserved_bytes <= options.maximum_bytes);

  /* At the limit: a status, not a crash, and a sentence that says how much was wanted. */
  CHECK(rtMemPoolTrim(0, pool));
  void* cache = NULL;
  void* more = NULL;
  char message[512] = "";
  CHECK(rtMallocFromPool(&cache, 10 * kMiB, 0, stream, pool));
  EXPECT(rtMallocFromPool(&more, 10 * kMiB, 0, stream, pool) == RT_ERROR_OUT_OF_MEMORY);
  EXPECT(more == NULL);
  CHECK(rtGetLastErrorMessage(message, sizeof message, NULL));
  printf("at the limit: %s\n", message);

  /* With a callback that makes room, the same allocation succeeds. */
  CHECK(rtMemPoolSetOutOfMemoryCallback(giveUpCache, &cache, pool));
  CHECK(rtMallocFromPool(&more, 10 * kMiB, 0, stream, pool));
  EXPECT(more != NULL && cache == NULL);
  stats = show("with room made", pool);
  EXPECT(stats.live_bytes == 10 * kMiB && stats.live_count == 1);

  CHECK(rtFree(more));
  CHECK(rtStreamSynchronize(stream));
  CHECK(rtMemPoolTrim(0, pool));
  CHECK(rtMemPoolResetPeak(pool));
  stats = show("trimmed", pool);
  EXPECT(stats.live_bytes == 0 && stats.reserved_bytes == 0 && stats.peak_live_bytes == 0);

  size_t needed = 0; /* every list and text tells how long it is */
  CHECK(rtMemPoolDumpJson(NULL, 0, &needed, pool));
  char* json = malloc(needed);
  EXPECT(json != NULL);
  CHECK(rtMemPoolDumpJson(json, needed, NULL, pool));
  EXPECT(strlen(json) + 1 == needed && json[0] == '{');
  printf("as JSON: %zu bytes\n", needed);
  free(json);

  CHECK(rtMemPoolDestroy(pool));
  CHECK(rtStreamDestroy(stream));
  return EXIT_SUCCESS;
}
