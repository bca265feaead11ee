/* SPDX-License-Identifier: Apache-2.0
 *
 * The hot calls in a loop, for counting instructions: hot_calls CASE COUNT. Only hotLoop is counted (see callgrind.sh), so the
 * difference of two counts is what the calls themselves execute on the calling thread. */
#include <rt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                               \
  do {                                                            \
    if ((call) < 0) {                                             \
      fprintf(stderr, "hot_calls: %s fails (%s)\n", #call, name); \
      exit(EXIT_FAILURE);                                         \
    }                                                             \
  } while (0)

enum { kArguments = 8, kQueued = 100 };

enum Case { kLaunch, kRecord, kQueryEvent, kQueryStream, kLaunchSynchronize, kLaunchDrain, kMemcpy, kMallocFree };
static const struct {
  const char* name;
  enum Case which;
  const char* device;
} kCases[] = {
    {"launch_null_8_args", kLaunch, "null:0"},
    {"event_record_null", kRecord, "null:0"},
    {"event_query_null", kQueryEvent, "null:0"},
    {"stream_query_null", kQueryStream, "null:0"},
    {"launch_synchronize_cpu", kLaunchSynchronize, "cpu"},
    {"launch_drain_cpu", kLaunchDrain, "cpu"},
    {"memcpy_64_bytes_cpu", kMemcpy, "cpu"},
    {"malloc_free_async_cpu", kMallocFree, "cpu"},
};

static rtStream_t stream;
static rtEvent_t event;
static rtKernel_t kernel, empty;
static void* memory;
static void* args[kArguments];

static void nothing(const rtHostGroup_t* group, void* const* values) {
  (void)group;
  (void)values;
}

void hotLoop(const char* name, enum Case which, long count);

__attribute__((noinline)) void hotLoop(const char* name, enum Case which, long count) {
  static char host[64];
  void* block;
  for (long i = 0; i < count; ++i) {
    switch (which) {
      case kLaunch:
        CHECK(rtLaunchKernel(kernel, 64, 1, 1, 256, 1, 1, 0, stream, args, RT_ARGS_ALL));
        break;
      case kRecord:
        CHECK(rtEventRecord(event, stream));
        break;
      case kQueryEvent:
        CHECK(rtEventQuery(event));
        break;
      case kQueryStream:
        CHECK(rtStreamQuery(stream));
        break;
      case kLaunchSynchronize:
        CHECK(rtLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, 0));
        CHECK(rtStreamSynchronize(stream));
        break;
      case kLaunchDrain:
        for (int k = 0; k < kQueued; ++k) CHECK(rtLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, 0));
        CHECK(rtStreamSynchronize(stream));
        break;
      case kMemcpy:
        CHECK(rtMemcpy(memory, host, sizeof host, RT_MEMCPY_DEFAULT));
        break;
      case kMallocFree:
        CHECK(rtMallocAsync(&block, 4096, stream));
        CHECK(rtFreeAsync(block, stream));
        break;
    }
  }
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
      printf("%s %d\n", kCases[i].name, kCases[i].which == kLaunchDrain ? kQueued : 1); /* operations of one round */
    }
    return EXIT_SUCCESS;
  }
  if (argc != 3) {
    fprintf(stderr, "usage: hot_calls --list, hot_calls CASE COUNT\n");
    return 2;
  }
  const char* name = argv[1];
  size_t chosen = 0;
  while (chosen < sizeof kCases / sizeof kCases[0] && strcmp(kCases[chosen].name, name) != 0) ++chosen;
  if (chosen == sizeof kCases / sizeof kCases[0]) {
    fprintf(stderr, "hot_calls: there is no case \"%s\"\n", name);
    return 2;
  }

  rtDevice_t device;
  rtContext_t context;
  CHECK(rtDeviceGetByName(&device, kCases[chosen].device));
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK(rtStreamCreate(&stream, NULL, context));
  CHECK(rtEventCreate(&event, NULL, context));
  CHECK(rtMalloc(&memory, 4096, context));
  static uint64_t values[kArguments];
  rtHostArg_t described[kArguments];
  for (int i = 0; i < kArguments; ++i) {
    values[i] = (uint64_t)(uintptr_t)memory;
    args[i] = &values[i];
    described[i].size = 8;
    described[i].kind = i < 4 ? RT_ARG_POINTER : RT_ARG_VALUE;
  }
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = nothing;
  CHECK(rtKernelCreateFromHost(&empty, &host, context));
  host.args = described;
  host.arg_count = kArguments;
  CHECK(rtKernelCreateFromHost(&kernel, &host, context));

  hotLoop(name, kCases[chosen].which, 200); /* callgrind.sh takes the difference of two runs: this part cancels out */
  hotLoop(name, kCases[chosen].which, strtol(argv[2], NULL, 10));
  return EXIT_SUCCESS;
}
