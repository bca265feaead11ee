/* Every function of bindings/compat/infinirt.h on one device, with good and bad input, as a program of InfiniRT would call it:
 *
 *     infinirt_test --cpu | --nvidia | --opencl | --moore
 *
 * The file is C99 and C++: infinirt_test_cpp.cpp compiles it a second time, with the type MOORE meaning the OpenCL devices.
 * Ends with 0, with 1 and a line for what was wrong, or with 77 if there is no such device. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <infinirt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OK INFINI_STATUS_SUCCESS

static void fail(int line, const char* what, int got, int wanted) {
  char text[1024];
  rtGetLastErrorMessage(text, sizeof text, NULL);
  fprintf(stderr, "line %d: %s is %d, not %d; the last message: %s\n", line, what, got, wanted, text);
  exit(1);
}

#define IS(expected, call)                                 \
  do {                                                     \
    const int got = (int)(call), wanted = (int)(expected); \
    if (got != wanted) fail(__LINE__, #call, got, wanted); \
  } while (0)
#define HOLDS(condition) IS(1, (condition) != 0)

enum { kCount = 5000 };
static const size_t kSize = kCount * sizeof(float);

static float g_numbers[kCount], g_result[kCount];

static int same(void) { return memcmp(g_numbers, g_result, kSize) == 0; }

/* ---- Numbers ------------------------------------------------------------------------------------------------------ */

static void testNumbers(void) {
  static const struct {
    int value, published;
  } kNumbers[] = {
      {INFINI_STATUS_SUCCESS, 0},
      {INFINI_STATUS_INTERNAL_ERROR, 1},
      {INFINI_STATUS_NOT_IMPLEMENTED, 2},
      {INFINI_STATUS_BAD_PARAM, 3},
      {INFINI_STATUS_NULL_POINTER, 4},
      {INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED, 5},
      {INFINI_STATUS_DEVICE_NOT_FOUND, 6},
      {INFINI_STATUS_DEVICE_NOT_INITIALIZED, 7},
      {INFINI_STATUS_DEVICE_ARCHITECTURE_NOT_SUPPORTED, 8},
      {INFINI_STATUS_INSUFFICIENT_WORKSPACE, 13},
      {INFINI_DEVICE_CPU, 0},
      {INFINI_DEVICE_NVIDIA, 1},
      {INFINI_DEVICE_CAMBRICON, 2},
      {INFINI_DEVICE_ASCEND, 3},
      {INFINI_DEVICE_METAX, 4},
      {INFINI_DEVICE_MOORE, 5},
      {INFINI_DEVICE_ILUVATAR, 6},
      {INFINI_DEVICE_KUNLUN, 7},
      {INFINI_DEVICE_HYGON, 8},
      {INFINI_DEVICE_QY, 9},
      {INFINI_DEVICE_ALI, 10},
      {INFINI_DEVICE_MARS, 11},
      {INFINI_DEVICE_TYPE_COUNT, 12},
      {INFINI_DTYPE_BF16, 19},
      {INFINIRT_MEMCPY_H2H, 0},
      {INFINIRT_MEMCPY_H2D, 1},
      {INFINIRT_MEMCPY_D2H, 2},
      {INFINIRT_MEMCPY_D2D, 3},
      {INFINIRT_EVENT_COMPLETE, 0},
      {INFINIRT_EVENT_NOT_READY, 1},
      {INFINIRT_EVENT_DEFAULT, 0},
      {INFINIRT_EVENT_DISABLE_TIMING, 1},
      {INFINIRT_EVENT_BLOCKING_SYNC, 2},
      {INFINIRT_STREAM_CAPTURE_MODE_RELAXED, 2},
  };
  size_t i = 0;
  for (i = 0; i < sizeof kNumbers / sizeof kNumbers[0]; ++i) IS(kNumbers[i].published, kNumbers[i].value);
}

/* ---- Devices ------------------------------------------------------------------------------------------------------ */

static void* checkOtherThread(void* unused) {
  infiniDevice_t type = INFINI_DEVICE_ALI;
  int id = -1;
  IS(OK, infinirtGetDevice(&type, &id));
  IS(INFINI_DEVICE_CPU, type);
  IS(0, id);
  return unused;
}

