/* SPDX-License-Identifier: Apache-2.0
 *
 * rt_message.h - every function of rt.h that may fail, with its message. Made by bindings/generate.py.
 *
 * rtGetLastErrorMessage answers on the thread of the failed call. A language whose code may move to another thread between
 * two calls makes both in one C function: rtStreamCreateWithMessage(message, message_size, stream, options, context). The
 * text is cut off at message_size, and empty where the call did not fail or leaves no message (RT_ERROR_TIMEOUT).
 */
#ifndef MANYRT_RT_MESSAGE_H_
#define MANYRT_RT_MESSAGE_H_

#include <rt.h>

static inline rtStatus_t rtKeepMessage(char* message, size_t message_size, rtStatus_t status) {
  if (message_size != 0) message[0] = '\0';
  if (status < 0 && status != RT_ERROR_TIMEOUT) (void)rtGetLastErrorMessage(message, message_size, NULL);
  return status;
}

static inline rtStatus_t rtGetVersionWithMessage(char* message, size_t message_size, uint32_t* version) {
  return rtKeepMessage(message, message_size, rtGetVersion(version));
}

static inline rtStatus_t rtInitWithMessage(char* message, size_t message_size) {
  return rtKeepMessage(message, message_size, rtInit());
}

static inline rtStatus_t rtShutdownWithMessage(char* message, size_t message_size) {
  return rtKeepMessage(message, message_size, rtShutdown());
}

static inline rtStatus_t rtSetLogCallbackWithMessage(char* message, size_t message_size, rtLogCallback_t callback,
    void* user, int32_t level) {
  return rtKeepMessage(message, message_size, rtSetLogCallback(callback, user, level));
}

static inline rtStatus_t rtLogWriteWithMessage(char* message, size_t message_size, int32_t level, const char* line) {
  return rtKeepMessage(message, message_size, rtLogWrite(level, line));
}

static inline rtStatus_t rtGetLiveHandleCountWithMessage(char* message, size_t message_size, uint64_t* count,
    int32_t kind) {
  return rtKeepMessage(message, message_size, rtGetLiveHandleCount(count, kind));
}

static inline rtStatus_t rtBackendGetInfoWithMessage(char* message, size_t message_size, rtBackendInfo_t* info,
    int32_t backend) {
  return rtKeepMessage(message, message_size, rtBackendGetInfo(info, backend));
}

static inline rtStatus_t rtDeviceGetCountWithMessage(char* message, size_t message_size, int32_t* count,
    int32_t backend) {
  return rtKeepMessage(message, message_size, rtDeviceGetCount(count, backend));
}

static inline rtStatus_t rtDeviceGetWithMessage(char* message, size_t message_size, rtDevice_t* device, int32_t backend,
    int32_t ordinal) {
  return rtKeepMessage(message, message_size, rtDeviceGet(device, backend, ordinal));
}

static inline rtStatus_t rtDeviceGetByNameWithMessage(char* message, size_t message_size, rtDevice_t* device,
    const char* name) {
  return rtKeepMessage(message, message_size, rtDeviceGetByName(device, name));
}

static inline rtStatus_t rtDeviceGetBackendWithMessage(char* message, size_t message_size, int32_t* backend,
    int32_t* ordinal, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceGetBackend(backend, ordinal, device));
}

static inline rtStatus_t rtDeviceGetPropertiesWithMessage(char* message, size_t message_size,
    rtDeviceProperties_t* properties, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceGetProperties(properties, device));
}

static inline rtStatus_t rtDeviceGetAttributeWithMessage(char* message, size_t message_size, int64_t* value,
    int32_t attribute, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceGetAttribute(value, attribute, device));
}

static inline rtStatus_t rtDeviceHasCapabilityWithMessage(char* message, size_t message_size, int32_t* has,
    int32_t capability, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceHasCapability(has, capability, device));
}

static inline rtStatus_t rtDeviceGetMemInfoWithMessage(char* message, size_t message_size, uint64_t* free_bytes,
    uint64_t* total_bytes, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceGetMemInfo(free_bytes, total_bytes, device));
}

static inline rtStatus_t rtDeviceCanAccessPeerWithMessage(char* message, size_t message_size, int32_t* can,
    rtDevice_t peer, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceCanAccessPeer(can, peer, device));
}

static inline rtStatus_t rtDeviceSynchronizeWithMessage(char* message, size_t message_size, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceSynchronize(device));
}

static inline rtStatus_t rtDeviceGetStatusWithMessage(char* message, size_t message_size, rtStatus_t* status,
    rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceGetStatus(status, device));
}

static inline rtStatus_t rtDeviceGetLossMessageWithMessage(char* message, size_t message_size, char* buffer,
    size_t size, size_t* needed, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceGetLossMessage(buffer, size, needed, device));
}

static inline rtStatus_t rtContextCreateWithMessage(char* message, size_t message_size, rtContext_t* context,
    const rtContextOptions_t* options, rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtContextCreate(context, options, device));
}

