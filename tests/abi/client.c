/* A program of the first release: compiled against headers/rt-0.1.0.h, as it was then, and run against today's library.
 *
 * It checks that every struct keeps to the size that the program knows: a guard after each stays untouched. Option structs of
 * that size must be accepted. Memory, streams, events and a host kernel must still mean the same. */
#include <stdio.h>
#include <string.h>

#include "rt-0.1.0.h"

#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) {                                                     \
      char text[512] = "";                                                  \
      (void)rtGetLastErrorMessage(text, sizeof(text), NULL);                \
      fprintf(stderr, "client.c:%d: %s; %s\n", __LINE__, #condition, text); \
      return 1;                                                             \
    }                                                                       \
  } while (0)

enum { kGuard = 0x5A, kGuardBytes = 64, kCount = 1024 };

/* Calls `expression` with `value` inside a block whose end must stay as it was. */
#define CHECK_RESULT(type, initialiser, expression)                    \
  do {                                                                 \
    struct {                                                           \
      type value;                                                      \
      unsigned char guard[kGuardBytes];                                \
    } block;                                                           \
    const type start = initialiser;                                    \
    int i;                                                             \
    memset(block.guard, kGuard, sizeof(block.guard));                  \
    block.value = start;                                               \
    CHECK((expression) == RT_SUCCESS);                                 \
    CHECK(block.value.struct_size == sizeof(type));                    \
    for (i = 0; i < kGuardBytes; ++i) CHECK(block.guard[i] == kGuard); \
  } while (0)

static void addOne(const rtHostGroup_t* group, void* const* args) {
  uint32_t* values = *(uint32_t* const*)args[0];
  uint32_t i;
  for (i = 0; i < group->group_size[0]; ++i) values[group->group_id[0] * group->group_size[0] + i] += 1;
}

static int checkStructs(rtDevice_t device, rtContext_t context, rtKernel_t kernel) {
  rtMemPool_t pool = NULL;
  int32_t local = 0;
  CHECK_RESULT(rtBackendInfo_t, RT_BACKEND_INFO_INIT, rtBackendGetInfo(&block.value, RT_BACKEND_CPU));
  CHECK_RESULT(rtDeviceProperties_t, RT_DEVICE_PROPERTIES_INIT, rtDeviceGetProperties(&block.value, device));
  CHECK_RESULT(rtPointerAttributes_t, RT_POINTER_ATTRIBUTES_INIT, rtPointerGetAttributes(&block.value, &local));
  CHECK_RESULT(rtKernelInfo_t, RT_KERNEL_INFO_INIT, rtKernelGetInfo(&block.value, kernel));
  CHECK_RESULT(rtKernelArgInfo_t, RT_KERNEL_ARG_INFO_INIT, rtKernelGetArgInfo(&block.value, 0, kernel));
  CHECK(rtContextGetDefaultPool(&pool, context) == RT_SUCCESS);
  CHECK_RESULT(rtMemPoolStats_t, RT_MEM_POOL_STATS_INIT, rtMemPoolGetStats(&block.value, pool));
  return 0;
}

static int checkWork(rtContext_t context, rtKernel_t kernel) {
  const rtStreamOptions_t streamOptions = RT_STREAM_OPTIONS_INIT;
  const rtEventOptions_t eventOptions = RT_EVENT_OPTIONS_INIT;
  const rtMallocOptions_t mallocOptions = RT_MALLOC_OPTIONS_INIT;
  const rtMemPoolOptions_t poolOptions = RT_MEM_POOL_OPTIONS_INIT;
  const rtLaunchOptions_t launchOptions = RT_LAUNCH_OPTIONS_INIT;
  const uint32_t grid[3] = {kCount / 64, 1, 1};
  const uint32_t group[3] = {64, 1, 1};
  rtStream_t stream = NULL;
  rtEvent_t event = NULL;
  rtMemPool_t pool = NULL;
  void* pointer = NULL;
  void* args[1];
  uint32_t values[kCount];
  int i;
  CHECK(rtStreamCreate(&stream, &streamOptions, context) == RT_SUCCESS);
  CHECK(rtEventCreate(&event, &eventOptions, context) == RT_SUCCESS);
  CHECK(rtMemPoolCreate(&pool, &poolOptions, context) == RT_SUCCESS);
  CHECK(rtMallocWithOptions(&pointer, sizeof(values), &mallocOptions, context) == RT_SUCCESS);
  args[0] = &pointer;
  CHECK(rtMemsetAsync(pointer, 0, sizeof(values), stream) == RT_SUCCESS);
  CHECK(rtLaunchKernelWithOptions(kernel, grid, group, 0, &launchOptions, args, 1, stream) == RT_SUCCESS);
  CHECK(rtLaunchKernel(kernel, grid[0], 1, 1, group[0], 1, 1, 0, stream, args, RT_ARGS_ALL) == RT_SUCCESS);
  CHECK(rtEventRecord(event, stream) == RT_SUCCESS);
  CHECK(rtMemcpyAsync(values, pointer, sizeof(values), RT_MEMCPY_DEVICE_TO_HOST, stream) == RT_SUCCESS);
  CHECK(rtStreamSynchronize(stream) == RT_SUCCESS);
  CHECK(rtEventQuery(event) == RT_SUCCESS);
  for (i = 0; i < kCount; ++i) CHECK(values[i] == 2);
  CHECK(rtFree(pointer) == RT_SUCCESS);
  CHECK(rtMemPoolDestroy(pool) == RT_SUCCESS);
  CHECK(rtEventDestroy(event) == RT_SUCCESS);
  CHECK(rtStreamDestroy(stream) == RT_SUCCESS);
  return 0;
}

int main(void) {
  const rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
  const rtHostArg_t hostArgs[1] = {{8, RT_ARG_POINTER}};
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtKernel_t kernel = NULL;
  uint32_t version = 0;
  uint64_t alive = 1;
  CHECK(rtGetVersion(&version) == RT_SUCCESS);
  CHECK(version >= MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH);
  CHECK(rtDeviceGet(&device, RT_BACKEND_CPU, 0) == RT_SUCCESS);
  CHECK(rtContextCreate(&context, &options, device) == RT_SUCCESS);
  host.function = addOne;
  host.args = hostArgs;
  host.arg_count = 1;
  host.name = "addOne";
  CHECK(rtKernelCreateFromHost(&kernel, &host, context) == RT_SUCCESS);
  if (checkStructs(device, context, kernel) != 0 || checkWork(context, kernel) != 0) return 1;
  CHECK(rtKernelDestroy(kernel) == RT_SUCCESS);
  CHECK(rtContextDestroy(context) == RT_SUCCESS);
  CHECK(rtGetLiveHandleCount(&alive, RT_HANDLE_ALL) == RT_SUCCESS);
  CHECK(alive == 0);
  printf("a program of 0.1.0 runs with library version %u\n", version);
  return 0;
}