static void testDevices(infiniDevice_t device) {
  int counts[INFINI_DEVICE_TYPE_COUNT], count = -1, id = -1, type = 0;
  infiniDevice_t current = INFINI_DEVICE_ALI;
  size_t free_bytes = 0, total_bytes = 0;
  pthread_t thread;

  IS(OK, infinirtInit());
  IS(OK, infinirtInit());
  IS(OK, infinirtGetAllDeviceCount(counts));
  IS(1, counts[INFINI_DEVICE_CPU]);
  IS(0, counts[INFINI_DEVICE_CAMBRICON]);
  for (type = 0; type < INFINI_DEVICE_TYPE_COUNT; ++type) {
    IS(OK, infinirtGetDeviceCount((infiniDevice_t)type, &count));
    IS(counts[type], count);
  }
  IS(INFINI_STATUS_NULL_POINTER, infinirtGetAllDeviceCount(NULL));
  IS(INFINI_STATUS_NULL_POINTER, infinirtGetDeviceCount(device, NULL));
  IS(INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED, infinirtGetDeviceCount((infiniDevice_t)500, &count));
  IS(0, count);

  checkOtherThread(NULL); /* a thread that has set nothing is on the CPU */
  IS(OK, infinirtSetDevice(device, 0));
  IS(OK, infinirtGetDevice(&current, &id));
  IS(device, current);
  IS(0, id);
  IS(INFINI_STATUS_DEVICE_NOT_FOUND, infinirtSetDevice(device, 99));
  IS(INFINI_STATUS_DEVICE_NOT_FOUND, infinirtSetDevice(device, -1));
  IS(INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED, infinirtSetDevice(INFINI_DEVICE_CAMBRICON, 0));
  IS(INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED, infinirtSetDevice((infiniDevice_t)500, 0));
  IS(OK, infinirtGetDevice(&current, NULL)); /* what was refused changed nothing */
  IS(device, current);
  IS(INFINI_STATUS_NULL_POINTER, infinirtGetDevice(NULL, NULL));
  IS(0, pthread_create(&thread, NULL, checkOtherThread, NULL));
  IS(0, pthread_join(thread, NULL));

  IS(OK, infinirtGetMemInfo(device, 0, &free_bytes, &total_bytes));
  HOLDS(total_bytes > 0 && free_bytes <= total_bytes);
  IS(INFINI_STATUS_NULL_POINTER, infinirtGetMemInfo(device, 0, NULL, &total_bytes));
  IS(INFINI_STATUS_DEVICE_NOT_FOUND, infinirtGetMemInfo(device, 99, &free_bytes, &total_bytes));
  IS(INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED, infinirtGetMemInfo(INFINI_DEVICE_QY, 0, &free_bytes, &total_bytes));
  IS(OK, infinirtDeviceSynchronize());
}

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

