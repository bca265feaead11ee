// Compares declarations.h with a toolkit's headers: the same number of parameters, each of the same size and of the same sort.
// Compiled only where the build found a toolkit.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <type_traits>

#include "backends/cuda/table.h"

namespace manyrt::cuda {
namespace {

// By sort and not by name: declarations.h has types of its own, so that no toolkit's header is needed to build.
template <class A, class B>
constexpr bool sameSort() {
  if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>) {
    return std::is_pointer_v<A> && std::is_pointer_v<B>;
  } else {
    return sizeof(A) == sizeof(B) && std::is_floating_point_v<A> == std::is_floating_point_v<B>;
  }
}

template <class A, class B>
struct Same;
template <class RA, class... A, class RB, class... B>
struct Same<RA (*)(A...), RB (*)(B...)> {
  static constexpr bool value() {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return sameSort<RA, RB>() && (sameSort<A, B>() && ...);
    }
  }
};

#define X(name, ...) static_assert(Same<decltype(Table::cuda##name), decltype(&::cuda##name)>::value(), "cuda" #name);
RT_CUDA_RUNTIME_TABLE(X)
#undef X

// The headers name newer forms of these two; the table asks for the older ones by version.
using OldPrefetch = CUresult (*)(CUdeviceptr, size_t, CUdevice, CUstream);
static_assert(Same<decltype(Table::cuMemPrefetchAsync), OldPrefetch>::value());

#define RT_SAME(name) static_assert(Same<decltype(Table::name), decltype(&::name)>::value(), #name)
RT_SAME(cuGetErrorName);
RT_SAME(cuGetErrorString);
RT_SAME(cuDeviceGet);
RT_SAME(cuDeviceGetName);
RT_SAME(cuDeviceGetUuid);
RT_SAME(cuDeviceTotalMem);
RT_SAME(cuDevicePrimaryCtxRetain);
RT_SAME(cuDevicePrimaryCtxRelease);
RT_SAME(cuCtxGetCurrent);
RT_SAME(cuCtxPushCurrent);
RT_SAME(cuCtxPopCurrent);
RT_SAME(cuThreadExchangeStreamCaptureMode);
RT_SAME(cuStreamGetCtx);
RT_SAME(cuStreamQuery);
RT_SAME(cuStreamWaitEvent);
RT_SAME(cuEventRecord);
RT_SAME(cuEventQuery);
RT_SAME(cuMemsetD8Async);
RT_SAME(cuMemsetD16Async);
RT_SAME(cuMemsetD32Async);
RT_SAME(cuMemsetD2D8Async);
RT_SAME(cuMemsetD2D16Async);
RT_SAME(cuMemsetD2D32Async);
RT_SAME(cuMemGetAddressRange);
RT_SAME(cuModuleLoadDataEx);
RT_SAME(cuModuleUnload);
RT_SAME(cuModuleGetFunction);
RT_SAME(cuModuleGetGlobal);
RT_SAME(cuFuncGetAttribute);
RT_SAME(cuFuncSetAttribute);
RT_SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor);
RT_SAME(cuLaunchKernel);
RT_SAME(cuLaunchCooperativeKernel);
RT_SAME(cuGraphCreate);
RT_SAME(cuGraphDestroy);
RT_SAME(cuGraphAddEmptyNode);
RT_SAME(cuGraphAddKernelNode);
RT_SAME(cuGraphAddMemcpyNode);
RT_SAME(cuGraphAddMemsetNode);
RT_SAME(cuGraphInstantiateWithFlags);
RT_SAME(cuGraphExecDestroy);
RT_SAME(cuGraphExecKernelNodeSetParams);
RT_SAME(cuGraphExecMemsetNodeSetParams);
RT_SAME(cuGraphAddChildGraphNode);
RT_SAME(cuStreamEndCapture);
RT_SAME(cuGraphNodeSetEnabled);
RT_SAME(cuGraphLaunch);
RT_SAME(cuGraphAddEventRecordNode);
RT_SAME(cuGraphExecEventRecordNodeSetEvent);
RT_SAME(cuDeviceGetAttribute);
RT_SAME(cuMemGetAllocationGranularity);
RT_SAME(cuMemAddressReserve);
RT_SAME(cuMemAddressFree);
RT_SAME(cuMemCreate);
RT_SAME(cuMemRelease);
RT_SAME(cuMemRetainAllocationHandle);
RT_SAME(cuMemMap);
RT_SAME(cuMemUnmap);
RT_SAME(cuMemSetAccess);
#if CUDA_VERSION >= 12040
RT_SAME(cuModuleGetFunctionCount);
RT_SAME(cuModuleEnumerateFunctions);
RT_SAME(cuFuncGetName);
RT_SAME(cuFuncGetParamInfo);
#endif
#undef RT_SAME