static inline rtStatus_t rtContextDestroyWithMessage(char* message, size_t message_size, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextDestroy(context));
}

static inline rtStatus_t rtContextGetPrimaryWithMessage(char* message, size_t message_size, rtContext_t* context,
    rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtContextGetPrimary(context, device));
}

static inline rtStatus_t rtContextSetCurrentWithMessage(char* message, size_t message_size, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextSetCurrent(context));
}

static inline rtStatus_t rtContextGetCurrentWithMessage(char* message, size_t message_size, rtContext_t* context) {
  return rtKeepMessage(message, message_size, rtContextGetCurrent(context));
}

static inline rtStatus_t rtContextGetDeviceWithMessage(char* message, size_t message_size, rtDevice_t* device,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextGetDevice(device, context));
}

static inline rtStatus_t rtContextGetDefaultStreamWithMessage(char* message, size_t message_size, rtStream_t* stream,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextGetDefaultStream(stream, context));
}

static inline rtStatus_t rtContextGetDefaultPoolWithMessage(char* message, size_t message_size, rtMemPool_t* pool,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextGetDefaultPool(pool, context));
}

static inline rtStatus_t rtContextGetStatsWithMessage(char* message, size_t message_size, rtContextStats_t* stats,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextGetStats(stats, context));
}

static inline rtStatus_t rtContextSetDefaultPoolWithMessage(char* message, size_t message_size, rtMemPool_t pool,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextSetDefaultPool(pool, context));
}

static inline rtStatus_t rtContextSynchronizeWithMessage(char* message, size_t message_size, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextSynchronize(context));
}

static inline rtStatus_t rtContextResetWithMessage(char* message, size_t message_size, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextReset(context));
}

static inline rtStatus_t rtContextEnablePeerAccessWithMessage(char* message, size_t message_size, rtContext_t peer,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextEnablePeerAccess(peer, context));
}

static inline rtStatus_t rtContextSetUserDataWithMessage(char* message, size_t message_size, void* user,
    rtReleaseFunction_t release, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextSetUserData(user, release, context));
}

static inline rtStatus_t rtContextGetUserDataWithMessage(char* message, size_t message_size, void** user,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextGetUserData(user, context));
}

static inline rtStatus_t rtStreamCreateWithMessage(char* message, size_t message_size, rtStream_t* stream,
    const rtStreamOptions_t* options, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtStreamCreate(stream, options, context));
}

static inline rtStatus_t rtStreamDestroyWithMessage(char* message, size_t message_size, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamDestroy(stream));
}

static inline rtStatus_t rtStreamSynchronizeWithMessage(char* message, size_t message_size, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamSynchronize(stream));
}

static inline rtStatus_t rtStreamQueryWithMessage(char* message, size_t message_size, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamQuery(stream));
}

static inline rtStatus_t rtStreamSynchronizeForWithMessage(char* message, size_t message_size, uint64_t timeout_ns,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamSynchronizeFor(timeout_ns, stream));
}

static inline rtStatus_t rtStreamWaitEventWithMessage(char* message, size_t message_size, rtEvent_t event,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamWaitEvent(event, stream));
}

static inline rtStatus_t rtStreamWaitStreamWithMessage(char* message, size_t message_size, rtStream_t other,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamWaitStream(other, stream));
}

static inline rtStatus_t rtStreamWaitContextWithMessage(char* message, size_t message_size, rtContext_t other,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamWaitContext(other, stream));
}

static inline rtStatus_t rtStreamWaitPointerWithMessage(char* message, size_t message_size, const void* pointer,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamWaitPointer(pointer, stream));
}

static inline rtStatus_t rtStreamGetContextWithMessage(char* message, size_t message_size, rtContext_t* context,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamGetContext(context, stream));
}

static inline rtStatus_t rtStreamGetPriorityWithMessage(char* message, size_t message_size, int32_t* priority,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamGetPriority(priority, stream));
}

static inline rtStatus_t rtLaunchHostFunctionWithMessage(char* message, size_t message_size, rtHostFunction_t function,
    void* user, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtLaunchHostFunction(function, user, stream));
}

static inline rtStatus_t rtLaunchHostFunctionWithReleaseWithMessage(char* message, size_t message_size,
    rtHostFunction_t function, void* user, rtReleaseFunction_t release, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtLaunchHostFunctionWithRelease(function, user, release, stream));
}

static inline rtStatus_t rtEventCreateWithMessage(char* message, size_t message_size, rtEvent_t* event,
    const rtEventOptions_t* options, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtEventCreate(event, options, context));
}

static inline rtStatus_t rtEventDestroyWithMessage(char* message, size_t message_size, rtEvent_t event) {
  return rtKeepMessage(message, message_size, rtEventDestroy(event));
}

static inline rtStatus_t rtEventQueryWithMessage(char* message, size_t message_size, rtEvent_t event) {
  return rtKeepMessage(message, message_size, rtEventQuery(event));
}

