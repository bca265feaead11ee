#include "other_work.h"

#include <stddef.h>

enum { kBytes = 1024 };

static rtStatus_t first(rtStatus_t earlier, rtStatus_t later) { return earlier != RT_SUCCESS ? earlier : later; }

static int has(int32_t capability, rtDevice_t device) {
  int32_t yes = 0;
  return rtDeviceHasCapability(&yes, capability, device) == RT_SUCCESS && yes != 0;
}

static void addOne(const rtHostGroup_t* group, void* const* args) {
  int32_t* const out = *(int32_t* const*)args[0];
  for (uint32_t i = 0; i < group->group_size[0]; ++i) ++out[group->group_id[0] * group->group_size[0] + i];
}

/* Submits nothing: that it was called is work of the stream. */
static rtStatus_t nativeFunction(const uint64_t native[2], void* user) {
  (void)native;
  (void)user;
  return RT_SUCCESS;
}

static void hostFunction(void* user, rtStatus_t status) {
  (void)user;
  (void)status;
}

static rtStatus_t hostKernel(rtStream_t stream, void* memory, rtContext_t context) {
  static const rtHostArg_t arg = {8, RT_ARG_POINTER};
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  rtKernel_t kernel = NULL;
  void* args[] = {&memory};
  host.arg_count = 1;
  host.args = &arg;
  host.function = addOne;
  host.name = "add_one";
  rtStatus_t status = rtKernelCreateFromHost(&kernel, &host, context);
  for (int i = 0; i < 2; ++i) status = first(status, rtLaunchKernel(kernel, 2, 1, 1, 64, 1, 1, 0, stream, args, 1));
  return first(status, rtKernelDestroy(kernel));
}

static rtStatus_t graphOfOthers(rtStream_t stream, void* memory, rtContext_t context) {
  rtGraph_t graph = NULL;
  rtGraphExec_t exec = NULL;
  rtStatus_t status = rtStreamBeginCapture(stream);
  status = first(status, rtMemsetAsync(memory, 0, kBytes, stream));
  status = first(status, rtStreamLaunchNative(nativeFunction, NULL, stream));
  status = first(status, rtStreamEndCapture(&graph, stream));
  status = first(status, rtGraphInstantiate(&exec, graph, context));
  for (int i = 0; i < 2; ++i) status = first(status, rtGraphLaunch(exec, stream));
  status = first(status, rtStreamSynchronize(stream));
  (void)rtGraphDestroy(graph);
  return first(status, rtGraphExecDestroy(exec));
}

rtStatus_t otherWork(rtStream_t stream, rtContext_t context, rtDevice_t device) {
  void *memory = NULL, *shared = NULL;
  rtStatus_t status = rtMalloc(&memory, kBytes, context);
  if (status == RT_SUCCESS && has(RT_CAPABILITY_HOST_KERNELS, device)) status = hostKernel(stream, memory, context);
  if (status == RT_SUCCESS && has(RT_CAPABILITY_SHARED_MEMORY, device)) {
    status = rtMallocShared(&shared, kBytes, context);
    status = first(status, rtMemPrefetchAsync(shared, kBytes, device, stream));
    status = first(status, rtMemPrefetchAsync(shared, kBytes, NULL, stream));
  }
  for (int i = 0; i < 2; ++i) status = first(status, rtStreamLaunchNative(nativeFunction, NULL, stream));
  status = first(status, rtLaunchHostFunction(hostFunction, NULL, stream));
  status = first(status, rtStreamSynchronize(stream));
  status = first(status, graphOfOthers(stream, memory, context));
  (void)rtFree(memory);
  (void)rtFree(shared);
  return status;
}