static void testMemory(infiniDevice_t device) {
  void *first = NULL, *second = NULL, *pinned = NULL, *none = &none;
  IS(OK, infinirtMalloc(&first, kSize));
  IS(OK, infinirtMalloc(&second, kSize));
  IS(OK, infinirtMallocHost(&pinned, kSize));

  IS(OK, infinirtMemcpy(pinned, g_numbers, kSize, INFINIRT_MEMCPY_H2H));
  IS(OK, infinirtMemcpy(first, pinned, kSize, INFINIRT_MEMCPY_H2D));
  IS(OK, infinirtMemcpy(second, first, kSize, INFINIRT_MEMCPY_D2D));
  memset(g_result, 0, kSize);
  IS(OK, infinirtMemcpy(g_result, second, kSize / 2, INFINIRT_MEMCPY_D2H));
  IS(OK, infinirtMemcpy((char*)g_result + kSize / 2, (char*)second + kSize / 2, kSize / 2, INFINIRT_MEMCPY_D2H));
  HOLDS(same());
  IS(OK, infinirtMemcpy(NULL, NULL, 0, INFINIRT_MEMCPY_D2D));

  IS(INFINI_STATUS_NULL_POINTER, infinirtMemcpy(NULL, g_numbers, kSize, INFINIRT_MEMCPY_H2D));
  IS(INFINI_STATUS_NULL_POINTER, infinirtMemcpyAsync(first, NULL, kSize, INFINIRT_MEMCPY_H2D, NULL));
  IS(INFINI_STATUS_BAD_PARAM, infinirtMemcpy(first, g_numbers, kSize, (infinirtMemcpyKind_t)77));
  IS(INFINI_STATUS_BAD_PARAM, infinirtMemcpy(first, second, kSize + 1, INFINIRT_MEMCPY_D2D));
  /* The kind of a copy is held against the addresses, but on the CPU. */
  IS(device == INFINI_DEVICE_CPU ? OK : INFINI_STATUS_BAD_PARAM, infinirtMemcpy(first, second, kSize, INFINIRT_MEMCPY_H2H));

  IS(INFINI_STATUS_INTERNAL_ERROR, infinirtMalloc(&none, (size_t)1 << 60));
  HOLDS(none == NULL);
  none = &none;
  IS(OK, infinirtMalloc(&none, 0));
  HOLDS(none == NULL);
  IS(INFINI_STATUS_NULL_POINTER, infinirtMalloc(NULL, 16));
  IS(INFINI_STATUS_NULL_POINTER, infinirtMallocHost(NULL, 16));
  IS(INFINI_STATUS_NULL_POINTER, infinirtMallocAsync(NULL, 16, NULL));

  IS(INFINI_STATUS_BAD_PARAM, infinirtFree((char*)first + 4));
  IS(OK, infinirtFree(first));
  IS(INFINI_STATUS_BAD_PARAM, infinirtFree(first));
  IS(OK, infinirtFree(second));
  IS(OK, infinirtFreeHost(pinned));
  IS(INFINI_STATUS_BAD_PARAM, infinirtFreeHost(g_numbers));
  IS(OK, infinirtFree(NULL));
  IS(OK, infinirtFreeHost(NULL));
}

/* ---- Streams and events ------------------------------------------------------------------------------------------- */

static void testOrder(void) {
  infinirtStream_t first = NULL, second = NULL;
  infinirtEvent_t begin = NULL, end = NULL, untimed = NULL, refused = &refused;
  infinirtEventStatus_t state = INFINIRT_EVENT_COMPLETE;
  rtFence_t fence = NULL;
  void *source = NULL, *target = NULL;
  float milliseconds = -1;

  IS(OK, infinirtStreamCreate(&first));
  IS(OK, infinirtStreamCreate(&second));
  HOLDS(first != NULL && first != second);
  IS(OK, infinirtEventCreate(&begin));
  IS(OK, infinirtEventCreateWithFlags(&end, INFINIRT_EVENT_BLOCKING_SYNC));
  IS(OK, infinirtEventCreateWithFlags(&untimed, INFINIRT_EVENT_DISABLE_TIMING));
  IS(OK, infinirtEventQuery(begin, &state)); /* never recorded: complete */
  IS(INFINIRT_EVENT_COMPLETE, state);
  IS(RT_SUCCESS, rtFenceCreate(&fence, 0, NULL));
  IS(OK, infinirtMallocAsync(&source, kSize, first));
  IS(OK, infinirtMalloc(&target, kSize));
  IS(OK, infinirtStreamSynchronize(first));

  /* The first stream is held by a fence of rt.h, and the second waits for the first one's event. */
  memset(g_result, 0, kSize);
  IS(RT_SUCCESS, rtStreamWaitFence(fence, 1, (rtStream_t)first));
  IS(OK, infinirtEventRecord(begin, first));
  IS(OK, infinirtMemcpyAsync(source, g_numbers, kSize, INFINIRT_MEMCPY_H2D, first));
  IS(OK, infinirtEventRecord(end, first));
  IS(OK, infinirtStreamWaitEvent(second, end));
  IS(OK, infinirtMemcpyAsync(target, source, kSize, INFINIRT_MEMCPY_D2D, second));
  IS(OK, infinirtEventRecord(untimed, second));
  IS(OK, infinirtEventQuery(untimed, &state));
  IS(INFINIRT_EVENT_NOT_READY, state);
  IS(INFINI_STATUS_INTERNAL_ERROR, infinirtEventElapsedTime(&milliseconds, begin, end));
  IS(RT_SUCCESS, rtFenceSignal(1, fence));
  IS(OK, infinirtEventSynchronize(untimed));
  IS(OK, infinirtEventQuery(end, &state)); /* the second stream has waited for it */
  IS(INFINIRT_EVENT_COMPLETE, state);
  IS(OK, infinirtMemcpy(g_result, target, kSize, INFINIRT_MEMCPY_D2H));
  HOLDS(same());
  IS(OK, infinirtEventElapsedTime(&milliseconds, begin, end));
  HOLDS(milliseconds > 0 && milliseconds < 60000);

  IS(INFINI_STATUS_BAD_PARAM, infinirtEventElapsedTime(&milliseconds, begin, untimed));
  IS(INFINI_STATUS_NULL_POINTER, infinirtEventElapsedTime(NULL, begin, end));
  IS(INFINI_STATUS_NULL_POINTER, infinirtEventElapsedTime(&milliseconds, NULL, end));
  IS(INFINI_STATUS_NULL_POINTER, infinirtEventQuery(begin, NULL));
  IS(INFINI_STATUS_NULL_POINTER, infinirtEventRecord(NULL, first));
  IS(INFINI_STATUS_NULL_POINTER, infinirtEventSynchronize(NULL));
  IS(INFINI_STATUS_NULL_POINTER, infinirtStreamWaitEvent(first, NULL));
  IS(INFINI_STATUS_NULL_POINTER, infinirtStreamCreate(NULL));
  IS(INFINI_STATUS_NULL_POINTER, infinirtEventCreate(NULL));
  IS(INFINI_STATUS_BAD_PARAM, infinirtEventCreateWithFlags(&refused, 8));
  HOLDS(refused == NULL);

  IS(OK, infinirtFreeAsync(source, first));
  IS(OK, infinirtFree(target));
  IS(OK, infinirtEventDestroy(begin));
  IS(INFINI_STATUS_BAD_PARAM, infinirtEventDestroy(begin));
  IS(OK, infinirtEventDestroy(end));
  IS(OK, infinirtEventDestroy(untimed));
  IS(OK, infinirtEventDestroy(NULL));
  IS(OK, infinirtStreamSynchronize(first));
  IS(OK, infinirtStreamDestroy(first));
  IS(INFINI_STATUS_BAD_PARAM, infinirtStreamSynchronize(first));
  IS(INFINI_STATUS_BAD_PARAM, infinirtMallocAsync(&source, 16, first));
  IS(OK, infinirtStreamDestroy(second));
  IS(OK, infinirtStreamDestroy(NULL));
  IS(RT_SUCCESS, rtFenceDestroy(fence));
}