static inline rtStatus_t rtEventSynchronizeWithMessage(char* message, size_t message_size, rtEvent_t event) {
  return rtKeepMessage(message, message_size, rtEventSynchronize(event));
}

static inline rtStatus_t rtEventSynchronizeForWithMessage(char* message, size_t message_size, uint64_t timeout_ns,
    rtEvent_t event) {
  return rtKeepMessage(message, message_size, rtEventSynchronizeFor(timeout_ns, event));
}

static inline rtStatus_t rtEventGetDescriptorWithMessage(char* message, size_t message_size, int32_t* descriptor,
    rtEvent_t event) {
  return rtKeepMessage(message, message_size, rtEventGetDescriptor(descriptor, event));
}

static inline rtStatus_t rtEventRecordWithMessage(char* message, size_t message_size, rtEvent_t event,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtEventRecord(event, stream));
}

static inline rtStatus_t rtEventElapsedTimeWithMessage(char* message, size_t message_size, float* milliseconds,
    rtEvent_t start, rtEvent_t end) {
  return rtKeepMessage(message, message_size, rtEventElapsedTime(milliseconds, start, end));
}

static inline rtStatus_t rtEventElapsedNanosecondsWithMessage(char* message, size_t message_size, int64_t* nanoseconds,
    rtEvent_t start, rtEvent_t end) {
  return rtKeepMessage(message, message_size, rtEventElapsedNanoseconds(nanoseconds, start, end));
}

static inline rtStatus_t rtEventGetTimestampWithMessage(char* message, size_t message_size, uint64_t* host_ns,
    uint64_t* error_ns, rtEvent_t event) {
  return rtKeepMessage(message, message_size, rtEventGetTimestamp(host_ns, error_ns, event));
}

static inline rtStatus_t rtFenceCreateWithMessage(char* message, size_t message_size, rtFence_t* fence, uint64_t value,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtFenceCreate(fence, value, context));
}

static inline rtStatus_t rtFenceDestroyWithMessage(char* message, size_t message_size, rtFence_t fence) {
  return rtKeepMessage(message, message_size, rtFenceDestroy(fence));
}

static inline rtStatus_t rtFenceGetValueWithMessage(char* message, size_t message_size, uint64_t* value,
    rtFence_t fence) {
  return rtKeepMessage(message, message_size, rtFenceGetValue(value, fence));
}

static inline rtStatus_t rtFenceSignalWithMessage(char* message, size_t message_size, uint64_t value, rtFence_t fence) {
  return rtKeepMessage(message, message_size, rtFenceSignal(value, fence));
}

static inline rtStatus_t rtFenceWaitWithMessage(char* message, size_t message_size, uint64_t value, rtFence_t fence) {
  return rtKeepMessage(message, message_size, rtFenceWait(value, fence));
}

static inline rtStatus_t rtFenceWaitForWithMessage(char* message, size_t message_size, uint64_t timeout_ns,
    uint64_t value, rtFence_t fence) {
  return rtKeepMessage(message, message_size, rtFenceWaitFor(timeout_ns, value, fence));
}

static inline rtStatus_t rtStreamSignalFenceWithMessage(char* message, size_t message_size, rtFence_t fence,
    uint64_t value, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamSignalFence(fence, value, stream));
}

static inline rtStatus_t rtStreamWaitFenceWithMessage(char* message, size_t message_size, rtFence_t fence,
    uint64_t value, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamWaitFence(fence, value, stream));
}

static inline rtStatus_t rtMallocWithMessage(char* message, size_t message_size, void** pointer, size_t size,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtMalloc(pointer, size, context));
}

static inline rtStatus_t rtMallocHostWithMessage(char* message, size_t message_size, void** pointer, size_t size,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtMallocHost(pointer, size, context));
}

static inline rtStatus_t rtMallocSharedWithMessage(char* message, size_t message_size, void** pointer, size_t size,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtMallocShared(pointer, size, context));
}

static inline rtStatus_t rtMallocAsyncWithMessage(char* message, size_t message_size, void** pointer, size_t size,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtMallocAsync(pointer, size, stream));
}

static inline rtStatus_t rtMallocWithOptionsWithMessage(char* message, size_t message_size, void** pointer, size_t size,
    const rtMallocOptions_t* options, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtMallocWithOptions(pointer, size, options, context));
}

static inline rtStatus_t rtFreeWithMessage(char* message, size_t message_size, void* pointer) {
  return rtKeepMessage(message, message_size, rtFree(pointer));
}

static inline rtStatus_t rtFreeAsyncWithMessage(char* message, size_t message_size, void* pointer, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtFreeAsync(pointer, stream));
}

static inline rtStatus_t rtHostRegisterWithMessage(char* message, size_t message_size, void* pointer, size_t size,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtHostRegister(pointer, size, context));
}

static inline rtStatus_t rtHostUnregisterWithMessage(char* message, size_t message_size, void* pointer,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtHostUnregister(pointer, context));
}

static inline rtStatus_t rtHostGetDevicePointerWithMessage(char* message, size_t message_size, void** device_pointer,
    void* host, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtHostGetDevicePointer(device_pointer, host, context));
}

