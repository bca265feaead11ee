// Compares cupti_api.h with a toolkit's headers: the places of the fields that are read, the numbers, the functions. Compiled
// only where the build found CUPTI's headers.
#include <cuda.h>
#include <cupti.h>

#include <type_traits>

#include "backends/cuda/cupti_api.h"

namespace manyrt::cuda::cupti {
namespace {

// Records have grown with each release, and kept the places of earlier fields. The newest names are those of this toolkit.
#if CUPTI_API_VERSION >= 130500
using TheirKernel = CUpti_ActivityKernel13;
using TheirCopy = CUpti_ActivityMemcpy7;
using TheirFill = CUpti_ActivityMemset5;
#elif CUPTI_API_VERSION >= 130000
using TheirKernel = CUpti_ActivityKernel10;
using TheirCopy = CUpti_ActivityMemcpy6;
using TheirFill = CUpti_ActivityMemset4;
#else
using TheirKernel = CUpti_ActivityKernel9;
using TheirCopy = CUpti_ActivityMemcpy5;
using TheirFill = CUpti_ActivityMemset4;
#endif

#define RT_SAME_PLACE(ours, field, theirs, name) \
  static_assert(offsetof(ours, field) == offsetof(theirs, name) && sizeof(ours::field) <= 3 * sizeof(theirs::name), #name)
RT_SAME_PLACE(KernelActivity, start, TheirKernel, start);
RT_SAME_PLACE(KernelActivity, end, TheirKernel, end);
RT_SAME_PLACE(KernelActivity, device, TheirKernel, deviceId);
RT_SAME_PLACE(KernelActivity, grid, TheirKernel, gridX);
RT_SAME_PLACE(KernelActivity, block, TheirKernel, blockX);
RT_SAME_PLACE(KernelActivity, correlation, TheirKernel, correlationId);
RT_SAME_PLACE(KernelActivity, name, TheirKernel, name);
RT_SAME_PLACE(KernelActivity, graph_node, TheirKernel, graphNodeId);
RT_SAME_PLACE(CopyActivity, copy_kind, TheirCopy, copyKind);
RT_SAME_PLACE(CopyActivity, bytes, TheirCopy, bytes);
RT_SAME_PLACE(CopyActivity, start, TheirCopy, start);
RT_SAME_PLACE(CopyActivity, end, TheirCopy, end);
RT_SAME_PLACE(CopyActivity, device, TheirCopy, deviceId);
RT_SAME_PLACE(CopyActivity, correlation, TheirCopy, correlationId);
RT_SAME_PLACE(CopyActivity, graph_node, TheirCopy, graphNodeId);
RT_SAME_PLACE(PeerCopyActivity, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
RT_SAME_PLACE(PeerCopyActivity, start, CUpti_ActivityMemcpyPtoP4, start);
RT_SAME_PLACE(PeerCopyActivity, end, CUpti_ActivityMemcpyPtoP4, end);
RT_SAME_PLACE(PeerCopyActivity, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
RT_SAME_PLACE(PeerCopyActivity, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
RT_SAME_PLACE(FillActivity, bytes, TheirFill, bytes);
RT_SAME_PLACE(FillActivity, start, TheirFill, start);
RT_SAME_PLACE(FillActivity, end, TheirFill, end);
RT_SAME_PLACE(FillActivity, device, TheirFill, deviceId);
RT_SAME_PLACE(FillActivity, correlation, TheirFill, correlationId);
RT_SAME_PLACE(FillActivity, graph_node, TheirFill, graphNodeId);
RT_SAME_PLACE(ExternalCorrelationActivity, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
RT_SAME_PLACE(ExternalCorrelationActivity, external, CUpti_ActivityExternalCorrelation, externalId);
RT_SAME_PLACE(ExternalCorrelationActivity, correlation, CUpti_ActivityExternalCorrelation, correlationId);

static_assert(kSuccess == CUPTI_SUCCESS && kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(kCopy == +CUPTI_ACTIVITY_KIND_MEMCPY && kFill == +CUPTI_ACTIVITY_KIND_MEMSET &&
              kConcurrentKernel == +CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && kCopyPeer == +CUPTI_ACTIVITY_KIND_MEMCPY2 &&
              kExternalCorrelation == +CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
static_assert(kCustom2 == +CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2 && kFlushForced == +CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
static_assert(kDriverCalls[0] == +CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async &&
              kDriverCalls[5] == +CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D32Async &&
              kDriverCalls[6] == +CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel &&
              kDriverCalls[7] == +CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel &&
              kDriverCalls[8] == +CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
static_assert(kRuntimeCalls[0] == +CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020 &&
              kRuntimeCalls[1] == +CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2DAsync_v3020);

template <class Function>
struct ParameterCount;
template <class R, class... Parameters>
struct ParameterCount<R (*)(Parameters...)> {
  static constexpr size_t value = sizeof...(Parameters);
};
#define X(id, symbol, parameters) \
  static_assert(ParameterCount<decltype(Table::id)>::value == ParameterCount<decltype(&::symbol)>::value, #symbol);
RT_CUPTI_TABLE(X)
#undef X

}  // namespace
}  // namespace manyrt::cuda::cupti