static void restAWhile(void* user, rtStatus_t status) {
  const struct timespec time = {0, 50000000};
  (void)user;
  (void)status;
  nanosleep(&time, NULL);
}

/* A copy that waits comes after the work of every stream of the device; InfiniRT's programs rely on it. */
static void testCopyAfterStreams(void) {
  infinirtStream_t stream = NULL;
  void* memory = NULL;
  IS(OK, infinirtStreamCreate(&stream));
  IS(OK, infinirtMalloc(&memory, kSize));
  memset(g_result, 0, kSize);
  IS(RT_SUCCESS, rtLaunchHostFunction(restAWhile, NULL, (rtStream_t)stream));
  IS(OK, infinirtMemcpyAsync(memory, g_numbers, kSize, INFINIRT_MEMCPY_H2D, stream));
  IS(OK, infinirtMemcpy(g_result, memory, kSize, INFINIRT_MEMCPY_D2H));
  HOLDS(same());

  /* NULL is the default stream, for everything that takes a stream. */
  memset(g_result, 0, kSize);
  IS(OK, infinirtMemcpyAsync(g_result, memory, kSize, INFINIRT_MEMCPY_D2H, NULL));
  IS(OK, infinirtStreamSynchronize(NULL));
  HOLDS(same());
  IS(OK, infinirtFreeAsync(memory, NULL));
  IS(OK, infinirtDeviceSynchronize());
  IS(OK, infinirtStreamDestroy(stream));
}