static inline rtStatus_t rtPointerGetAttributesWithMessage(char* message, size_t message_size,
    rtPointerAttributes_t* attributes, const void* pointer) {
  return rtKeepMessage(message, message_size, rtPointerGetAttributes(attributes, pointer));
}

static inline rtStatus_t rtMemGetInfoWithMessage(char* message, size_t message_size, uint64_t* free_bytes,
    uint64_t* total_bytes, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtMemGetInfo(free_bytes, total_bytes, context));
}

static inline rtStatus_t rtMemcpyWithMessage(char* message, size_t message_size, void* dst, const void* src,
    size_t size, int32_t kind) {
  return rtKeepMessage(message, message_size, rtMemcpy(dst, src, size, kind));
}

static inline rtStatus_t rtMemcpy2DWithMessage(char* message, size_t message_size, void* dst, size_t dst_pitch,
    const void* src, size_t src_pitch, size_t width, size_t height, int32_t kind) {
  return rtKeepMessage(message, message_size, rtMemcpy2D(dst, dst_pitch, src, src_pitch, width, height, kind));
}

static inline rtStatus_t rtMemcpyAsyncWithMessage(char* message, size_t message_size, void* dst, const void* src,
    size_t size, int32_t kind, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtMemcpyAsync(dst, src, size, kind, stream));
}

static inline rtStatus_t rtMemcpy2DAsyncWithMessage(char* message, size_t message_size, void* dst, size_t dst_pitch,
    const void* src, size_t src_pitch, size_t width, size_t height, int32_t kind, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind,
      stream));
}

static inline rtStatus_t rtMemsetWithMessage(char* message, size_t message_size, void* dst, int32_t value, size_t size)
    {
  return rtKeepMessage(message, message_size, rtMemset(dst, value, size));
}

static inline rtStatus_t rtMemsetAsyncWithMessage(char* message, size_t message_size, void* dst, int32_t value,
    size_t size, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtMemsetAsync(dst, value, size, stream));
}

static inline rtStatus_t rtMemset2DAsyncWithMessage(char* message, size_t message_size, void* dst, size_t pitch,
    int32_t value, size_t width, size_t height, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtMemset2DAsync(dst, pitch, value, width, height, stream));
}

static inline rtStatus_t rtMemFillAsyncWithMessage(char* message, size_t message_size, void* dst, const void* pattern,
    size_t pattern_size, size_t count, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtMemFillAsync(dst, pattern, pattern_size, count, stream));
}

static inline rtStatus_t rtMemPrefetchAsyncWithMessage(char* message, size_t message_size, const void* pointer,
    size_t size, rtDevice_t destination, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtMemPrefetchAsync(pointer, size, destination, stream));
}

static inline rtStatus_t rtMemPoolCreateWithMessage(char* message, size_t message_size, rtMemPool_t* pool,
    const rtMemPoolOptions_t* options, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtMemPoolCreate(pool, options, context));
}

static inline rtStatus_t rtMemPoolDestroyWithMessage(char* message, size_t message_size, rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolDestroy(pool));
}

static inline rtStatus_t rtMemPoolTrimWithMessage(char* message, size_t message_size, uint64_t keep_bytes,
    rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolTrim(keep_bytes, pool));
}

static inline rtStatus_t rtMemPoolSetLimitWithMessage(char* message, size_t message_size, uint64_t bytes,
    rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolSetLimit(bytes, pool));
}

static inline rtStatus_t rtMemPoolSetReleaseThresholdWithMessage(char* message, size_t message_size, uint64_t bytes,
    rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolSetReleaseThreshold(bytes, pool));
}

static inline rtStatus_t rtMallocFromPoolWithMessage(char* message, size_t message_size, void** pointer, size_t size,
    size_t alignment, rtStream_t stream, rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMallocFromPool(pointer, size, alignment, stream, pool));
}

static inline rtStatus_t rtMemPoolSetPinModeWithMessage(char* message, size_t message_size, int32_t on,
    rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolSetPinMode(on, pool));
}

static inline rtStatus_t rtMemPoolGetStatsWithMessage(char* message, size_t message_size, rtMemPoolStats_t* stats,
    rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolGetStats(stats, pool));
}

static inline rtStatus_t rtMemPoolResetPeakWithMessage(char* message, size_t message_size, rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolResetPeak(pool));
}

static inline rtStatus_t rtMemPoolDumpJsonWithMessage(char* message, size_t message_size, char* buffer, size_t size,
    size_t* needed, rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolDumpJson(buffer, size, needed, pool));
}

static inline rtStatus_t rtMemPoolSetOutOfMemoryCallbackWithMessage(char* message, size_t message_size,
    rtOutOfMemoryCallback_t callback, void* user, rtMemPool_t pool) {
  return rtKeepMessage(message, message_size, rtMemPoolSetOutOfMemoryCallback(callback, user, pool));
}

