// The calls of the CUDA runtime and driver that this backend makes, declared here so that it compiles without a toolkit. The
// tags of pointer types are the toolkit's own, so that both sets of declarations may meet; enumerations are ints. Where a
// toolkit is found, declarations_check.cpp compares every line with it.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;
struct CUevent_st;
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;

namespace manyrt::cuda {

using Error = int;  // cudaError_t and CUresult; the two agree for nearly every cause, and have tables of their own in error.cpp
using DeviceNumber = int;                  // CUdevice and the runtime's ordinals, which are the same in one process
using DriverAddress = unsigned long long;  // CUdeviceptr
using MemoryHandle = unsigned long long;   // CUmemGenericAllocationHandle
using NativeStream = CUstream_st*;
using NativeEvent = CUevent_st*;
using NativeContext = CUctx_st*;
using NativeModule = CUmod_st*;
using NativeFunction = CUfunc_st*;
using NativeGraph = CUgraph_st*;
using NativeNode = CUgraphNode_st*;
using NativeGraphExec = CUgraphExec_st*;
using HostFunction = void (*)(void* user);

struct Uuid {
  unsigned char bytes[16];
};

// As cudaPointerAttributes begins in every version since 11; the room after is for what later ones append.
struct PointerAttributes {
  int type;  // kMemory...
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[16];
};

// CUDA_KERNEL_NODE_PARAMS; the function is set, so that neither of the last two is looked at.
struct KernelNodeParameters {
  NativeFunction function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  void** parameters;
  void** extra;
  void* kernel;
  NativeContext context;
};

// CUDA_MEMCPY3D
struct CopyNodeParameters {
  struct Side {
    size_t x, y, z, level;
    int type;  // kCopyUnified
    const void* host;
    DriverAddress device;
    void* array;
    void* reserved;
    size_t pitch, height;
  };
  Side src, dst;
  size_t width, height, depth;
};

// CUDA_MEMSET_NODE_PARAMS
struct FillNodeParameters {
  DriverAddress dst;
  size_t pitch;
  unsigned value;
  unsigned element_size;  // 1, 2, 4
  size_t width;           // elements
  size_t height;
};

// CUmemLocation, CUmemAllocationProp and CUmemAccessDesc
struct MemoryLocation {
  int type;  // kLocationDevice
  int id;
};
struct MemoryProperties {
  int type;          // kAllocationPinned
  int handle_types;  // for other processes; 0: none
  MemoryLocation location;
  void* win32;
  struct {
    unsigned char compression;
    unsigned char rdma;  // network cards may read and write it
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
struct MemoryAccess {
  MemoryLocation location;
  int flags;  // kAccessReadWrite
};

// ---- Values ----

inline constexpr int kMemoryUnregistered = 0, kMemoryHost = 1, kMemoryDevice = 2, kMemoryManaged = 3;  // cudaMemoryType
inline constexpr int kCopyDefault = 4;                                                                 // cudaMemcpyKind
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr int kCaptureRelaxed = 2;                           // the mode of a thread
inline constexpr uint64_t kLegacyStream = 1, kPerThreadStream = 2;  // handles of streams of whichever context is current
inline constexpr unsigned kEventDefault = 0, kEventBlockingSync = 1, kEventDisableTiming = 2;
inline constexpr unsigned kHostAllocPortable = 1, kHostRegisterPortable = 1, kHostRegisterMapped = 2;
inline constexpr unsigned kManagedAttachGlobal = 1;
inline constexpr int kHostDeviceNumber = -1;  // of prefetches: cudaCpuDeviceId
inline constexpr unsigned long long kEntryPointDefault = 0;
inline constexpr int kCopyUnified = 4;  // CU_MEMORYTYPE_UNIFIED

inline constexpr int kLocationDevice = 1, kAllocationPinned = 1, kAccessReadWrite = 3;
inline constexpr int kGranularityRecommended = 1;

// CUdevice_attribute, of those that the runtime does not know.
inline constexpr int kVirtualMemory = 102, kRdmaOfVirtualMemory = 110;

// cudaDeviceAttr, which CUdevice_attribute agrees with.
enum Attribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockDimX = 2,
  kMaxBlockDimY = 3,
  kMaxBlockDimZ = 4,
  kMaxGridDimX = 5,
  kMaxGridDimY = 6,
  kMaxGridDimZ = 7,
  kMaxSharedMemoryPerBlock = 8,
  kWarpSize = 10,
  kClockRate = 13,
  kMultiProcessorCount = 16,
  kIntegrated = 18,
  kPciBusId = 33,
  kPciDeviceId = 34,
  kMemoryClockRate = 36,
  kGlobalMemoryBusWidth = 37,
  kL2CacheSize = 38,
  kMaxThreadsPerMultiProcessor = 39,
  kPciDomainId = 50,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedMemoryPerMultiprocessor = 81,
  kManagedMemory = 83,
  kPageableMemoryAccess = 88,
  kConcurrentManagedAccess = 89,
  kCooperativeLaunch = 95,
  kMaxSharedMemoryPerBlockOptin = 97,
};

// CUfunction_attribute
inline constexpr int kFunctionMaxThreadsPerBlock = 0, kFunctionSharedBytes = 1, kFunctionLocalBytes = 3, kFunctionRegisters = 4,
                     kFunctionMaxDynamicSharedBytes = 8;

// CUjit_option
inline constexpr int kJitErrorLogBuffer = 5, kJitErrorLogBufferBytes = 6;

// ---- The runtime (cudart): name without "cuda", result, parameters ----

#define RT_CUDA_RUNTIME_TABLE(X)                                                                                            \
  X(GetErrorName, const char*, (Error))                                                                                     \
  X(GetErrorString, const char*, (Error))                                                                                   \
  X(DriverGetVersion, Error, (int* version))                                                                                \
  X(RuntimeGetVersion, Error, (int* version))                                                                               \
  X(GetDeviceCount, Error, (int* count))                                                                                    \
  X(GetLastError, Error, ())                                                                                                \
  X(DeviceGetAttribute, Error, (int* value, int attribute, int device))                                                     \
  X(DeviceGetStreamPriorityRange, Error, (int* least, int* greatest))                                                       \
  X(DeviceCanAccessPeer, Error, (int* can, int device, int peer))                                                           \
  X(DeviceEnablePeerAccess, Error, (int peer, unsigned flags))                                                              \
  X(MemGetInfo, Error, (size_t * free_bytes, size_t * total_bytes))                                                         \
  X(Malloc, Error, (void** pointer, size_t size))                                                                           \
  X(Free, Error, (void* pointer))                                                                                           \
  X(HostAlloc, Error, (void** pointer, size_t size, unsigned flags))                                                        \
  X(FreeHost, Error, (void* pointer))                                                                                       \
  X(MallocManaged, Error, (void** pointer, size_t size, unsigned flags))                                                    \
  X(HostRegister, Error, (void* pointer, size_t size, unsigned flags))                                                      \
  X(HostUnregister, Error, (void* pointer))                                                                                 \
  X(HostGetDevicePointer, Error, (void** device, void* host, unsigned flags))                                               \
  X(PointerGetAttributes, Error, (PointerAttributes * attributes, const void* pointer))                                     \
  X(MemcpyAsync, Error, (void* dst, const void* src, size_t size, int kind, NativeStream stream))                           \
  X(Memcpy2DAsync, Error,                                                                                                   \
    (void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height, int kind,                 \
     NativeStream stream))                                                                                                  \
  X(StreamCreateWithPriority, Error, (NativeStream * stream, unsigned flags, int priority))                                 \
  X(StreamDestroy, Error, (NativeStream stream))                                                                            \
  X(StreamSynchronize, Error, (NativeStream stream))                                                                        \
  X(LaunchHostFunc, Error, (NativeStream stream, HostFunction function, void* user))                                        \
  X(EventCreateWithFlags, Error, (NativeEvent * event, unsigned flags))                                                     \
  X(EventDestroy, Error, (NativeEvent event))                                                                               \
  X(EventSynchronize, Error, (NativeEvent event))                                                                           \
  X(EventElapsedTime, Error, (float* milliseconds, NativeEvent start, NativeEvent end))                                     \
  X(GraphAddMemcpyNode1D, Error,                                                                                            \
    (NativeNode * node, NativeGraph graph, const NativeNode* before, size_t count, void* dst, const void* src, size_t size, \
     int kind))                                                                                                             \
  X(GraphExecMemcpyNodeSetParams1D, Error,                                                                                  \
    (NativeGraphExec exec, NativeNode node, void* dst, const void* src, size_t size, int kind))

// The driver, by cudaGetDriverEntryPoint: name without "cu", the version whose signature this is, result, parameters. Hot
// calls are here because the runtime's are the same with a layer more.
#define RT_CUDA_DRIVER_TABLE(X)                                                                                             \
  X(GetErrorName, 6000, Error, (Error, const char** name))                                                                  \
  X(GetErrorString, 6000, Error, (Error, const char** text))                                                                \
  X(DeviceGet, 2000, Error, (DeviceNumber * device, int ordinal))                                                           \
  X(DeviceGetName, 2000, Error, (char* name, int length, DeviceNumber device))                                              \
  X(DeviceGetUuid, 11040, Error, (Uuid * uuid, DeviceNumber device))                                                        \
  X(DeviceTotalMem, 3020, Error, (size_t * bytes, DeviceNumber device))                                                     \
  X(DevicePrimaryCtxRetain, 7000, Error, (NativeContext * context, DeviceNumber device))                                    \
  X(DevicePrimaryCtxRelease, 11000, Error, (DeviceNumber device))                                                           \
  X(CtxGetCurrent, 4000, Error, (NativeContext * context))                                                                  \
  X(CtxPushCurrent, 4000, Error, (NativeContext context))                                                                   \
  X(CtxPopCurrent, 4000, Error, (NativeContext * context))                                                                  \
  X(ThreadExchangeStreamCaptureMode, 10010, Error, (int* mode))                                                             \
  X(StreamGetCtx, 9020, Error, (NativeStream stream, NativeContext * context))                                              \
  X(StreamQuery, 2000, Error, (NativeStream stream))                                                                        \
  X(StreamWaitEvent, 3020, Error, (NativeStream stream, NativeEvent event, unsigned flags))                                 \
  X(EventRecord, 2000, Error, (NativeEvent event, NativeStream stream))                                                     \
  X(EventQuery, 2000, Error, (NativeEvent event))                                                                           \
  X(MemsetD8Async, 3020, Error, (DriverAddress dst, unsigned char value, size_t count, NativeStream stream))                \
  X(MemsetD16Async, 3020, Error, (DriverAddress dst, unsigned short value, size_t count, NativeStream stream))              \
  X(MemsetD32Async, 3020, Error, (DriverAddress dst, unsigned value, size_t count, NativeStream stream))                    \
  X(MemsetD2D8Async, 3020, Error,                                                                                           \
    (DriverAddress dst, size_t pitch, unsigned char value, size_t width, size_t height, NativeStream stream))               \
  X(MemsetD2D16Async, 3020, Error,                                                                                          \
    (DriverAddress dst, size_t pitch, unsigned short value, size_t width, size_t height, NativeStream stream))              \
  X(MemsetD2D32Async, 3020, Error,                                                                                          \
    (DriverAddress dst, size_t pitch, unsigned value, size_t width, size_t height, NativeStream stream))                    \
  X(MemPrefetchAsync, 8000, Error, (DriverAddress pointer, size_t count, DeviceNumber device, NativeStream stream))         \
  X(MemGetAddressRange, 3020, Error, (DriverAddress * base, size_t * size, DriverAddress address))                          \
  X(ModuleLoadDataEx, 2010, Error, (NativeModule * module, const void* image, unsigned count, int* options, void** values)) \
  X(ModuleUnload, 2000, Error, (NativeModule module))                                                                       \
  X(ModuleGetFunction, 2000, Error, (NativeFunction * function, NativeModule module, const char* name))                     \
  X(ModuleGetGlobal, 3020, Error, (DriverAddress * address, size_t * size, NativeModule module, const char* name))          \
  X(FuncGetAttribute, 2020, Error, (int* value, int attribute, NativeFunction function))                                    \
  X(FuncSetAttribute, 9000, Error, (NativeFunction function, int attribute, int value))                                     \
  X(OccupancyMaxActiveBlocksPerMultiprocessor, 6050, Error,                                                                 \
    (int* blocks, NativeFunction function, int block_size, size_t dynamic_bytes))                                           \
  X(LaunchKernel, 4000, Error,                                                                                              \
    (NativeFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,        \
     unsigned block_z, unsigned shared_bytes, NativeStream stream, void** parameters, void** extra))                        \
  X(LaunchCooperativeKernel, 9000, Error,                                                                                   \
    (NativeFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,        \
     unsigned block_z, unsigned shared_bytes, NativeStream stream, void** parameters))                                      \
  X(GraphCreate, 10000, Error, (NativeGraph * graph, unsigned flags))                                                       \
  X(GraphDestroy, 10000, Error, (NativeGraph graph))                                                                        \
  X(GraphAddEmptyNode, 10000, Error, (NativeNode * node, NativeGraph graph, const NativeNode* before, size_t count))        \
  X(GraphAddKernelNode, 12000, Error,                                                                                       \
    (NativeNode * node, NativeGraph graph, const NativeNode* before, size_t count, const KernelNodeParameters* parameters)) \
  X(GraphAddMemcpyNode, 10000, Error,                                                                                       \
    (NativeNode * node, NativeGraph graph, const NativeNode* before, size_t count, const CopyNodeParameters* parameters,    \
     NativeContext context))                                                                                                \
  X(GraphAddMemsetNode, 10000, Error,                                                                                       \
    (NativeNode * node, NativeGraph graph, const NativeNode* before, size_t count, const FillNodeParameters* parameters,    \
     NativeContext context))                                                                                                \
  X(GraphInstantiateWithFlags, 11040, Error, (NativeGraphExec * exec, NativeGraph graph, unsigned long long flags))         \
  X(GraphExecDestroy, 10000, Error, (NativeGraphExec exec))                                                                 \
  X(GraphExecKernelNodeSetParams, 12000, Error,                                                                             \
    (NativeGraphExec exec, NativeNode node, const KernelNodeParameters* parameters))                                        \
  X(GraphExecMemsetNodeSetParams, 10020, Error,                                                                             \
    (NativeGraphExec exec, NativeNode node, const FillNodeParameters* parameters, NativeContext context))                   \
  X(GraphAddChildGraphNode, 10000, Error,                                                                                   \
    (NativeNode * node, NativeGraph graph, const NativeNode* before, size_t count, NativeGraph child))                      \
  X(StreamBeginCapture, 10010, Error, (NativeStream stream, int mode))                                                      \
  X(StreamEndCapture, 10000, Error, (NativeStream stream, NativeGraph * graph))                                             \
  X(GraphNodeSetEnabled, 11060, Error, (NativeGraphExec exec, NativeNode node, unsigned enabled))                           \
  X(GraphLaunch, 10000, Error, (NativeGraphExec exec, NativeStream stream))

// The same: null where they are missing.
#define RT_CUDA_DRIVER_OPTIONAL_TABLE(X)                                                                                      \
  X(DeviceGetAttribute, 2000, Error, (int* value, int attribute, DeviceNumber device))                                        \
  X(MemGetAllocationGranularity, 10020, Error, (size_t * bytes, const MemoryProperties* properties, int option))              \
  X(MemAddressReserve, 10020, Error,                                                                                          \
    (DriverAddress * address, size_t size, size_t alignment, DriverAddress wanted, unsigned long long flags))                 \
  X(MemAddressFree, 10020, Error, (DriverAddress address, size_t size))                                                       \
  X(MemCreate, 10020, Error,                                                                                                  \
    (MemoryHandle * handle, size_t size, const MemoryProperties* properties, unsigned long long flags))                       \
  X(MemRelease, 10020, Error, (MemoryHandle handle))                                                                          \
  X(MemRetainAllocationHandle, 11000, Error, (MemoryHandle * handle, void* address))                                          \
  X(MemMap, 10020, Error, (DriverAddress address, size_t size, size_t offset, MemoryHandle handle, unsigned long long flags)) \
  X(MemUnmap, 10020, Error, (DriverAddress address, size_t size))                                                             \
  X(MemSetAccess, 10020, Error, (DriverAddress address, size_t size, const MemoryAccess* accesses, size_t count))             \
  X(StreamIsCapturing, 10000, Error, (NativeStream stream, int* status))                                                      \
  X(GraphAddEventRecordNode, 11010, Error,                                                                                    \
    (NativeNode * node, NativeGraph graph, const NativeNode* before, size_t count, NativeEvent event))                        \
  X(GraphExecEventRecordNodeSetEvent, 11010, Error, (NativeGraphExec exec, NativeNode node, NativeEvent event))               \
  X(ModuleGetFunctionCount, 12040, Error, (unsigned* count, NativeModule module))                                             \
  X(ModuleEnumerateFunctions, 12040, Error, (NativeFunction * functions, unsigned count, NativeModule module))                \
  X(FuncGetName, 12030, Error, (const char** name, NativeFunction function))                                                  \
  X(FuncGetParamInfo, 12040, Error, (NativeFunction function, size_t index, size_t * offset, size_t * size))

}  // namespace manyrt::cuda
