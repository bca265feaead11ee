/* SPDX-License-Identifier: Apache-2.0
 *
 * infinirt.h - the flat C interface of InfiniRT, the runtime of InfiniCore, as static inline functions over rt.h. A program
 * that is written against InfiniRT compiles against this file without changes, links libmanyrt and runs on its devices. The
 * text is manyrt's own; names, parameters and numbers are those that InfiniCore has published. Compile with `$(pkg-config
 * --cflags manyrt)/compat` beside `$(pkg-config --cflags manyrt)`. Functions are static: a program that looks them up by name
 * at run time needs a file that calls them.
 *
 * Versions. Covered are the functions that InfiniCore's include/infinirt.h had from its first form to that with graphs, and
 * infinirtGetMemInfo. Its tests, src/infinirt-test, compile unchanged from the form of 64694c8 to that of 1f7bd22, and
 * scripts/run-infinirt-tests.sh builds and runs them. Not covered: infinirtMemcpyPeer and infinirtMemcpyPeerAsync (at 3426759),
 * infinirtGetDeviceResourceSnapshot, and the later interface of InfiniRT's own repository. That is the functions infiniRt* of
 * infini/rt/c_api.h and the C++ namespace infini::rt.
 *
 * Device types. INFINI_DEVICE_CPU is the CPU device and INFINI_DEVICE_NVIDIA the CUDA devices. InfiniRT has no type for OpenCL:
 * here it is INFINI_DEVICE_OPENCL. A program that only knows the published types is compiled with, for instance,
 * -DMANYRT_INFINIRT_OPENCL=INFINI_DEVICE_MOORE: that type means the OpenCL devices then. All other types have no devices.
 *
 * Differences from InfiniRT The current device is manyrt's current context of the thread (rtContextGetCurrent), and cpu:0 where
 *   none is set.
 *   A stream is an rtStream_t and an event an rtEvent_t: rt functions and these may be mixed. A NULL stream is the default
 *     stream of the current device. It has no order towards other streams, which InfiniRT on CUDA has.
 *   infinirtMemcpy waits for all work of the current device first, as the NULL stream of CUDA does. The kind of a copy has to
 *     agree with the addresses, but on the CPU, where InfiniRT, too, does not look at it.
 *   The CPU is a device with asynchronous streams and events, which InfiniRT's CPU has not. Its memory may be read and written
 *     by the program, after the work that uses it.
 *   INFINIRT_EVENT_BLOCKING_SYNC has no effect: how a thread waits is an option of rtContextCreate.
 *   A failed call leaves a sentence for rtGetLastErrorMessage. Arguments that are NULL where they must not be are
 *     INFINI_STATUS_NULL_POINTER; memory that is exhausted is INFINI_STATUS_INTERNAL_ERROR, as InfiniCore has no code for it.
 *   Virtual memory (infinirtCreateVirtualMem and its like, which InfiniCore's newest header does not have) is declared, so that
 *     programs compile. rt.h has none: each of these functions is INFINI_STATUS_NOT_IMPLEMENTED, as on InfiniRT's own CPU. They
 *     were published in three forms. C has the last one; C++ has all three, as overloads.
 */
#ifndef MANYRT_COMPAT_INFINIRT_H_
#define MANYRT_COMPAT_INFINIRT_H_

#include <rt.h>
#include <stdint.h>

#include "infinicore.h"

#ifndef MANYRT_INFINIRT_OPENCL
#define MANYRT_INFINIRT_OPENCL INFINI_DEVICE_OPENCL
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void* infinirtStream_t;
typedef void* infinirtEvent_t;
typedef void* infinirtGraph_t;
typedef void* infinirtGraphNode_t;
typedef void* infinirtGraphExec_t;

typedef enum { INFINIRT_EVENT_COMPLETE = 0, INFINIRT_EVENT_NOT_READY = 1 } infinirtEventStatus_t;

typedef enum {
  INFINIRT_EVENT_DEFAULT = 0,
  INFINIRT_EVENT_DISABLE_TIMING = 1,
  INFINIRT_EVENT_BLOCKING_SYNC = 2
} infinirtEventFlags_t;