static_assert(sizeof(KernelNodeParameters) == sizeof(CUDA_KERNEL_NODE_PARAMS) &&
              offsetof(KernelNodeParameters, block) == offsetof(CUDA_KERNEL_NODE_PARAMS, blockDimX) &&
              offsetof(KernelNodeParameters, shared_bytes) == offsetof(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes) &&
              offsetof(KernelNodeParameters, parameters) == offsetof(CUDA_KERNEL_NODE_PARAMS, kernelParams) &&
              offsetof(KernelNodeParameters, context) == offsetof(CUDA_KERNEL_NODE_PARAMS, ctx));
static_assert(sizeof(CopyNodeParameters) == sizeof(CUDA_MEMCPY3D) &&
              offsetof(CopyNodeParameters, src.type) == offsetof(CUDA_MEMCPY3D, srcMemoryType) &&
              offsetof(CopyNodeParameters, src.device) == offsetof(CUDA_MEMCPY3D, srcDevice) &&
              offsetof(CopyNodeParameters, src.pitch) == offsetof(CUDA_MEMCPY3D, srcPitch) &&
              offsetof(CopyNodeParameters, dst.device) == offsetof(CUDA_MEMCPY3D, dstDevice) &&
              offsetof(CopyNodeParameters, dst.pitch) == offsetof(CUDA_MEMCPY3D, dstPitch) &&
              offsetof(CopyNodeParameters, width) == offsetof(CUDA_MEMCPY3D, WidthInBytes));
static_assert(sizeof(FillNodeParameters) == sizeof(CUDA_MEMSET_NODE_PARAMS) &&
              offsetof(FillNodeParameters, value) == offsetof(CUDA_MEMSET_NODE_PARAMS, value) &&
              offsetof(FillNodeParameters, element_size) == offsetof(CUDA_MEMSET_NODE_PARAMS, elementSize) &&
              offsetof(FillNodeParameters, width) == offsetof(CUDA_MEMSET_NODE_PARAMS, width));
static_assert(kCopyUnified == CU_MEMORYTYPE_UNIFIED);
static_assert(sizeof(MemoryProperties) == sizeof(CUmemAllocationProp) &&
              offsetof(MemoryProperties, handle_types) == offsetof(CUmemAllocationProp, requestedHandleTypes) &&
              offsetof(MemoryProperties, location.id) == offsetof(CUmemAllocationProp, location.id) &&
              offsetof(MemoryProperties, flags.rdma) == offsetof(CUmemAllocationProp, allocFlags.gpuDirectRDMACapable));
static_assert(sizeof(MemoryAccess) == sizeof(CUmemAccessDesc) &&
              offsetof(MemoryAccess, flags) == offsetof(CUmemAccessDesc, flags));