static inline rtStatus_t rtModuleCreateFromSourceWithMessage(char* message, size_t message_size, rtModule_t* module,
    const char* source, const char* options, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtModuleCreateFromSource(module, source, options, context));
}

static inline rtStatus_t rtModuleCreateFromSourcesWithMessage(char* message, size_t message_size, rtModule_t* module,
    const char*const* sources, uint32_t count, const char* options, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtModuleCreateFromSources(module, sources, count, options, context));
}

static inline rtStatus_t rtModuleBuildManyWithMessage(char* message, size_t message_size, rtModule_t* modules,
    rtStatus_t* statuses, const char*const* sources, uint32_t count, const rtModuleOptions_t*const* options,
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtModuleBuildMany(modules, statuses, sources, count, options, context));
}

static inline rtStatus_t rtModuleLoadDataWithMessage(char* message, size_t message_size, rtModule_t* module,
    const void* image, size_t size, const rtModuleOptions_t* options, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtModuleLoadData(module, image, size, options, context));
}

static inline rtStatus_t rtModuleLoadFileWithMessage(char* message, size_t message_size, rtModule_t* module,
    const char* path, const rtModuleOptions_t* options, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtModuleLoadFile(module, path, options, context));
}

static inline rtStatus_t rtModuleGetImageWithMessage(char* message, size_t message_size, void* buffer, size_t size,
    size_t* needed, const rtImageOptions_t* options, rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleGetImage(buffer, size, needed, options, module));
}

static inline rtStatus_t rtModuleDestroyWithMessage(char* message, size_t message_size, rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleDestroy(module));
}

static inline rtStatus_t rtModuleGetBuildLogWithMessage(char* message, size_t message_size, char* buffer, size_t size,
    size_t* needed, rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleGetBuildLog(buffer, size, needed, module));
}

static inline rtStatus_t rtModuleGetInfoWithMessage(char* message, size_t message_size, rtModuleInfo_t* info,
    rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleGetInfo(info, module));
}

static inline rtStatus_t rtModuleWaitWithMessage(char* message, size_t message_size, rtModule_t module, int32_t state,
    uint64_t timeout_ns) {
  return rtKeepMessage(message, message_size, rtModuleWait(module, state, timeout_ns));
}

static inline rtStatus_t rtModuleGetKernelWithMessage(char* message, size_t message_size, rtKernel_t* kernel,
    const char* name, rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleGetKernel(kernel, name, module));
}

static inline rtStatus_t rtModuleGetKernelCountWithMessage(char* message, size_t message_size, uint32_t* count,
    rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleGetKernelCount(count, module));
}

static inline rtStatus_t rtModuleGetKernelByIndexWithMessage(char* message, size_t message_size, rtKernel_t* kernel,
    uint32_t index, rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleGetKernelByIndex(kernel, index, module));
}

static inline rtStatus_t rtModuleGetGlobalWithMessage(char* message, size_t message_size, void** pointer,
    uint64_t* size, const char* name, rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleGetGlobal(pointer, size, name, module));
}

static inline rtStatus_t rtKernelCreateFromHostWithMessage(char* message, size_t message_size, rtKernel_t* kernel,
    const rtHostKernel_t* host, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtKernelCreateFromHost(kernel, host, context));
}

static inline rtStatus_t rtKernelDestroyWithMessage(char* message, size_t message_size, rtKernel_t kernel) {
  return rtKeepMessage(message, message_size, rtKernelDestroy(kernel));
}

static inline rtStatus_t rtKernelGetNameWithMessage(char* message, size_t message_size, char* buffer, size_t size,
    size_t* needed, rtKernel_t kernel) {
  return rtKeepMessage(message, message_size, rtKernelGetName(buffer, size, needed, kernel));
}

static inline rtStatus_t rtKernelGetInfoWithMessage(char* message, size_t message_size, rtKernelInfo_t* info,
    rtKernel_t kernel) {
  return rtKeepMessage(message, message_size, rtKernelGetInfo(info, kernel));
}

static inline rtStatus_t rtKernelGetArgInfoWithMessage(char* message, size_t message_size, rtKernelArgInfo_t* info,
    uint32_t index, rtKernel_t kernel) {
  return rtKeepMessage(message, message_size, rtKernelGetArgInfo(info, index, kernel));
}

static inline rtStatus_t rtKernelSuggestGroupSizeWithMessage(char* message, size_t message_size, uint32_t group[3],
    const uint32_t items[3], uint32_t local_bytes, rtKernel_t kernel) {
  return rtKeepMessage(message, message_size, rtKernelSuggestGroupSize(group, items, local_bytes, kernel));
}

static inline rtStatus_t rtKernelGetMaxActiveGroupsWithMessage(char* message, size_t message_size, uint32_t* groups,
    uint32_t group_size, uint32_t local_bytes, rtKernel_t kernel) {
  return rtKeepMessage(message, message_size, rtKernelGetMaxActiveGroups(groups, group_size, local_bytes, kernel));
}

