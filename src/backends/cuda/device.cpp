// Describing devices, their primary contexts, and what happens when one dies.
#include "backends/cuda/device.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "backends/cuda/context.h"
#include "backends/cuda/current.h"
#include "backends/cuda/error.h"

namespace manyrt::cuda {
namespace {

Status ask(int* value, Attribute attribute, int device) {
  RT_CUDA_TRY(cudaDeviceGetAttribute, value, attribute, device);
  return Status();
}

// A newer attribute, or 0.
int askOrZero(Attribute attribute, int device) {
  int value = 0;
  if (table().cudaDeviceGetAttribute(&value, attribute, device) == kSuccess) return value;
  // The runtime keeps an error until it is asked for it. The program's next query must not report this one.
  (void)table().cudaGetLastError();
  return 0;
}

}  // namespace

// Asks by attributes of the device, so that no context is made. Attributes that an older driver may not know are asked with
// askOrZero: its zero is a right answer. The rest is needed, and its failure is the device's.
Status Device::describe() {
  const int device = ordinal();
  // Ordinals are the runtime's, which heeds CUDA_VISIBLE_DEVICES. The driver's number of a device follows from them.
  RT_CUDA_TRY(cuDeviceGet, &number_, ordinal());
  rtDeviceProperties_t& p = properties_;
  p.struct_size = sizeof p;
  p.backend = RT_BACKEND_CUDA;
  snprintf(p.id, sizeof p.id, "cuda:%d", ordinal());
  snprintf(p.vendor, sizeof p.vendor, "NVIDIA Corporation");
  RT_CUDA_TRY(cuDeviceGetName, p.name, static_cast<int>(sizeof p.name), number_);
  Uuid uuid;
  RT_CUDA_TRY(cuDeviceGetUuid, &uuid, number_);
  memcpy(p.uuid, uuid.bytes, sizeof p.uuid);
  size_t bytes = 0;
  RT_CUDA_TRY(cuDeviceTotalMem, &bytes, number_);
  // CUDA has no limit for one allocation.
  p.memory_bytes = p.max_allocation_bytes = bytes;
  RT_CUDA_TRY(cudaDriverGetVersion, &driver_version_);
  snprintf(p.driver_version, sizeof p.driver_version, "CUDA %d.%d", driver_version_ / 1000, driver_version_ % 1000 / 10);

  int value = 0;
  RT_TRY(ask(&major_, kComputeCapabilityMajor, device));
  RT_TRY(ask(&minor_, kComputeCapabilityMinor, device));
  snprintf(p.architecture, sizeof p.architecture, "sm_%d%d", major_, minor_);
  RT_TRY(ask(&value, kMultiProcessorCount, device));
  p.compute_units = static_cast<uint32_t>(value);
  items_per_unit_ = static_cast<uint32_t>(askOrZero(kMaxThreadsPerMultiProcessor, device));
  p.clock_mhz = static_cast<uint32_t>(askOrZero(kClockRate, device)) / 1000;
  RT_TRY(ask(&value, kWarpSize, device));
  p.simd_width = static_cast<uint32_t>(value);
  RT_TRY(ask(&value, kMaxThreadsPerBlock, device));
  p.max_group_items = limits_.max_group_items = static_cast<uint32_t>(value);
  for (int i = 0; i < 3; ++i) {
    RT_TRY(ask(&value, static_cast<Attribute>(kMaxBlockDimX + i), device));
    p.max_group_size[i] = limits_.max_group_size[i] = static_cast<uint32_t>(value);
    RT_TRY(ask(&value, static_cast<Attribute>(kMaxGridDimX + i), device));
    p.max_grid_size[i] = limits_.max_grid_size[i] = static_cast<uint32_t>(value);
  }
  // Kernels get the larger limit by asking for it before their launch.
  RT_TRY(ask(&value, kMaxSharedMemoryPerBlock, device));
  shared_default_ = static_cast<uint32_t>(value);
  p.local_bytes_per_group = limits_.local_bytes_per_group =
      std::max<uint32_t>(shared_default_, static_cast<uint32_t>(askOrZero(kMaxSharedMemoryPerBlockOptin, device)));
  // That of all devices so far: CUDA has no attribute for it.
  p.cache_line_bytes = 128;
  p.l2_bytes = static_cast<uint64_t>(askOrZero(kL2CacheSize, device));
  p.unified_memory = askOrZero(kIntegrated, device) != 0;
  p.kind = p.unified_memory != 0 ? RT_DEVICE_KIND_INTEGRATED_GPU : RT_DEVICE_KIND_DISCRETE_GPU;
  p.memory_tier = RT_MEMORY_TIER_NATIVE;
  snprintf(p.pci_bus_id, sizeof p.pci_bus_id, "%04x:%02x:%02x.0", askOrZero(kPciDomainId, device), askOrZero(kPciBusId, device),
           askOrZero(kPciDeviceId, device));
  managed_ = askOrZero(kManagedMemory, device) != 0;
  concurrent_managed_ = askOrZero(kConcurrentManagedAccess, device) != 0;
  cooperative_ = askOrZero(kCooperativeLaunch, device) != 0;
  pageable_ = askOrZero(kPageableMemoryAccess, device) != 0;
  limits_.reaches_host = false;
  limits_.copies_host = true;
  // Asking for the range would make a context. The driver clamps what is beyond it.
  limits_.priority_greatest = major_ >= 7 ? -5 : -1;
  p.priority_greatest = limits_.priority_greatest;

  int count = 0;
  RT_CUDA_TRY(cudaGetDeviceCount, &count);
  for (int peer = 0; peer < count; ++peer) {
    int can = 0;
    // One peer is enough for the capability. canAccess() asks for a pair.
    if (peer != ordinal() && table().cudaDeviceCanAccessPeer(&can, ordinal(), peer) == kSuccess) peers_ |= can != 0;
  }
  ranges_ = Ranges::open(*this);
  return Status();
}

Status Device::primary(NativeContext* context) {
  std::lock_guard lock(mutex_);
  // Retained once and never released: the context lives as long as the process.
  if (primary_ == nullptr) {
    NativeContext fresh = nullptr;
    RT_CUDA_TRY(cuDevicePrimaryCtxRetain, &fresh, number_);
    primary_ = fresh;
  }
  *context = primary_;
  return Status();
}

bool Device::has(int32_t capability) const {
  switch (capability) {
    case RT_CAPABILITY_KERNELS:
    case RT_CAPABILITY_TIMING:
    case RT_CAPABILITY_NATIVE_INTEROP:
    case RT_CAPABILITY_POINTERS_IN_MEMORY:
    case RT_CAPABILITY_DOUBLE:
    case RT_CAPABILITY_HALF:
    case RT_CAPABILITY_ATOMICS_64:
    case RT_CAPABILITY_HOST_REGISTER:
    case RT_CAPABILITY_STREAM_PRIORITIES:
    case RT_CAPABILITY_SUBGROUPS:
      return true;
    case RT_CAPABILITY_SHARED_MEMORY:
      return managed_;
    case RT_CAPABILITY_COOPERATIVE_LAUNCH:
      return cooperative_;
    case RT_CAPABILITY_PEER_ACCESS:
      return peers_;
    default:
      return false;
  }
}

Status Device::attribute(int64_t* value, int32_t attribute) {
  // The others are questions about the CPU.
  *value = attribute == RT_ATTRIBUTE_NUMA_NODES ? 1 : 0;
  return Status();
}

Status Device::memInfo(uint64_t* free_bytes, uint64_t* total_bytes) {
  RT_TRY(lost());
  NativeContext context;
  RT_TRY(primary(&context));
  Current current(context);
  size_t free_now = 0, total = 0;
  if (const Error error = RT_CUDA_CALL(cudaMemGetInfo, &free_now, &total); error != kSuccess) {
    return failed("cudaMemGetInfo", error);
  }
  *free_bytes = free_now;
  *total_bytes = total;
  return Status();
}

bool Device::canAccess(const backend::Device& peer) const {
  // Devices of other backends are reached through the host alone.
  const auto* other = dynamic_cast<const Device*>(&peer);
  if (other == nullptr || other == this) return false;
  int can = 0;
  return table().cudaDeviceCanAccessPeer(&can, ordinal(), other->ordinal()) == kSuccess && can != 0;
}

// The driver carries copies of plain memory between any two devices; those of ranges need access. Without it, copies go through
// the host.
bool Device::copiesPeer(const backend::Device& other) const {
  const auto* peer = dynamic_cast<const Device*>(&other);
  return peer != nullptr && (peer->ranges() == nullptr || peer->ranges()->giveAccess(*this).ok());
}

Status Device::createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) {
  return Context::create(context, *this, options);
}

