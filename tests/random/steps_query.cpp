// Steps that ask, and steps that use handles which are none: every question has its answer, every wrong handle its refusal.
#include <cstring>

#include "random/actor.h"
#include "random/callbacks.h"
#include "random/steps.h"

namespace rtrandom {
namespace {

void askDevice(Actor& actor) {
  rtDevice_t device = actor.devices[actor.rng.below(actor.devices.size())], same = nullptr;
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  OK(rtDeviceGetProperties, &properties, device);
  OK(rtDeviceGetByName, &same, properties.id);
  if (same != device) fail("%s is another device the second time.", properties.id);
  int64_t value = 0;
  const auto attribute = static_cast<int32_t>(actor.rng.below(24));
  const rtStatus_t told = CALL(rtDeviceGetAttribute, &value, attribute, device);
  // A clock or a cache that the driver does not tell is not supported.
  if (told != RT_SUCCESS && told != RT_ERROR_NOT_SUPPORTED) fail("attribute %d is %s.", attribute, rtGetErrorName(told));
  uint64_t free_bytes = 0, total_bytes = 0;
  OK(rtDeviceGetMemInfo, &free_bytes, &total_bytes, device);
  if (free_bytes > total_bytes) fail("a device has more free memory than memory.");
  rtStatus_t status = RT_SUCCESS;
  OK(rtDeviceGetStatus, &status, device);
  if (status != RT_SUCCESS) fail("%s is lost.", properties.id);
}

void askPointer(Actor& actor) {
  if (actor.buffers.empty()) return;
  const BufferRef& buffer = actor.buffers[actor.rng.below(actor.buffers.size())];
  static constexpr int32_t kKinds[] = {RT_POINTER_DEVICE,     RT_POINTER_HOST,    RT_POINTER_SHARED,
                                       RT_POINTER_REGISTERED, RT_POINTER_UNKNOWN, RT_POINTER_IMPORTED};
  rtPointerAttributes_t attributes = RT_POINTER_ATTRIBUTES_INIT;
  OK(rtPointerGetAttributes, &attributes, buffer->address + actor.rng.below(buffer->size()));
  const int32_t expected = kKinds[static_cast<int>(buffer->type)];
  if (attributes.kind != expected ||
      (expected != RT_POINTER_UNKNOWN && (attributes.base != buffer->address || attributes.size != buffer->size() ||
                                          attributes.context != buffer->context->handle))) {
    fail("%p is said to be memory of kind %d, %llu bytes from %p on; it is of kind %d, %zu bytes from %p on.",
         static_cast<void*>(buffer->address), attributes.kind, static_cast<unsigned long long>(attributes.size),
         attributes.base, expected, buffer->size(), static_cast<void*>(buffer->address));
  }
}

void askStream(Actor& actor) {
  const StreamRef stream = actor.anyStream();
  rtContext_t context = nullptr;
  OK(rtStreamGetContext, &context, stream->handle);
  if (context != stream->context->handle) fail("a stream has another context.");
  int32_t priority = 0, state = 0;
  OK(rtStreamGetPriority, &priority, stream->handle);
  OK(rtStreamIsCapturing, &state, stream->handle);
  const rtStatus_t status = CALL(rtStreamQuery, stream->handle);
  if (status != RT_SUCCESS && status != RT_NOT_READY) fail("rtStreamQuery returned %s.", rtGetErrorName(status));
  const rtStatus_t waited = CALL(rtStreamSynchronizeFor, uint64_t{actor.rng.below(50000)}, stream->handle);
  if (waited != RT_SUCCESS && waited != RT_ERROR_TIMEOUT) fail("rtStreamSynchronizeFor returned %s.", rtGetErrorName(waited));
}

void askContext(Actor& actor) {
  const auto context = actor.anyContext();
  rtDevice_t device = nullptr;
  OK(rtContextGetDevice, &device, context->handle);
  if (device != context->device) fail("a context has another device.");
  rtMemPool_t pool = nullptr;
  OK(rtContextGetDefaultPool, &pool, context->handle);
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  OK(rtMemPoolGetStats, &stats, pool);
  if (stats.peak_live_bytes < stats.live_bytes && actor.contexts.size() == 1) fail("a pool's peak is below what is live.");
  char text[4096];
  size_t needed = 0;
  OK(rtMemPoolDumpJson, text, sizeof text, &needed, pool);
  if (std::strlen(text) + 1 != std::min(needed, sizeof text)) fail("a text has another length than it says.");
  uint64_t free_bytes = 0, total_bytes = 0;
  OK(rtMemGetInfo, &free_bytes, &total_bytes, context->handle);
  OK(rtContextSetCurrent, context->primary ? context->handle : nullptr);
}

void askGraph(Actor& actor) {
  if (actor.executables.empty()) return;
  const Executable& executable = *actor.executables[actor.rng.below(actor.executables.size())];
  if (executable.graph == nullptr) return;
  uint32_t nodes = 0, edges = 0;
  OK(rtGraphGetNodes, nullptr, 0u, &nodes, executable.graph);
  OK(rtGraphGetEdges, nullptr, nullptr, 0u, &edges, executable.graph);
  std::vector<rtGraphNode_t> all(nodes);
  OK(rtGraphGetNodes, all.data(), nodes, &nodes, executable.graph);
  for (rtGraphNode_t node : all) {
    int32_t type = 0;
    OK(rtGraphNodeGetType, &type, node);
  }
  size_t needed = 0;
  OK(rtGraphExportDot, nullptr, size_t{0}, &needed, executable.graph);
  rtGraph_t clone = nullptr;
  OK(rtGraphClone, &clone, executable.graph);
  uint32_t cloned = 0;
  OK(rtGraphGetNodes, nullptr, 0u, &cloned, clone);
  if (cloned != nodes) fail("the copy of a graph of %u nodes has %u.", nodes, cloned);
  OK(rtGraphDestroy, clone);
}

template <typename Handle>
Handle as(uint64_t bits) {
  return reinterpret_cast<Handle>(bits);
}

}  // namespace

void stepQuery(Actor& actor) {
  switch (actor.rng.below(5)) {
    case 0:
      return askDevice(actor);
    case 1:
      return askPointer(actor);
    case 2:
      return askStream(actor);
    case 3:
      return askContext(actor);
    default:
      return askGraph(actor);
  }
}

void stepLogCallback(Actor& actor) {
  if (actor.rng.chance(25)) {
    OK(rtSetLogCallback, nullptr, nullptr, RT_LOG_WARNING);
    return;
  }
  void* sink = logSinks() + actor.rng.below(kLogSinks);
  OK(rtSetLogCallback, receiveLine, sink, static_cast<int32_t>(actor.rng.range(RT_LOG_ERROR, RT_LOG_DEBUG)));
}

// A handle that was destroyed, one of another kind, or random bits: RT_ERROR_INVALID_HANDLE and nothing else.
void stepMisuse(Actor& actor) {
  uint64_t bits = actor.rng.next() | 1;
  bool of_event = false;
  if (!actor.stale.empty() && actor.rng.chance(60)) {
    bits = actor.stale[actor.rng.below(actor.stale.size())];
  } else if (!actor.fences.empty() && actor.rng.chance(50)) {
    bits = reinterpret_cast<uint64_t>(actor.fences[0].handle);
    of_event = true;
  }
  rtStream_t stream = actor.anyStream()->handle;
  switch (actor.rng.below(14)) {
    case 0:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtStreamQuery, as<rtStream_t>(bits));
    case 1:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtStreamDestroy, as<rtStream_t>(bits));
    case 2:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtEventRecord, as<rtEvent_t>(bits), stream);
    case 3:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtEventDestroy, as<rtEvent_t>(bits));
    case 4:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtStreamWaitEvent, as<rtEvent_t>(bits), stream);
    case 5: {
      uint64_t value = 0;
      if (of_event) return;
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtFenceGetValue, &value, as<rtFence_t>(bits));
    }
    case 6:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtContextSynchronize, as<rtContext_t>(bits));
    case 7:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtContextDestroy, as<rtContext_t>(bits));
    case 8:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtGraphLaunch, as<rtGraphExec_t>(bits), stream);
    case 9:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtGraphDestroy, as<rtGraph_t>(bits));
    case 10:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtMemPoolTrim, uint64_t{0}, as<rtMemPool_t>(bits));
    case 11:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtModuleDestroy, as<rtModule_t>(bits));
    case 12: {
      void* pointer = nullptr;
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtMalloc, &pointer, size_t{64}, as<rtContext_t>(bits));
    }
    default:
      return EXPECT(RT_ERROR_INVALID_HANDLE, rtStreamBeginCapture, as<rtStream_t>(bits));
  }
}

}  // namespace rtrandom