static inline rtStatus_t rtLaunchKernelWithMessage(char* message, size_t message_size, rtKernel_t kernel,
    uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t group_x, uint32_t group_y, uint32_t group_z,
    uint32_t local_bytes, rtStream_t stream, void*const* args, uint32_t arg_count) {
  return rtKeepMessage(message, message_size, rtLaunchKernel(kernel, grid_x, grid_y, grid_z, group_x, group_y, group_z,
      local_bytes, stream, args, arg_count));
}

static inline rtStatus_t rtLaunchKernelWithOptionsWithMessage(char* message, size_t message_size, rtKernel_t kernel,
    const uint32_t grid[3], const uint32_t group[3], uint32_t local_bytes, const rtLaunchOptions_t* options,
    void*const* args, uint32_t arg_count, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtLaunchKernelWithOptions(kernel, grid, group, local_bytes, options, args,
      arg_count, stream));
}

static inline rtStatus_t rtGraphCreateWithMessage(char* message, size_t message_size, rtGraph_t* graph) {
  return rtKeepMessage(message, message_size, rtGraphCreate(graph));
}

static inline rtStatus_t rtGraphDestroyWithMessage(char* message, size_t message_size, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphDestroy(graph));
}

static inline rtStatus_t rtGraphCloneWithMessage(char* message, size_t message_size, rtGraph_t* clone, rtGraph_t graph)
    {
  return rtKeepMessage(message, message_size, rtGraphClone(clone, graph));
}

static inline rtStatus_t rtGraphAddBufferWithMessage(char* message, size_t message_size, rtGraphBuffer_t* buffer,
    uint64_t size, int32_t role, const char* name, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddBuffer(buffer, size, role, name, graph));
}

static inline rtStatus_t rtGraphMakeBufferWithMessage(char* message, size_t message_size, rtGraphBuffer_t* buffer,
    void* pointer, uint64_t size, int32_t role, const char* name, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphMakeBuffer(buffer, pointer, size, role, name, graph));
}

static inline rtStatus_t rtGraphAddKernelNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphKernelParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddKernelNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddMemcpyNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphMemcpyParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddMemcpyNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddMemcpy2DNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphMemcpy2DParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddMemcpy2DNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddFillNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphFillParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddFillNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddHostNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphHostParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddHostNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddNativeNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphNativeParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddNativeNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddEmptyNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddEmptyNode(node, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddChildGraphNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphChildParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddChildGraphNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddEventRecordNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphEventParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddEventRecordNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddEventWaitNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphEventParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddEventWaitNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddFenceSignalNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphFenceParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddFenceSignalNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddFenceWaitNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* node,
    const rtGraphFenceParams_t* params, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddFenceWaitNode(node, params, dependencies, count, graph));
}

static inline rtStatus_t rtGraphAddDependenciesWithMessage(char* message, size_t message_size,
    const rtGraphNode_t* from, const rtGraphNode_t* to, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddDependencies(from, to, count, graph));
}

static inline rtStatus_t rtGraphRemoveDependenciesWithMessage(char* message, size_t message_size,
    const rtGraphNode_t* from, const rtGraphNode_t* to, uint32_t count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphRemoveDependencies(from, to, count, graph));
}

static inline rtStatus_t rtGraphGetNodesWithMessage(char* message, size_t message_size, rtGraphNode_t* nodes,
    uint32_t capacity, uint32_t* count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphGetNodes(nodes, capacity, count, graph));
}

static inline rtStatus_t rtGraphGetEdgesWithMessage(char* message, size_t message_size, rtGraphNode_t* from,
    rtGraphNode_t* to, uint32_t capacity, uint32_t* count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphGetEdges(from, to, capacity, count, graph));
}

static inline rtStatus_t rtGraphNodeGetTypeWithMessage(char* message, size_t message_size, int32_t* type,
    rtGraphNode_t node) {
  return rtKeepMessage(message, message_size, rtGraphNodeGetType(type, node));
}

static inline rtStatus_t rtGraphExportDotWithMessage(char* message, size_t message_size, char* buffer, size_t size,
    size_t* needed, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphExportDot(buffer, size, needed, graph));
}

static inline rtStatus_t rtGraphGetBuffersWithMessage(char* message, size_t message_size, rtGraphBuffer_t* buffers,
    uint32_t capacity, uint32_t* count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphGetBuffers(buffers, capacity, count, graph));
}

static inline rtStatus_t rtGraphBufferGetInfoWithMessage(char* message, size_t message_size, rtGraphBufferInfo_t* info,
    rtGraphBuffer_t buffer) {
  return rtKeepMessage(message, message_size, rtGraphBufferGetInfo(info, buffer));
}

static inline rtStatus_t rtGraphAddValueWithMessage(char* message, size_t message_size, rtGraphValue_t* value,
    uint64_t size, const void* initial, const char* name, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphAddValue(value, size, initial, name, graph));
}

static inline rtStatus_t rtGraphGetValuesWithMessage(char* message, size_t message_size, rtGraphValue_t* values,
    uint32_t capacity, uint32_t* count, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphGetValues(values, capacity, count, graph));
}

