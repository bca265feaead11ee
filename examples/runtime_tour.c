/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime_tour: the whole life of a device's runtime in one page. It has memory of the device, pinned memory of the host, an
 * asynchronous copy and a timed region. Two operations are recorded as a graph and executed again and again. Everything is
 * given back: memory in use goes when its last use is over. */
#include "common.h"

enum { kCount = 1 << 16, kGroup = 256, kRuns = 3 };

static const char kSource[] =
    "__kernel void scale(__global float* x, float by, uint count) {\n"
    "  const uint i = get_global_id(0);\n"
    "  if (i < count) x[i] *= by;\n"
    "}\n"
    "__kernel void shift(__global float* x, float by, uint count) {\n"
    "  const uint i = get_global_id(0);\n"
    "  if (i < count) x[i] += by;\n"
    "}\n";

static void launch(rtKernel_t kernel, float* x, float by, rtStream_t stream) {
  uint32_t count = kCount;
  void* args[] = {&x, &by, &count};
  CHECK(rtLaunchKernel(kernel, kCount / kGroup, 1, 1, kGroup, 1, 1, 0, stream, args, RT_ARGS_ALL));
}

int main(void) {
  const size_t size = kCount * sizeof(float);
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtStream_t stream = NULL;
  CHECK(rtDeviceGetByName(&device, NULL)); /* the default device, or what RT_DEVICE says */
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK(rtContextSetCurrent(context)); /* from here on this thread works on that device */
  CHECK(rtStreamCreate(&stream, NULL, context));

  void* memory = NULL;
  void* pinned = NULL;
  CHECK(rtMalloc(&memory, size, context));
  CHECK(rtMallocHost(&pinned, size, context)); /* ordinary memory where a device has no use for pinned */
  float* x = memory;
  float* host = pinned;
  for (int i = 0; i < kCount; ++i) host[i] = (float)(i % 1000);

  CHECK(rtMemcpyAsync(x, host, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(rtStreamSynchronize(stream)); /* now the host may write to its memory again */

  rtModule_t module = NULL;
  rtKernel_t scale = NULL;
  rtKernel_t shift = NULL;
  CHECK(rtModuleCreateFromSource(&module, kSource, NULL, context));
  CHECK(rtModuleGetKernel(&scale, "scale", module));
  CHECK(rtModuleGetKernel(&shift, "shift", module));

  /* A timed region: two events around it, in the same stream. */
  rtEvent_t start = NULL;
  rtEvent_t stop = NULL;
  float milliseconds = -1.0f;
  CHECK(rtEventCreate(&start, NULL, context));
  CHECK(rtEventCreate(&stop, NULL, context));
  CHECK(rtEventRecord(start, stream));
  launch(scale, x, 2.0f, stream);
  CHECK(rtEventRecord(stop, stream));
  CHECK(rtEventSynchronize(stop));
  CHECK(rtEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds >= 0.0f);
  CHECK(rtEventDestroy(start));
  CHECK(rtEventDestroy(stop));

  /* Recording: what is given to the stream becomes a graph instead of running. In pin mode memory that is allocated meanwhile
   * keeps its address as long as an exec names it, so that the graph can run again. */
  rtMemPool_t pool = NULL;
  rtGraph_t graph = NULL;
  rtGraphExec_t exec = NULL;
  int32_t state = RT_CAPTURE_NONE;
  CHECK(rtContextGetDefaultPool(&pool, context));
  CHECK(rtMemPoolSetPinMode(1, pool));
  CHECK(rtStreamBeginCapture(stream));
  CHECK(rtStreamIsCapturing(&state, stream));
  EXPECT(state == RT_CAPTURE_ACTIVE);
  launch(scale, x, 0.5f, stream);
  launch(shift, x, 1.0f, stream);
  CHECK(rtStreamEndCapture(&graph, stream));
  CHECK(rtMemPoolSetPinMode(0, pool));
  CHECK(rtGraphInstantiate(&exec, graph, context));
  for (int i = 0; i < kRuns; ++i) CHECK(rtGraphLaunch(exec, stream));
  CHECK(rtMemcpyAsync(host, x, size, RT_MEMCPY_DEVICE_TO_HOST, stream));

  /* Given back while all of that may still be running: each goes when its last use is over, and none of these calls waits. */
  CHECK(rtGraphDestroy(graph));
  CHECK(rtGraphExecDestroy(exec));
  CHECK(rtModuleDestroy(module));
  CHECK(rtFree(x));

  CHECK(rtStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) {
    float expected = 2.0f * (float)(i % 1000);
    for (int run = 0; run < kRuns; ++run) expected = expected * 0.5f + 1.0f;
    EXPECT(host[i] == expected);
  }
  printf("one kernel took %.3f ms; the graph of two ran %d times; element 999 is %.3f\n", (double)milliseconds, kRuns,
         (double)host[999]);
  CHECK(rtFree(host));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtContextSetCurrent(NULL));
  CHECK(rtContextDestroy(context));
  CHECK(rtShutdown());
  return EXIT_SUCCESS;
}