typedef enum {
  INFINIRT_MEMCPY_H2H = 0,
  INFINIRT_MEMCPY_H2D = 1,
  INFINIRT_MEMCPY_D2H = 2,
  INFINIRT_MEMCPY_D2D = 3
} infinirtMemcpyKind_t;

typedef enum {
  INFINIRT_STREAM_CAPTURE_MODE_GLOBAL = 0,
  INFINIRT_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  INFINIRT_STREAM_CAPTURE_MODE_RELAXED = 2
} infinirtStreamCaptureMode_t;

/* ---- What the functions below are made of ------------------------------------------------------------------------- */

/* The code of InfiniCore that comes closest. RT_NOT_READY is a failure to InfiniRT, where a query does not ask for it. */
static inline infiniStatus_t manyrtInfiniStatus(rtStatus_t status) {
  switch (status) {
    case RT_SUCCESS:
      return INFINI_STATUS_SUCCESS;
    case RT_ERROR_INVALID_VALUE:
    case RT_ERROR_INVALID_HANDLE:
    case RT_ERROR_WRONG_CONTEXT:
      return INFINI_STATUS_BAD_PARAM;
    case RT_ERROR_INVALID_DEVICE:
    case RT_ERROR_NOT_FOUND:
    case RT_ERROR_BACKEND_UNAVAILABLE:
      return INFINI_STATUS_DEVICE_NOT_FOUND;
    case RT_ERROR_NOT_SUPPORTED:
      return INFINI_STATUS_NOT_IMPLEMENTED;
    case RT_ERROR_SHUT_DOWN:
    case RT_ERROR_FORKED:
      return INFINI_STATUS_DEVICE_NOT_INITIALIZED;
    default:
      return INFINI_STATUS_INTERNAL_ERROR;
  }
}

/* The backend of a device type: 0 for a type without devices here, -1 for what is no type. */
static inline int32_t manyrtInfiniBackend(infiniDevice_t type) {
  if (type == INFINI_DEVICE_CPU) return RT_BACKEND_CPU;
  if (type == MANYRT_INFINIRT_OPENCL) return RT_BACKEND_OPENCL;
  if (type == INFINI_DEVICE_NVIDIA) return RT_BACKEND_CUDA;
  return (int)type >= 0 && (int)type < (int)INFINI_DEVICE_TYPE_COUNT ? 0 : -1;
}

/* The context of the thread's current device. */
static inline rtStatus_t manyrtInfiniContext(rtContext_t* context) {
  rtDevice_t cpu = NULL;
  rtStatus_t status = rtContextGetCurrent(context);
  if (status < 0 || *context != NULL) return status;
  status = rtDeviceGet(&cpu, RT_BACKEND_CPU, 0);
  return status < 0 ? status : rtContextGetPrimary(context, cpu);
}

static inline rtStatus_t manyrtInfiniCurrent(int32_t* backend, int32_t* ordinal, rtDevice_t* device) {
  rtContext_t context = NULL;
  rtStatus_t status = manyrtInfiniContext(&context);
  if (status >= 0) status = rtContextGetDevice(device, context);
  return status < 0 ? status : rtDeviceGetBackend(backend, ordinal, *device);
}

/* NULL means the default stream of the current device. */
static inline rtStatus_t manyrtInfiniStream(rtStream_t* out, infinirtStream_t stream) {
  rtContext_t context = NULL;
  rtStatus_t status = RT_SUCCESS;
  *out = (rtStream_t)stream;
  if (stream != NULL) return status;
  status = manyrtInfiniContext(&context);
  return status < 0 ? status : rtContextGetDefaultStream(out, context);
}