static inline rtStatus_t rtGraphValueGetInfoWithMessage(char* message, size_t message_size, rtGraphValueInfo_t* info,
    rtGraphValue_t value) {
  return rtKeepMessage(message, message_size, rtGraphValueGetInfo(info, value));
}

static inline rtStatus_t rtGraphSaveWithMessage(char* message, size_t message_size, void* data, size_t size,
    size_t* needed, rtGraph_t graph) {
  return rtKeepMessage(message, message_size, rtGraphSave(data, size, needed, graph));
}

static inline rtStatus_t rtGraphLoadWithMessage(char* message, size_t message_size, rtGraph_t* graph, const void* data,
    size_t size) {
  return rtKeepMessage(message, message_size, rtGraphLoad(graph, data, size));
}

static inline rtStatus_t rtCapturePlanCreateWithMessage(char* message, size_t message_size, rtCapturePlan_t* plan,
    const rtCapturePlanOptions_t* options, rtGraph_t graph, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtCapturePlanCreate(plan, options, graph, context));
}

static inline rtStatus_t rtCapturePlanDestroyWithMessage(char* message, size_t message_size, rtCapturePlan_t plan) {
  return rtKeepMessage(message, message_size, rtCapturePlanDestroy(plan));
}

static inline rtStatus_t rtCapturePlanGetInfoWithMessage(char* message, size_t message_size, rtCapturePlanInfo_t* info,
    rtCapturePlan_t plan) {
  return rtKeepMessage(message, message_size, rtCapturePlanGetInfo(info, plan));
}

static inline rtStatus_t rtCapturePlanGetStepWithMessage(char* message, size_t message_size, rtCapturePlanStep_t* step,
    uint32_t index, rtCapturePlan_t plan) {
  return rtKeepMessage(message, message_size, rtCapturePlanGetStep(step, index, plan));
}

static inline rtStatus_t rtCapturePlanGetBufferWithMessage(char* message, size_t message_size,
    rtCapturePlanBuffer_t* buffer, uint32_t index, rtCapturePlan_t plan) {
  return rtKeepMessage(message, message_size, rtCapturePlanGetBuffer(buffer, index, plan));
}

static inline rtStatus_t rtGraphExecCreateWithMessage(char* message, size_t message_size, rtGraphExec_t* exec,
    rtCapturePlan_t plan) {
  return rtKeepMessage(message, message_size, rtGraphExecCreate(exec, plan));
}

static inline rtStatus_t rtGraphInstantiateWithMessage(char* message, size_t message_size, rtGraphExec_t* exec,
    rtGraph_t graph, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtGraphInstantiate(exec, graph, context));
}

static inline rtStatus_t rtGraphExecDestroyWithMessage(char* message, size_t message_size, rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecDestroy(exec));
}

static inline rtStatus_t rtGraphExecBindBufferWithMessage(char* message, size_t message_size, rtGraphBuffer_t buffer,
    void* pointer, rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecBindBuffer(buffer, pointer, exec));
}

static inline rtStatus_t rtGraphExecBindBufferRangeWithMessage(char* message, size_t message_size,
    rtGraphBuffer_t buffer, void* pointer, uint64_t size, rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecBindBufferRange(buffer, pointer, size, exec));
}

static inline rtStatus_t rtGraphExecBindValueWithMessage(char* message, size_t message_size, rtGraphValue_t value,
    const void* data, uint64_t size, rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecBindValue(value, data, size, exec));
}

static inline rtStatus_t rtGraphExecSetKernelParamsWithMessage(char* message, size_t message_size, rtGraphNode_t node,
    const rtGraphKernelParams_t* params, rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecSetKernelParams(node, params, exec));
}

static inline rtStatus_t rtGraphExecSetMemcpyParamsWithMessage(char* message, size_t message_size, rtGraphNode_t node,
    const rtGraphMemcpyParams_t* params, rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecSetMemcpyParams(node, params, exec));
}

static inline rtStatus_t rtGraphExecSetMemcpy2DParamsWithMessage(char* message, size_t message_size, rtGraphNode_t node,
    const rtGraphMemcpy2DParams_t* params, rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecSetMemcpy2DParams(node, params, exec));
}

static inline rtStatus_t rtGraphExecSetFillParamsWithMessage(char* message, size_t message_size, rtGraphNode_t node,
    const rtGraphFillParams_t* params, rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecSetFillParams(node, params, exec));
}

static inline rtStatus_t rtGraphExecUpdateWithMessage(char* message, size_t message_size, rtGraph_t graph,
    rtGraphExec_t exec) {
  return rtKeepMessage(message, message_size, rtGraphExecUpdate(graph, exec));
}

static inline rtStatus_t rtGraphLaunchWithMessage(char* message, size_t message_size, rtGraphExec_t exec,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtGraphLaunch(exec, stream));
}

static inline rtStatus_t rtStreamBeginCaptureWithMessage(char* message, size_t message_size, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamBeginCapture(stream));
}