/* An event of one device is waited for on another; memory of one is not touched by the other's stream. */
static void testTwoDevices(infiniDevice_t device) {
  infinirtStream_t stream = NULL;
  infinirtEvent_t event = NULL;
  void *here = NULL, *there = NULL;
  if (device == INFINI_DEVICE_CPU) return;
  IS(OK, infinirtMalloc(&here, kSize));
  IS(OK, infinirtEventCreate(&event));
  IS(OK, infinirtMemcpyAsync(here, g_numbers, kSize, INFINIRT_MEMCPY_H2D, NULL));
  IS(OK, infinirtEventRecord(event, NULL));
  IS(OK, infinirtSetDevice(INFINI_DEVICE_CPU, 0));
  IS(OK, infinirtStreamCreate(&stream));
  IS(OK, infinirtMalloc(&there, kSize));
  IS(INFINI_STATUS_BAD_PARAM, infinirtEventRecord(event, stream));
  IS(OK, infinirtStreamWaitEvent(stream, event));
  IS(OK, infinirtMemcpyAsync(there, here, kSize, INFINIRT_MEMCPY_D2D, stream));
  IS(OK, infinirtStreamSynchronize(stream));
  memset(g_result, 0, kSize);
  IS(OK, infinirtMemcpy(g_result, there, kSize, INFINIRT_MEMCPY_D2H));
  HOLDS(same());
  IS(OK, infinirtStreamDestroy(stream));
  IS(OK, infinirtFree(there));
  IS(OK, infinirtFree(here)); /* memory knows its device */
  IS(OK, infinirtEventDestroy(event));
  IS(OK, infinirtSetDevice(device, 0));
}

/* ---- Graphs ------------------------------------------------------------------------------------------------------- */

static void testGraph(void) {
  infinirtStream_t stream = NULL;
  infinirtGraph_t graph = NULL;
  infinirtGraphExec_t exec = NULL;
  infinirtGraphNode_t node = &node;
  void *first = NULL, *second = NULL;
  char text[256] = "";
  int i = 0;

  IS(OK, infinirtStreamCreate(&stream));
  IS(OK, infinirtMalloc(&first, kSize));
  IS(OK, infinirtMalloc(&second, kSize));
  IS(INFINI_STATUS_BAD_PARAM, infinirtStreamBeginCapture(stream, (infinirtStreamCaptureMode_t)3));
  IS(INFINI_STATUS_BAD_PARAM, infinirtStreamEndCapture(stream, &graph)); /* it does not capture */
  IS(OK, infinirtStreamBeginCapture(stream, INFINIRT_STREAM_CAPTURE_MODE_GLOBAL));
  IS(OK, infinirtMemcpyAsync(second, first, kSize, INFINIRT_MEMCPY_D2D, stream));
  IS(INFINI_STATUS_NULL_POINTER, infinirtStreamEndCapture(stream, NULL));
  IS(OK, infinirtStreamEndCapture(stream, &graph));
  IS(OK, infinirtGraphInstantiate(&exec, graph, &node, text, sizeof text));
  HOLDS(exec != NULL && node == NULL && text[0] == '\0');
  for (i = 0; i < 3; ++i) {
    g_numbers[0] = (float)(100 + i);
    IS(OK, infinirtMemcpyAsync(first, g_numbers, kSize, INFINIRT_MEMCPY_H2D, stream));
    IS(OK, infinirtGraphLuanch(exec, stream));
    memset(g_result, 0, kSize);
    IS(OK, infinirtMemcpyAsync(g_result, second, kSize, INFINIRT_MEMCPY_D2H, stream));
    IS(OK, infinirtStreamSynchronize(stream));
    HOLDS(same());
  }
  IS(OK, infinirtGraphExecDestroy(exec));
  IS(INFINI_STATUS_BAD_PARAM, infinirtGraphLuanch(exec, stream));
  IS(OK, infinirtGraphDestroy(graph));
  IS(INFINI_STATUS_BAD_PARAM, infinirtGraphInstantiate(&exec, graph, NULL, text, sizeof text));
  HOLDS(exec == NULL && strlen(text) > 10);
  IS(INFINI_STATUS_NULL_POINTER, infinirtGraphInstantiate(NULL, graph, NULL, NULL, 0));
  IS(OK, infinirtFree(first));
  IS(OK, infinirtFree(second));
  IS(OK, infinirtStreamDestroy(stream));
}

/* ---- Virtual memory ----------------------------------------------------------------------------------------------- */

