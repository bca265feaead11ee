/* Launches that take 0.3 ms and longer, alone and as the nodes of a graph, for against_events.py. At that length 5 percent is
 * more than the cost of the two ways of timing. Usage: long_kernels DEVICE [TURNS]. Without a number it only finds one, and
 * prints it. Exit status 77: no such device. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "rt.h"

enum { kItems = 1 << 14, kGroup = 64, kLaunches = 20, kNodes = 5, kGraphLaunches = 5 };

static const char kSource[] =
    "__kernel void slow(__global float* data, uint turns) {\n"
    "  float x = data[get_global_id(0)];\n"
    "  for (uint i = 0; i < turns; ++i) x = x * 0.999f + 0.5f;\n"
    "  data[get_global_id(0)] = x;\n"
    "}\n";

static void check(rtStatus_t status, const char* call) {
  char sentence[512] = "";
  if (status == RT_SUCCESS) return;
  rtGetLastErrorMessage(sentence, sizeof sentence, NULL);
  fprintf(stderr, "long_kernels: %s: %s: %s\n", call, rtGetErrorName(status), sentence);
  exit(1);
}
#define OK(call) check(call, #call)

static rtStream_t stream;
static float* data;
static uint32_t turns;

static void launch(rtKernel_t kernel) {
  void* args[] = {&data, &turns};
  OK(rtLaunchKernel(kernel, kItems / kGroup, 1, 1, kGroup, 1, 1, 0, stream, args, 2));
}

static void findTurns(rtContext_t context, rtKernel_t kernel) {
  rtEvent_t before, after;
  turns = 1024;
  OK(rtEventCreate(&before, NULL, context));
  OK(rtEventCreate(&after, NULL, context));
  for (;;) {
    int64_t nanoseconds = 0;
    launch(kernel); /* a device may be asleep */
    OK(rtEventRecord(before, stream));
    launch(kernel);
    OK(rtEventRecord(after, stream));
    OK(rtEventSynchronize(after));
    OK(rtEventElapsedNanoseconds(&nanoseconds, before, after));
    if (nanoseconds > 300000 || turns >= 1u << 30) break;
    turns *= 2;
  }
  OK(rtEventDestroy(before));
  OK(rtEventDestroy(after));
}

int main(int argc, char** argv) {
  rtDevice_t device;
  rtContext_t context;
  rtModule_t module;
  rtKernel_t slow;
  rtGraph_t graph;
  rtGraphExec_t exec;
  if (argc != 2 && argc != 3) return 2;
  if (rtDeviceGetByName(&device, argv[1]) != RT_SUCCESS) {
    fprintf(stderr, "There is no device %s.\n", argv[1]);
    return 77;
  }
  OK(rtContextCreate(&context, NULL, device));
  OK(rtStreamCreate(&stream, NULL, context));
  OK(rtMalloc((void**)&data, kItems * sizeof(float), context));
  OK(rtMemset(data, 0, kItems * sizeof(float)));
  OK(rtModuleCreateFromSource(&module, kSource, NULL, context));
  OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  OK(rtModuleGetKernel(&slow, "slow", module));
  if (argc == 2) {
    findTurns(context, slow);
    printf("%u\n", turns);
    OK(rtShutdown());
    return 0;
  }
  turns = (uint32_t)strtoul(argv[2], NULL, 10);
  for (int i = 0; i < kLaunches; ++i) launch(slow);
  OK(rtStreamBeginCapture(stream));
  for (int i = 0; i < kNodes; ++i) launch(slow);
  OK(rtStreamEndCapture(&graph, stream));
  OK(rtGraphInstantiate(&exec, graph, context));
  for (int i = 0; i < kGraphLaunches; ++i) OK(rtGraphLaunch(exec, stream));
  OK(rtStreamSynchronize(stream));
  OK(rtStreamDestroy(stream));
  OK(rtShutdown());
  return 0;
}
