// The part of CUPTI that is used here, declared by ourselves, so that no toolkit is needed to build the library. It is activity
// records and the calls that ask for them. cupti_api_check.cpp compares it with a toolkit's headers where there are any.
//
// Each release has its own structs for kernels, copies and fills (CUpti_ActivityKernel9 of CUDA 12, Kernel13 of 13.5). They
// grow at their ends: the fields below have had their places from 12.0 to 13.5, and no size is used.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manyrt::cuda::cupti {

using Result = int;
inline constexpr Result kSuccess = 0, kMultipleSubscribers = 39;

// cuptiGetVersion: 28 is CUDA 12.9, the first release that can record single functions of the driver; 130500 is 13.5. The next
// major release may lay out records anew.
inline constexpr uint32_t kOldestVersion = 28, kFirstUnknownVersion = 140000;

enum ActivityKind : uint32_t { kCopy = 1, kFill = 2, kConcurrentKernel = 10, kCopyPeer = 22, kExternalCorrelation = 39 };
inline constexpr uint32_t kCustom2 = 5;      // CUpti_ExternalCorrelationKind: whose numbers these are
inline constexpr uint32_t kFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

// Functions whose calls give work to a device, as callbacks number them.
inline constexpr uint32_t kDriverCalls[] = {
    216, 218, 220,  // cuMemsetD8Async, D16, D32
    222, 224, 226,  // cuMemsetD2D8Async, D2D16, D2D32
    307, 477,       // cuLaunchKernel, cuLaunchCooperativeKernel
    514,            // cuGraphLaunch
};
inline constexpr uint32_t kRuntimeCalls[] = {41, 44};  // cudaMemcpyAsync, cudaMemcpy2DAsync

// ---- Records: times are nanoseconds of CUPTI's clock, 0 where there are none ----

struct [[gnu::packed, gnu::aligned(8)]] Activity {
  uint32_t kind;
};

struct [[gnu::packed, gnu::aligned(8)]] KernelActivity {
  uint32_t kind;
  unsigned char cache[12];
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;  // stays as long as the module
  void* reserved;
  uint64_t queued, submitted;
  unsigned char launch[8];
  uint64_t graph_node;  // 0: in no graph
};

struct [[gnu::packed, gnu::aligned(8)]] CopyActivity {
  uint32_t kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes;
  uint64_t start, end;
  uint32_t device, context, stream;
  uint32_t correlation, runtime_correlation;
  uint32_t pad;
  void* reserved;
  uint64_t graph_node;
};

struct [[gnu::packed, gnu::aligned(8)]] PeerCopyActivity {
  uint32_t kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes;
  uint64_t start, end;
  uint32_t device, context, stream;
  uint32_t source_device, source_context, destination_device, destination_context;
  uint32_t correlation;
  void* reserved;
  uint64_t graph_node;
};

struct [[gnu::packed, gnu::aligned(8)]] FillActivity {
  uint32_t kind;
  uint32_t value;
  uint64_t bytes;
  uint64_t start, end;
  uint32_t device, context, stream;
  uint32_t correlation;
  uint16_t flags, memory_kind;
  uint32_t pad;
  void* reserved;
  uint64_t graph_node;
};

struct [[gnu::packed, gnu::aligned(8)]] ExternalCorrelationActivity {
  uint32_t kind;
  uint32_t external_kind;
  uint64_t external;
  uint32_t correlation;
  uint32_t reserved;
};

using Subscriber = void*;
using Callback = void (*)(void* user, int domain, uint32_t callback, const void* data);
using BufferRequested = void (*)(uint8_t** buffer, size_t* size, size_t* most_records);
using BufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid_size);

// identifier, symbol, parameters; all return a Result
#define RT_CUPTI_TABLE(X)                                                                                      \
  X(getVersion, cuptiGetVersion, (uint32_t * version))                                                         \
  X(getResultString, cuptiGetResultString, (Result result, const char** text))                                 \
  X(getTimestamp, cuptiGetTimestamp, (uint64_t * timestamp))                                                   \
  X(subscribe, cuptiSubscribe, (Subscriber * subscriber, Callback callback, void* user))                       \
  X(unsubscribe, cuptiUnsubscribe, (Subscriber subscriber))                                                    \
  X(registerCallbacks, cuptiActivityRegisterCallbacks, (BufferRequested requested, BufferCompleted completed)) \
  X(enable, cuptiActivityEnable, (ActivityKind kind))                                                          \
  X(disable, cuptiActivityDisable, (ActivityKind kind))                                                        \
  X(enableDriverApi, cuptiActivityEnableDriverApi, (uint32_t function, uint8_t enable))                        \
  X(enableRuntimeApi, cuptiActivityEnableRuntimeApi, (uint32_t function, uint8_t enable))                      \
  X(flushAll, cuptiActivityFlushAll, (uint32_t flags))                                                         \
  X(nextRecord, cuptiActivityGetNextRecord, (uint8_t * buffer, size_t valid_size, Activity * *record))         \
  X(droppedRecords, cuptiActivityGetNumDroppedRecords, (void* context, uint32_t stream, size_t* dropped))      \
  X(pushCorrelation, cuptiActivityPushExternalCorrelationId, (uint32_t kind, uint64_t number))                 \
  X(popCorrelation, cuptiActivityPopExternalCorrelationId, (uint32_t kind, uint64_t * last))

struct Table {
#define X(id, symbol, parameters) Result(*id) parameters = nullptr;
  RT_CUPTI_TABLE(X)
#undef X
};

}  // namespace manyrt::cuda::cupti