Status Device::importContext(Ref<backend::Context>* context, const uint64_t native[2]) {
  NativeContext own = nullptr;
  RT_TRY(primary(&own));
  // Streams, memory and modules here are the primary context's, and the driver refuses those of another one.
  if (native[0] != reinterpret_cast<uintptr_t>(own)) {
    return Status::error(RT_ERROR_NOT_FOUND,
                         "0x%llx is not the primary context of cuda:%d, 0x%llx; other contexts cannot be borrowed.",
                         static_cast<unsigned long long>(native[0]), ordinal(),
                         static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(own)));
  }
  // A borrowed context has no options: the program has made it with its own.
  return Context::create(context, *this, backend::ContextOptions());
}

Status Device::importStream(Ref<backend::Stream>* stream, backend::Context& context, const uint64_t native[2]) {
  return static_cast<Context&>(context).importStream(stream, native);
}

Status Device::importPoint(Ref<backend::Point>* point, backend::Context& context, const uint64_t native[2]) {
  return static_cast<Context&>(context).importPoint(point, native);
}

Status Device::importMemory(backend::Memory* memory, backend::Context& context, const uint64_t native[2], uint64_t size) {
  return static_cast<Context&>(context).importMemory(memory, native, size);
}

void Device::native(uint64_t out[2]) {
  out[0] = static_cast<uint64_t>(number_);
  out[1] = 0;
}

// The first failure of a device names the kernels that its streams ran; what CUDA itself tells is no more than the error.
Status Device::failed(const char* call, Error error) {
  Status status = failure(call, error);
  // Only the first failure: later calls report the same error, and say nothing of where it came from.
  if (isOfKernel(error) && !isLost()) {
    status =
        Status::error(status.code(),
                      "%s Run the program with RT_POOL=off under compute-sanitizer, which names the kernel, the thread and, "
                      "of kernels built with -g, the line.",
                      status.message());
  }
  return driver::Device::failed(std::move(status), isSticky(error));
}

}  // namespace manyrt::cuda