/* The kind of a copy in rt.h's numbers; on the CPU it is inferred. */
static inline rtStatus_t manyrtInfiniKind(int32_t* out, infinirtMemcpyKind_t kind) {
  int32_t backend = 0, ordinal = 0;
  rtDevice_t device = NULL;
  const rtStatus_t status = manyrtInfiniCurrent(&backend, &ordinal, &device);
  *out = backend == RT_BACKEND_CPU ? RT_MEMCPY_DEFAULT : (int32_t)kind + RT_MEMCPY_HOST_TO_HOST;
  if (status >= 0 && ((int)kind < INFINIRT_MEMCPY_H2H || (int)kind > INFINIRT_MEMCPY_D2D)) return RT_ERROR_INVALID_VALUE;
  return status;
}

/* ---- Devices ------------------------------------------------------------------------------------------------------ */

/** Starts the library. Optional; may be called more than once; takes no reference, so that nothing has to be paired with it. */
static inline infiniStatus_t infinirtInit(void) {
  int32_t count = 0;
  return manyrtInfiniStatus(rtDeviceGetCount(&count, RT_BACKEND_CPU));
}

/** Counts the devices of a type. A type that has no backend here has none. */
static inline infiniStatus_t infinirtGetDeviceCount(infiniDevice_t device, int* count) {
  const int32_t backend = manyrtInfiniBackend(device);
  int32_t found = 0;
  rtStatus_t status = RT_SUCCESS;
  if (count == NULL) return INFINI_STATUS_NULL_POINTER;
  *count = 0;
  if (backend < 0) return INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED;
  if (backend > 0) status = rtDeviceGetCount(&found, backend);
  *count = found;
  return manyrtInfiniStatus(status);
}

/** Counts the devices of every published type; count_array has INFINI_DEVICE_TYPE_COUNT elements. */
static inline infiniStatus_t infinirtGetAllDeviceCount(int* count_array) {
  int type = 0;
  if (count_array == NULL) return INFINI_STATUS_NULL_POINTER;
  for (type = 0; type < (int)INFINI_DEVICE_TYPE_COUNT; ++type) {
    const infiniStatus_t status = infinirtGetDeviceCount((infiniDevice_t)type, &count_array[type]);
    if (status != INFINI_STATUS_SUCCESS) return status;
  }
  return INFINI_STATUS_SUCCESS;
}

/** Makes the primary context of a device this thread's current one. */
static inline infiniStatus_t infinirtSetDevice(infiniDevice_t device, int device_id) {
  const int32_t backend = manyrtInfiniBackend(device);
  rtDevice_t found = NULL;
  rtContext_t context = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (backend <= 0) return INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED;
  status = rtDeviceGet(&found, backend, device_id);
  if (status >= 0) status = rtContextGetPrimary(&context, found);
  return manyrtInfiniStatus(status < 0 ? status : rtContextSetCurrent(context));
}

