/* Work of known numbers on one device, for trace_test.py: launches, copies of each direction, fills, a host function, and a
 * graph. Usage: traced_program DEVICE [shutdown|exit|running|profiled|middle|barriers|copies|streams|threads|others|many]
 * [REPEATS] [FILE]. Prints what events say of the graph's launches. With "profiled" a callback of the trace adds up what it is
 * told, and FILE gets the sums. With "middle" the streams, the graph and some work are older than the timeline, which FILE
 * gets. With "barriers" it launches two other kernels; with "copies" it copies and fills in ways that take several commands.
 * With "streams" it has streams that end at once; with "threads" timelines begin and end while threads launch (threads.h). With
 * "others" it has the work of other_work.h; with "many" it launches one kernel of a few items REPEATS times. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "other_work.h"
#include "profiler.h"
#include "rt.h"
#include "threads.h"

enum { kItems = 1 << 16, kLaunches = 5, kGraphLaunches = 3 };

static const char kSource[] =
    "__kernel void scale(__global float *out, float by) { out[get_global_id(0)] *= by; }\n"
    "__kernel void smooth(__global float *out, __global const float *in) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  float sum = in[i];\n"
    "  for (int k = 0; k < 200; ++k) sum = sum * 0.5f + 1.0f;\n"
    "  out[i] = sum;\n"
    "}\n";

/* The work-items of one meet at a barrier, those of the other exchange values. */
static const char kBarrierSource[] =
    "__kernel void turned(__global float *out, __global const float *in) {\n"
    "  __local float row[64];\n"
    "  const size_t i = get_local_id(0);\n"
    "  row[i] = in[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = row[63 - i];\n"
    "}\n"
    "__kernel void together(__global int *out) { out[get_global_id(0)] = sub_group_reduce_add(1); }\n";

static void check(rtStatus_t status, const char* call) {
  char message[512] = "";
  if (status == RT_SUCCESS) return;
  rtGetLastErrorMessage(message, sizeof message, NULL);
  fprintf(stderr, "%s: %s %s\n", call, rtGetErrorName(status), message);
  exit(1);
}
#define OK(call) check(call, #call)

static rtKernel_t scale, smooth;
static float *device_a, *device_b, *host;
static const size_t bytes = kItems * sizeof(float);

static void hostFunction(void* user, rtStatus_t status) {
  (void)status;
  ++*(int*)user;
}

static void launches(rtStream_t stream) {
  float by = 2.0f;
  void* scale_args[] = {&device_a, &by};
  void* smooth_args[] = {&device_b, &device_a};
  OK(rtLaunchKernel(scale, kItems / 64, 1, 1, 64, 1, 1, 0, stream, scale_args, 2));
  OK(rtLaunchKernel(smooth, kItems / 64, 1, 1, 64, 1, 1, 0, stream, smooth_args, 2));
}

static void plainWork(rtStream_t stream, int* called) {
  OK(rtMemcpyAsync(device_a, host, bytes, RT_MEMCPY_HOST_TO_DEVICE, stream));
  OK(rtMemsetAsync(device_b, 0, bytes, stream));
  for (int i = 0; i < kLaunches; ++i) launches(stream);
  OK(rtMemcpyAsync(device_b, device_a, bytes, RT_MEMCPY_DEVICE_TO_DEVICE, stream));
  OK(rtMemcpyAsync(host, device_b, bytes, RT_MEMCPY_DEVICE_TO_HOST, stream));
  OK(rtLaunchHostFunction(hostFunction, called, stream));
  OK(rtStreamSynchronize(stream));
}

static rtGraphExec_t makeGraph(rtStream_t stream, rtContext_t context) {
  rtGraph_t graph = NULL;
  rtGraphExec_t exec = NULL;
  OK(rtStreamBeginCapture(stream));
  OK(rtMemcpyAsync(device_b, device_a, bytes, RT_MEMCPY_DEVICE_TO_DEVICE, stream));
  for (int i = 0; i < 3; ++i) launches(stream);
  OK(rtStreamEndCapture(&graph, stream));
  OK(rtGraphInstantiate(&exec, graph, context));
  OK(rtGraphDestroy(graph));
  return exec;
}