static_assert(kLocationDevice == +CU_MEM_LOCATION_TYPE_DEVICE && kAllocationPinned == +CU_MEM_ALLOCATION_TYPE_PINNED &&
              kAccessReadWrite == +CU_MEM_ACCESS_FLAGS_PROT_READWRITE &&
              kGranularityRecommended == +CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
static_assert(kVirtualMemory == +CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED &&
              kRdmaOfVirtualMemory == +CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED);
static_assert(sizeof(PointerAttributes) >= sizeof(cudaPointerAttributes));
static_assert(offsetof(PointerAttributes, device) == offsetof(cudaPointerAttributes, device));
static_assert(offsetof(PointerAttributes, device_pointer) == offsetof(cudaPointerAttributes, devicePointer));
static_assert(offsetof(PointerAttributes, host_pointer) == offsetof(cudaPointerAttributes, hostPointer));
static_assert(sizeof(Uuid) == sizeof(CUuuid));

static_assert(kMemoryUnregistered == cudaMemoryTypeUnregistered && kMemoryHost == cudaMemoryTypeHost &&
              kMemoryDevice == cudaMemoryTypeDevice && kMemoryManaged == cudaMemoryTypeManaged);
static_assert(kCaptureRelaxed == +CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(kCopyDefault == cudaMemcpyDefault && kStreamNonBlocking == cudaStreamNonBlocking);
static_assert(kEventDefault == cudaEventDefault && kEventBlockingSync == cudaEventBlockingSync &&
              kEventDisableTiming == cudaEventDisableTiming);
static_assert(kHostAllocPortable == cudaHostAllocPortable && kHostRegisterPortable == cudaHostRegisterPortable &&
              kHostRegisterMapped == cudaHostRegisterMapped && kManagedAttachGlobal == cudaMemAttachGlobal);
static_assert(kHostDeviceNumber == cudaCpuDeviceId);
static_assert(kMaxThreadsPerBlock == +cudaDevAttrMaxThreadsPerBlock && kMaxBlockDimX == +cudaDevAttrMaxBlockDimX &&
              kMaxGridDimX == +cudaDevAttrMaxGridDimX && kMaxGridDimZ == +cudaDevAttrMaxGridDimZ);
static_assert(kMaxSharedMemoryPerBlock == +cudaDevAttrMaxSharedMemoryPerBlock && kWarpSize == +cudaDevAttrWarpSize &&
              kClockRate == +cudaDevAttrClockRate && kMultiProcessorCount == +cudaDevAttrMultiProcessorCount &&
              kIntegrated == +cudaDevAttrIntegrated && kPciBusId == +cudaDevAttrPciBusId &&
              kPciDeviceId == +cudaDevAttrPciDeviceId && kPciDomainId == +cudaDevAttrPciDomainId);
static_assert(kMemoryClockRate == +cudaDevAttrMemoryClockRate && kGlobalMemoryBusWidth == +cudaDevAttrGlobalMemoryBusWidth &&
              kL2CacheSize == +cudaDevAttrL2CacheSize &&
              kMaxThreadsPerMultiProcessor == +cudaDevAttrMaxThreadsPerMultiProcessor &&
              kComputeCapabilityMajor == +cudaDevAttrComputeCapabilityMajor &&
              kComputeCapabilityMinor == +cudaDevAttrComputeCapabilityMinor);
static_assert(kMaxSharedMemoryPerMultiprocessor == +cudaDevAttrMaxSharedMemoryPerMultiprocessor &&
              kManagedMemory == +cudaDevAttrManagedMemory && kPageableMemoryAccess == +cudaDevAttrPageableMemoryAccess &&
              kConcurrentManagedAccess == +cudaDevAttrConcurrentManagedAccess &&
              kCooperativeLaunch == +cudaDevAttrCooperativeLaunch &&
              kMaxSharedMemoryPerBlockOptin == +cudaDevAttrMaxSharedMemoryPerBlockOptin);
static_assert(kFunctionMaxThreadsPerBlock == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
              kFunctionSharedBytes == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES &&
              kFunctionLocalBytes == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES && kFunctionRegisters == CU_FUNC_ATTRIBUTE_NUM_REGS &&
              kFunctionMaxDynamicSharedBytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(kJitErrorLogBuffer == CU_JIT_ERROR_LOG_BUFFER && kJitErrorLogBufferBytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

}  // namespace
}  // namespace manyrt::cuda