/** Tells this thread's current device; one of the two may be NULL. */
static inline infiniStatus_t infinirtGetDevice(infiniDevice_t* device_ptr, int* device_id_ptr) {
  int32_t backend = 0, ordinal = 0;
  rtDevice_t device = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (device_ptr == NULL && device_id_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  status = manyrtInfiniCurrent(&backend, &ordinal, &device);
  if (status < 0) return manyrtInfiniStatus(status);
  if (backend == RT_BACKEND_NULL) return INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED;
  if (device_ptr != NULL) {
    *device_ptr = backend == RT_BACKEND_CPU      ? INFINI_DEVICE_CPU
                  : backend == RT_BACKEND_OPENCL ? MANYRT_INFINIRT_OPENCL
                                                 : INFINI_DEVICE_NVIDIA;
  }
  if (device_id_ptr != NULL) *device_id_ptr = ordinal;
  return INFINI_STATUS_SUCCESS;
}

/** Tells the memory of a device, in bytes. Creates no context there. */
static inline infiniStatus_t infinirtGetMemInfo(infiniDevice_t device, int device_id, size_t* free_bytes, size_t* total_bytes) {
  const int32_t backend = manyrtInfiniBackend(device);
  rtDevice_t found = NULL;
  uint64_t free_now = 0, total = 0;
  rtStatus_t status = RT_SUCCESS;
  if (free_bytes == NULL || total_bytes == NULL) return INFINI_STATUS_NULL_POINTER;
  *free_bytes = *total_bytes = 0;
  if (backend <= 0) return INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED;
  status = rtDeviceGet(&found, backend, device_id);
  if (status >= 0) status = rtDeviceGetMemInfo(&free_now, &total, found);
  *free_bytes = (size_t)free_now;
  *total_bytes = (size_t)total;
  return manyrtInfiniStatus(status);
}

/** Waits for all work of the current device. */
static inline infiniStatus_t infinirtDeviceSynchronize(void) {
  int32_t backend = 0, ordinal = 0;
  rtDevice_t device = NULL;
  const rtStatus_t status = manyrtInfiniCurrent(&backend, &ordinal, &device);
  return manyrtInfiniStatus(status < 0 ? status : rtDeviceSynchronize(device));
}

/* ---- Streams ------------------------------------------------------------------------------------------------------ */

static inline infiniStatus_t infinirtStreamCreate(infinirtStream_t* stream_ptr) {
  rtContext_t context = NULL;
  rtStream_t stream = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (stream_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  status = manyrtInfiniContext(&context);
  if (status >= 0) status = rtStreamCreate(&stream, NULL, context);
  *stream_ptr = stream;
  return manyrtInfiniStatus(status);
}

/** Ends a stream; NULL: nothing happens. Does not wait: work that was submitted completes. */
static inline infiniStatus_t infinirtStreamDestroy(infinirtStream_t stream) {
  return manyrtInfiniStatus(rtStreamDestroy((rtStream_t)stream));
}

static inline infiniStatus_t infinirtStreamSynchronize(infinirtStream_t stream) {
  rtStream_t real = NULL;
  const rtStatus_t status = manyrtInfiniStream(&real, stream);
  return manyrtInfiniStatus(status < 0 ? status : rtStreamSynchronize(real));
}

/** Makes later work of the stream wait for the event's last record; does not block the caller. */
static inline infiniStatus_t infinirtStreamWaitEvent(infinirtStream_t stream, infinirtEvent_t event) {
  rtStream_t real = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (event == NULL) return INFINI_STATUS_NULL_POINTER;
  status = manyrtInfiniStream(&real, stream);
  return manyrtInfiniStatus(status < 0 ? status : rtStreamWaitEvent((rtEvent_t)event, real));
}

/* ---- Events ------------------------------------------------------------------------------------------------------- */

/** Makes an event of the current device; flags: INFINIRT_EVENT_*, other bits are INFINI_STATUS_BAD_PARAM. */
static inline infiniStatus_t infinirtEventCreateWithFlags(infinirtEvent_t* event_ptr, uint32_t flags) {
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  rtContext_t context = NULL;
  rtEvent_t event = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (event_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  *event_ptr = NULL;
  if ((flags & ~(uint32_t)(INFINIRT_EVENT_DISABLE_TIMING | INFINIRT_EVENT_BLOCKING_SYNC)) != 0) return INFINI_STATUS_BAD_PARAM;
  if ((flags & INFINIRT_EVENT_DISABLE_TIMING) != 0) options.flags = RT_EVENT_DISABLE_TIMING;
  status = manyrtInfiniContext(&context);
  if (status >= 0) status = rtEventCreate(&event, &options, context);
  *event_ptr = event;
  return manyrtInfiniStatus(status);
}

static inline infiniStatus_t infinirtEventCreate(infinirtEvent_t* event_ptr) {
  return infinirtEventCreateWithFlags(event_ptr, INFINIRT_EVENT_DEFAULT);
}

static inline infiniStatus_t infinirtEventRecord(infinirtEvent_t event, infinirtStream_t stream) {
  rtStream_t real = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (event == NULL) return INFINI_STATUS_NULL_POINTER;
  status = manyrtInfiniStream(&real, stream);
  return manyrtInfiniStatus(status < 0 ? status : rtEventRecord((rtEvent_t)event, real));
}

/** Tells whether the event's last record is complete. A failure before it is the status of the call. */
static inline infiniStatus_t infinirtEventQuery(infinirtEvent_t event, infinirtEventStatus_t* status_ptr) {
  rtStatus_t status = RT_SUCCESS;
  if (event == NULL || status_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  status = rtEventQuery((rtEvent_t)event);
  *status_ptr = status == RT_NOT_READY ? INFINIRT_EVENT_NOT_READY : INFINIRT_EVENT_COMPLETE;
  return manyrtInfiniStatus(status == RT_NOT_READY ? RT_SUCCESS : status);
}

static inline infiniStatus_t infinirtEventSynchronize(infinirtEvent_t event) {
  if (event == NULL) return INFINI_STATUS_NULL_POINTER;
  return manyrtInfiniStatus(rtEventSynchronize((rtEvent_t)event));
}

/** Ends an event; NULL: nothing happens. */
static inline infiniStatus_t infinirtEventDestroy(infinirtEvent_t event) {
  return manyrtInfiniStatus(rtEventDestroy((rtEvent_t)event));
}

/** Tells the device time between two records in milliseconds. While one is pending: INFINI_STATUS_INTERNAL_ERROR. */
static inline infiniStatus_t infinirtEventElapsedTime(float* ms_ptr, infinirtEvent_t start, infinirtEvent_t end) {
  if (ms_ptr == NULL || start == NULL || end == NULL) return INFINI_STATUS_NULL_POINTER;
  return manyrtInfiniStatus(rtEventElapsedTime(ms_ptr, (rtEvent_t)start, (rtEvent_t)end));
}

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

/** Allocates memory of the current device. Size 0: NULL and success. */
static inline infiniStatus_t infinirtMalloc(void** p_ptr, size_t size) {
  rtContext_t context = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (p_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  *p_ptr = NULL;
  status = manyrtInfiniContext(&context);
  return manyrtInfiniStatus(status < 0 ? status : rtMalloc(p_ptr, size, context));
}

/** Allocates pinned host memory. */
static inline infiniStatus_t infinirtMallocHost(void** p_ptr, size_t size) {
  rtContext_t context = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (p_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  *p_ptr = NULL;
  status = manyrtInfiniContext(&context);
  return manyrtInfiniStatus(status < 0 ? status : rtMallocHost(p_ptr, size, context));
}

/** Allocates in a stream's order: later work of the stream may use the memory. */
static inline infiniStatus_t infinirtMallocAsync(void** p_ptr, size_t size, infinirtStream_t stream) {
  rtStream_t real = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (p_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  *p_ptr = NULL;
  status = manyrtInfiniStream(&real, stream);
  return manyrtInfiniStatus(status < 0 ? status : rtMallocAsync(p_ptr, size, real));
}

/** Frees memory of any of the functions above, from any thread; NULL: nothing happens. Does not wait for work that uses it. */
static inline infiniStatus_t infinirtFree(void* ptr) { return manyrtInfiniStatus(rtFree(ptr)); }

static inline infiniStatus_t infinirtFreeHost(void* ptr) { return manyrtInfiniStatus(rtFree(ptr)); }

static inline infiniStatus_t infinirtFreeAsync(void* ptr, infinirtStream_t stream) {
  rtStream_t real = NULL;
  const rtStatus_t status = manyrtInfiniStream(&real, stream);
  return manyrtInfiniStatus(status < 0 ? status : rtFreeAsync(ptr, real));
}

/** Waits for all work of the current device, copies and waits for the copy. */
static inline infiniStatus_t infinirtMemcpy(void* dst, const void* src, size_t size, infinirtMemcpyKind_t kind) {
  int32_t real_kind = 0;
  rtContext_t context = NULL;
  rtStatus_t status = manyrtInfiniKind(&real_kind, kind);
  if (size != 0 && (dst == NULL || src == NULL)) return INFINI_STATUS_NULL_POINTER;
  if (status >= 0) status = manyrtInfiniContext(&context);
  if (status >= 0) status = rtContextSynchronize(context);
  return manyrtInfiniStatus(status < 0 ? status : rtMemcpy(dst, src, size, real_kind));
}

/** Copies in a stream's order. A source from malloc or a stack of the host has been read when the call returns. */
static inline infiniStatus_t infinirtMemcpyAsync(void* dst, const void* src, size_t size, infinirtMemcpyKind_t kind,
                                                 infinirtStream_t stream) {
  int32_t real_kind = 0;
  rtStream_t real = NULL;
  rtStatus_t status = manyrtInfiniKind(&real_kind, kind);
  if (size != 0 && (dst == NULL || src == NULL)) return INFINI_STATUS_NULL_POINTER;
  if (status >= 0) status = manyrtInfiniStream(&real, stream);
  return manyrtInfiniStatus(status < 0 ? status : rtMemcpyAsync(dst, src, size, real_kind, real));
}

/* ---- Graphs ------------------------------------------------------------------------------------------------------- */

/** Begins to record the work of a stream. Work of other streams and threads goes on in every mode, as in the mode relaxed. */
static inline infiniStatus_t infinirtStreamBeginCapture(infinirtStream_t stream, infinirtStreamCaptureMode_t mode) {
  rtStream_t real = NULL;
  rtStatus_t status = RT_SUCCESS;
  if ((int)mode < INFINIRT_STREAM_CAPTURE_MODE_GLOBAL || (int)mode > INFINIRT_STREAM_CAPTURE_MODE_RELAXED) {
    return INFINI_STATUS_BAD_PARAM;
  }
  status = manyrtInfiniStream(&real, stream);
  return manyrtInfiniStatus(status < 0 ? status : rtStreamBeginCapture(real));
}

static inline infiniStatus_t infinirtStreamEndCapture(infinirtStream_t stream, infinirtGraph_t* graph_ptr) {
  rtStream_t real = NULL;
  rtGraph_t graph = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (graph_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  status = manyrtInfiniStream(&real, stream);
  if (status >= 0) status = rtStreamEndCapture(&graph, real);
  *graph_ptr = graph;
  return manyrtInfiniStatus(status);
}

static inline infiniStatus_t infinirtGraphDestroy(infinirtGraph_t graph) {
  return manyrtInfiniStatus(rtGraphDestroy((rtGraph_t)graph));
}

/** Makes of a graph what runs. After a failure log_buffer (may be NULL) has the sentence of the library; node_ptr (may be NULL)
 *  is set to NULL, as the sentence names the node. */
static inline infiniStatus_t infinirtGraphInstantiate(infinirtGraphExec_t* graph_exec_ptr, infinirtGraph_t graph,
                                                      infinirtGraphNode_t* node_ptr, char* log_buffer, size_t buffer_size) {
  rtGraphExec_t exec = NULL;
  rtStatus_t status = RT_SUCCESS;
  if (graph_exec_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  if (node_ptr != NULL) *node_ptr = NULL;
  if (log_buffer != NULL && buffer_size != 0) log_buffer[0] = '\0';
  status = rtGraphInstantiate(&exec, (rtGraph_t)graph, NULL);
  if (status < 0 && log_buffer != NULL && buffer_size != 0) rtGetLastErrorMessage(log_buffer, buffer_size, NULL);
  *graph_exec_ptr = exec;
  return manyrtInfiniStatus(status);
}

static inline infiniStatus_t infinirtGraphExecDestroy(infinirtGraphExec_t graph_exec) {
  return manyrtInfiniStatus(rtGraphExecDestroy((rtGraphExec_t)graph_exec));
}

/** Launches in a stream's order. The name is spelt as it was published. */
static inline infiniStatus_t infinirtGraphLuanch(infinirtGraphExec_t graph_exec, infinirtStream_t stream) {
  rtStream_t real = NULL;
  const rtStatus_t status = manyrtInfiniStream(&real, stream);
  return manyrtInfiniStatus(status < 0 ? status : rtGraphLaunch((rtGraphExec_t)graph_exec, real));
}

/* ---- Virtual memory: declared and refused -------------------------------------------------------------------------- */

typedef void* infinirtPhysicalMemoryHandle_t;

/** Each of these is INFINI_STATUS_NULL_POINTER for an output that is NULL. Else it is INFINI_STATUS_NOT_IMPLEMENTED, and the
 *  output is zero or NULL. No reservation can exist, so that a handle that is passed in is not looked at. */
static inline infiniStatus_t infinirtGetMemGranularityMinimum(size_t* granularity) {
  if (granularity == NULL) return INFINI_STATUS_NULL_POINTER;
  *granularity = 0;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtCreatePhysicalMem(infinirtPhysicalMemoryHandle_t* pm_handle, size_t len) {
  (void)len;
  if (pm_handle == NULL) return INFINI_STATUS_NULL_POINTER;
  *pm_handle = NULL;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtReleasePhysicalMem(infinirtPhysicalMemoryHandle_t pm_handle) {
  (void)pm_handle;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtCreateVirtualMem(void** vm, size_t len) {
  (void)len;
  if (vm == NULL) return INFINI_STATUS_NULL_POINTER;
  *vm = NULL;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtMapVirtualMem(void* vm, size_t len, size_t offset,
                                                   infinirtPhysicalMemoryHandle_t pm_handle) {
  (void)vm;
  (void)len;
  (void)offset;
  (void)pm_handle;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtUnmapVirtualMem(void* vm, size_t len) {
  (void)vm;
  (void)len;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtReleaseVirtualMem(void* vm, size_t len) {
  (void)vm;
  (void)len;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

#ifdef __cplusplus
} /* extern "C": overloads follow */

/* The second form, of 417a4af: handles, and a mapping that tells its address. */
typedef void* infinirtDeviceptr_t;
typedef void* infinirtAllocationHandle_t;
typedef void* infinirtPhyMem_t;
typedef void* infinirtVirtualMem_t;

static inline infiniStatus_t infinirtMapVirtualMem(void** mapped_ptr, infinirtVirtualMem_t, size_t, infinirtPhyMem_t) {
  if (mapped_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  *mapped_ptr = NULL;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtReleaseVirtualMem(infinirtVirtualMem_t) { return INFINI_STATUS_NOT_IMPLEMENTED; }

/* The first form: structures, which only C++ had. Published, the second one has a std::map `map` as well. */
typedef void* infinirtMemProp_t;

struct infinirtPhyMem {
  infinirtAllocationHandle_t handle;
  size_t len;
  infinirtMemProp_t prop;
};

struct infinirtVirtualMemManager {
  infinirtDeviceptr_t device_ptr;
  size_t len;
};

static inline infiniStatus_t infinirtGetMemProp(infinirtMemProp_t* prop, infiniDevice_t, int) {
  if (prop == NULL) return INFINI_STATUS_NULL_POINTER;
  *prop = NULL;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtGetMemGranularityMinimum(size_t* granularity, infinirtMemProp_t) {
  return infinirtGetMemGranularityMinimum(granularity);
}

static inline infiniStatus_t infinirtCreatePhysicalMem(infinirtPhyMem* phy_mem, size_t, infinirtMemProp_t) {
  if (phy_mem == NULL) return INFINI_STATUS_NULL_POINTER;
  *phy_mem = infinirtPhyMem();
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtCreateVirtualMemManager(infinirtVirtualMemManager* vm, infiniDevice_t, size_t, size_t) {
  if (vm == NULL) return INFINI_STATUS_NULL_POINTER;
  *vm = infinirtVirtualMemManager();
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtMapVirtualMem(void** mapped_ptr, infinirtVirtualMemManager*, size_t, infinirtPhyMem*) {
  if (mapped_ptr == NULL) return INFINI_STATUS_NULL_POINTER;
  *mapped_ptr = NULL;
  return INFINI_STATUS_NOT_IMPLEMENTED;
}

static inline infiniStatus_t infinirtUnmapVirtualMem(infinirtVirtualMemManager*, size_t) {
  return INFINI_STATUS_NOT_IMPLEMENTED;
}
#endif

#endif /* MANYRT_COMPAT_INFINIRT_H_ */