static void graphWork(rtGraphExec_t exec, rtStream_t stream, rtContext_t context) {
  rtEvent_t before = NULL, after = NULL;
  int64_t total = 0, nanoseconds = 0;
  OK(rtEventCreate(&before, NULL, context));
  OK(rtEventCreate(&after, NULL, context));
  for (int i = 0; i < kGraphLaunches; ++i) {
    OK(rtEventRecord(before, stream));
    OK(rtGraphLaunch(exec, stream));
    OK(rtEventRecord(after, stream));
    OK(rtStreamSynchronize(stream));
    OK(rtEventElapsedNanoseconds(&nanoseconds, before, after));
    total += nanoseconds;
  }
  printf("graph_ns %lld\n", (long long)total);
  OK(rtEventDestroy(before));
  OK(rtEventDestroy(after));
}

/* A timeline in the middle of a program: what is ahead of it and after it is not in it. */
static void middleWork(rtStream_t stream, rtContext_t context, const char* file, int* called) {
  const rtGraphExec_t exec = makeGraph(stream, context);
  plainWork(stream, called);
  OK(rtTraceRangePush("older"));
  OK(rtTraceStart(file));
  OK(rtTraceRangePush("step \"1\""));
  plainWork(stream, called);
  OK(rtTraceRangePush("graph"));
  graphWork(exec, stream, context);
  OK(rtTraceRangePop());
  OK(rtTraceMark("half"));
  OK(rtTraceRangePop());
  OK(rtTraceRangePop());
  OK(rtTraceRangePush("younger"));
  OK(rtTraceStop());
  OK(rtTraceRangePop());
  plainWork(stream, called);
  OK(rtGraphExecDestroy(exec));
}

static void copyWork(rtStream_t stream, rtContext_t context) {
  enum { kBytes = 8 << 20, kPitch = 4096, kWidth = 1000, kRows = 512 };
  static const uint32_t pattern[4] = {1, 2, 3, 4};
  char* pageable = malloc(kBytes);
  char* device = NULL;
  float by = 1.0f;
  void* scale_args[] = {&device_a, &by};
  if (pageable == NULL) exit(1);
  memset(pageable, 1, kBytes);
  OK(rtMalloc((void**)&device, kBytes, context));
  OK(rtMemcpyAsync(device, pageable, kBytes, RT_MEMCPY_HOST_TO_DEVICE, stream));
  OK(rtMemcpy2DAsync(device, kPitch, pageable, kPitch, kWidth, kRows, RT_MEMCPY_HOST_TO_DEVICE, stream));
  OK(rtLaunchKernel(scale, kItems / 64, 1, 1, 64, 1, 1, 0, stream, scale_args, 2));
  OK(rtMemFillAsync(device, pattern, sizeof pattern, kBytes / 16, stream));
  OK(rtMemFillAsync(device, pattern, 4, 1 << 10, stream));
  OK(rtMemcpy2DAsync(pageable, kPitch, device, kPitch, kWidth, kRows, RT_MEMCPY_DEVICE_TO_HOST, stream));
  OK(rtMemcpyAsync(pageable, device, kBytes, RT_MEMCPY_DEVICE_TO_HOST, stream));
  OK(rtStreamSynchronize(stream));
  /* Short ones that the CPU does at once while nothing is on. */
  OK(rtMemcpy(device, pageable, 64, RT_MEMCPY_HOST_TO_DEVICE));
  OK(rtMemcpy2D(pageable, kPitch, device, kPitch, 48, 16, RT_MEMCPY_DEVICE_TO_HOST));
  OK(rtMemset(device, 0, 64));
  OK(rtFree(device));
  free(pageable);
}

/* Streams that end as soon as their work is over. */
static void shortStreams(rtContext_t context) {
  float by = 1.0f;
  void* scale_args[] = {&device_a, &by};
  for (int i = 0; i < 20; ++i) {
    rtStream_t stream = NULL;
    OK(rtStreamCreate(&stream, NULL, context));
    OK(rtLaunchKernel(scale, kItems / 64, 1, 1, 64, 1, 1, 0, stream, scale_args, 2));
    OK(rtMemcpyAsync(host, device_a, bytes, RT_MEMCPY_DEVICE_TO_HOST, stream));
    OK(rtStreamSynchronize(stream));
    OK(rtStreamDestroy(stream));
  }
}

static void barrierWork(rtStream_t stream, rtContext_t context) {
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  rtModule_t module = NULL;
  rtKernel_t turned = NULL, together = NULL;
  void* args[] = {&device_b, &device_a};
  options.name = "barriers.cl";
  OK(rtModuleLoadData(&module, kBarrierSource, sizeof kBarrierSource, &options, context));
  OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  OK(rtModuleGetKernel(&turned, "turned", module));
  OK(rtModuleGetKernel(&together, "together", module));
  for (int i = 0; i < 2; ++i) OK(rtLaunchKernel(turned, kItems / 64, 1, 1, 64, 1, 1, 0, stream, args, 2));
  OK(rtLaunchKernel(together, kItems / 64, 1, 1, 64, 1, 1, 0, stream, args, 1));
  OK(rtStreamSynchronize(stream));
}