/* It compiles as published, in each of its forms that the language has; every call is refused and leaves nothing over. */
static void testVirtualMemory(infiniDevice_t device) {
  size_t granularity = 7;
  infinirtPhysicalMemoryHandle_t physical = &physical;
  void* region = &region;
  IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtGetMemGranularityMinimum(&granularity));
  IS(0, (int)granularity);
  IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtCreatePhysicalMem(&physical, 4096));
  IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtCreateVirtualMem(&region, 4096));
  HOLDS(physical == NULL && region == NULL);
  IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtMapVirtualMem(region, 4096, 0, physical));
  IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtUnmapVirtualMem(region, 4096));
  IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtReleasePhysicalMem(physical));
  IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtReleaseVirtualMem(region, 4096));
  IS(INFINI_STATUS_NULL_POINTER, infinirtGetMemGranularityMinimum(NULL));
  IS(INFINI_STATUS_NULL_POINTER, infinirtCreatePhysicalMem(NULL, 4096));
  IS(INFINI_STATUS_NULL_POINTER, infinirtCreateVirtualMem(NULL, 4096));
#ifdef __cplusplus
  {
    infinirtVirtualMem_t handle = &handle;
    infinirtPhyMem_t memory = NULL;
    infinirtMemProp_t property = &property;
    infinirtPhyMem structure = {&structure, 4096, &structure};
    infinirtVirtualMemManager manager = {&manager, 4096};
    void* mapped = &mapped;
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtCreateVirtualMem(&handle, 4096));
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtMapVirtualMem(&mapped, handle, 4096, memory));
    HOLDS(handle == NULL && mapped == NULL);
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtReleaseVirtualMem(handle));

    mapped = &mapped;
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtGetMemProp(&property, device, 0));
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtGetMemGranularityMinimum(&granularity, property));
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtCreatePhysicalMem(&structure, 4096, property));
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtCreateVirtualMemManager(&manager, device, 4096, 0));
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtMapVirtualMem(&mapped, &manager, 4096, &structure));
    IS(INFINI_STATUS_NOT_IMPLEMENTED, infinirtUnmapVirtualMem(&manager, 4096));
    HOLDS(property == NULL && structure.handle == NULL && structure.len == 0 && manager.len == 0 && mapped == NULL);
    IS(INFINI_STATUS_NULL_POINTER, infinirtGetMemProp(NULL, device, 0));
    IS(INFINI_STATUS_NULL_POINTER, infinirtCreatePhysicalMem(NULL, 4096, property));
    IS(INFINI_STATUS_NULL_POINTER, infinirtCreateVirtualMemManager(NULL, device, 4096, 0));
    IS(INFINI_STATUS_NULL_POINTER, infinirtMapVirtualMem(NULL, &manager, 4096, &structure));
    IS(INFINI_STATUS_NULL_POINTER, infinirtMapVirtualMem(NULL, handle, 4096, memory));
  }
#else
  (void)device;
#endif
}

int main(int argc, char** argv) {
  const char* const name = argc == 2 ? argv[1] : "";
  const infiniDevice_t device = strcmp(name, "--cpu") == 0      ? INFINI_DEVICE_CPU
                                : strcmp(name, "--nvidia") == 0 ? INFINI_DEVICE_NVIDIA
                                : strcmp(name, "--moore") == 0  ? INFINI_DEVICE_MOORE
                                : strcmp(name, "--opencl") == 0 ? INFINI_DEVICE_OPENCL
                                                                : INFINI_DEVICE_TYPE_COUNT;
  int count = 0, i = 0;
  uint64_t alive = 1;
  if (device == INFINI_DEVICE_TYPE_COUNT) {
    fprintf(stderr, "usage: infinirt_test --cpu | --nvidia | --opencl | --moore\n");
    return 2;
  }
  for (i = 0; i < kCount; ++i) g_numbers[i] = (float)i * 0.5f;
  IS(OK, infinirtGetDeviceCount(device, &count));
  if (count == 0) {
    printf("SKIP: there is no device for %s\n", name);
    return 77;
  }
  testNumbers();
  testDevices(device);
  testMemory(device);
  testOrder();
  testCopyAfterStreams();
  testTwoDevices(device);
  testGraph();
  testVirtualMemory(device);
  IS(RT_SUCCESS, rtGetLiveHandleCount(&alive, RT_HANDLE_ALL));
  IS(0, (int)alive);
  IS(RT_SUCCESS, rtShutdown());
  IS(INFINI_STATUS_DEVICE_NOT_INITIALIZED, infinirtDeviceSynchronize());
  printf("infinirt on %s: ok\n", name);
  return 0;
}