static inline rtStatus_t rtStreamEndCaptureWithMessage(char* message, size_t message_size, rtGraph_t* graph,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamEndCapture(graph, stream));
}

static inline rtStatus_t rtStreamIsCapturingWithMessage(char* message, size_t message_size, int32_t* state,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamIsCapturing(state, stream));
}

static inline rtStatus_t rtStreamGetCapturedNodeWithMessage(char* message, size_t message_size, rtGraphNode_t* last,
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamGetCapturedNode(last, stream));
}

static inline rtStatus_t rtDeviceGetNativeWithMessage(char* message, size_t message_size, uint64_t native[2],
    rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtDeviceGetNative(native, device));
}

static inline rtStatus_t rtContextGetNativeWithMessage(char* message, size_t message_size, uint64_t native[2],
    rtContext_t context) {
  return rtKeepMessage(message, message_size, rtContextGetNative(native, context));
}

static inline rtStatus_t rtStreamGetNativeWithMessage(char* message, size_t message_size, uint64_t native[2],
    rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamGetNative(native, stream));
}

static inline rtStatus_t rtEventGetNativeWithMessage(char* message, size_t message_size, uint64_t native[2],
    rtEvent_t event) {
  return rtKeepMessage(message, message_size, rtEventGetNative(native, event));
}

static inline rtStatus_t rtModuleGetNativeWithMessage(char* message, size_t message_size, uint64_t native[2],
    rtModule_t module) {
  return rtKeepMessage(message, message_size, rtModuleGetNative(native, module));
}

static inline rtStatus_t rtPointerGetNativeWithMessage(char* message, size_t message_size, uint64_t native[2],
    const void* pointer) {
  return rtKeepMessage(message, message_size, rtPointerGetNative(native, pointer));
}

static inline rtStatus_t rtContextImportWithMessage(char* message, size_t message_size, rtContext_t* context,
    const uint64_t native[2], rtDevice_t device) {
  return rtKeepMessage(message, message_size, rtContextImport(context, native, device));
}

static inline rtStatus_t rtStreamImportWithMessage(char* message, size_t message_size, rtStream_t* stream,
    const uint64_t native[2], rtContext_t context) {
  return rtKeepMessage(message, message_size, rtStreamImport(stream, native, context));
}

static inline rtStatus_t rtEventImportWithMessage(char* message, size_t message_size, rtEvent_t* event,
    const uint64_t native[2], rtContext_t context) {
  return rtKeepMessage(message, message_size, rtEventImport(event, native, context));
}

static inline rtStatus_t rtMemImportWithMessage(char* message, size_t message_size, void** pointer,
    const uint64_t native[2], uint64_t size, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtMemImport(pointer, native, size, context));
}

static inline rtStatus_t rtMemImportWithReleaseWithMessage(char* message, size_t message_size, void** pointer,
    const uint64_t native[2], uint64_t size, void* user, rtReleaseFunction_t release, rtContext_t context) {
  return rtKeepMessage(message, message_size, rtMemImportWithRelease(pointer, native, size, user, release, context));
}

static inline rtStatus_t rtStreamLaunchNativeWithMessage(char* message, size_t message_size,
    rtNativeFunction_t function, void* user, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamLaunchNative(function, user, stream));
}

static inline rtStatus_t rtStreamLaunchNativeWithReleaseWithMessage(char* message, size_t message_size,
    rtNativeFunction_t function, void* user, rtReleaseFunction_t release, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamLaunchNativeWithRelease(function, user, release, stream));
}

static inline rtStatus_t rtStreamCallNativeWithMessage(char* message, size_t message_size, rtNativeFunction_t function,
    void* user, rtStream_t stream) {
  return rtKeepMessage(message, message_size, rtStreamCallNative(function, user, stream));
}

static inline rtStatus_t rtTraceStartWithMessage(char* message, size_t message_size, const char* file) {
  return rtKeepMessage(message, message_size, rtTraceStart(file));
}

static inline rtStatus_t rtTraceStopWithMessage(char* message, size_t message_size) {
  return rtKeepMessage(message, message_size, rtTraceStop());
}

static inline rtStatus_t rtTraceRangePushWithMessage(char* message, size_t message_size, const char* name) {
  return rtKeepMessage(message, message_size, rtTraceRangePush(name));
}

static inline rtStatus_t rtTraceRangePopWithMessage(char* message, size_t message_size) {
  return rtKeepMessage(message, message_size, rtTraceRangePop());
}

static inline rtStatus_t rtTraceMarkWithMessage(char* message, size_t message_size, const char* name) {
  return rtKeepMessage(message, message_size, rtTraceMark(name));
}

static inline rtStatus_t rtTraceSetCallbackWithMessage(char* message, size_t message_size, rtTraceCallback_t callback,
    void* user, uint32_t kinds) {
  return rtKeepMessage(message, message_size, rtTraceSetCallback(callback, user, kinds));
}

#endif /* MANYRT_RT_MESSAGE_H_ */