/* A launch, an event and a query are each short. A wait for more work than that comes at the end. */
static void manyLaunches(rtStream_t stream, rtContext_t context, int count) {
  float by = 1.0f;
  void* scale_args[] = {&device_a, &by};
  void* smooth_args[] = {&device_b, &device_a};
  rtEvent_t event = NULL;
  OK(rtEventCreate(&event, NULL, context));
  for (int i = 0; i < count; ++i) {
    OK(rtLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, stream, scale_args, 2));
    if (i % 8 == 0) OK(rtEventRecord(event, stream));
    if (i % 16 == 0) OK(rtStreamSynchronize(stream));
  }
  OK(rtLaunchKernel(smooth, kItems / 64, 1, 1, 64, 1, 1, 0, stream, smooth_args, 2));
  OK(rtStreamSynchronize(stream));
  OK(rtEventDestroy(event));
}

int main(int argc, char** argv) {
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  rtModuleOptions_t module_options = RT_MODULE_OPTIONS_INIT;
  rtContextOptions_t context_options = RT_CONTEXT_OPTIONS_INIT;
  rtMallocOptions_t memory_options = RT_MALLOC_OPTIONS_INIT;
  rtStream_t stream = NULL;
  rtModule_t module = NULL;
  int called = 0;
  const char* end = argc > 2 ? argv[2] : "exit";
  const int repeats = argc > 3 ? atoi(argv[3]) : 1;
  const char* file = argc > 4 ? argv[4] : "";
  const int profiled = strcmp(end, "profiled") == 0;
  if (argc < 2) return 2;
  if (rtDeviceGetByName(&device, argv[1]) != RT_SUCCESS) return 77;
  if (profiled) OK(profilerBegin());
  snprintf(context_options.label, sizeof context_options.label, "train\\ing");
  OK(rtContextCreate(&context, &context_options, device));
  snprintf(options.label, sizeof options.label, "the \"first\"");
  OK(rtStreamCreate(&stream, &options, context));
  if (strcmp(end, "others") == 0) {
    OK(otherWork(stream, context, device));
    return 0;
  }
  module_options.name = "traced.cl";
  OK(rtModuleLoadData(&module, kSource, sizeof kSource, &module_options, context));
  OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  OK(rtModuleGetKernel(&scale, "scale", module));
  OK(rtModuleGetKernel(&smooth, "smooth", module));
  snprintf(memory_options.label, sizeof memory_options.label, "the \"second\"");
  OK(rtMalloc((void**)&device_a, bytes, context));
  OK(rtMallocWithOptions((void**)&device_b, bytes, &memory_options, context));
  OK(rtMallocHost((void**)&host, bytes, context));
  memset(host, 0, bytes);
  if (strcmp(end, "middle") == 0) {
    middleWork(stream, context, file, &called);
    return 0;
  }
  if (strcmp(end, "copies") == 0) {
    copyWork(stream, context);
    return 0;
  }
  if (strcmp(end, "streams") == 0) {
    shortStreams(context);
    return 0;
  }
  if (strcmp(end, "threads") == 0) {
    OK(threadedTimelines(file, scale, context));
    return 0;
  }
  if (strcmp(end, "many") == 0) {
    manyLaunches(stream, context, repeats);
    return 0;
  }
  if (strcmp(end, "barriers") == 0) {
    barrierWork(stream, context);
    return 0;
  }
  for (int i = 0; i < repeats; ++i) plainWork(stream, &called);
  const rtGraphExec_t exec = makeGraph(stream, context);
  graphWork(exec, stream, context);
  OK(rtGraphExecDestroy(exec));
  printf("called %d\n", called);
  if (profiled) return profilerEnd(file) == RT_SUCCESS ? 0 : 1;
  if (strcmp(end, "running") == 0) { /* ends with work that was not waited for */
    launches(stream);
    return 0;
  }
  if (strcmp(end, "shutdown") == 0) {
    OK(rtFree(device_a));
    OK(rtFree(device_b));
    OK(rtFree(host));
    OK(rtModuleDestroy(module));
    OK(rtStreamDestroy(stream));
    OK(rtContextDestroy(context));
    OK(rtShutdown());
  }
  return 0;
}
