// The properties and capabilities of the one device of the CPU; imports go on to its contexts.
#include "backends/cpu/device.h"

#include <cstdio>
#include <cstring>

#include "backends/cpu/context.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/topology.h"

namespace manyrt::cpu {
namespace {

constexpr backend::Limits kLimits = {
    .max_group_items = kMaxGroupItems,
    .max_group_size = {kMaxGroupItems, kMaxGroupItems, kMaxGroupItems},
    .max_grid_size = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
    .local_bytes_per_group = kMaxLocalBytes,
    .priority_greatest = 1 - kPriorities,
    .reaches_host = true,
    .copies_host = true,
};

}  // namespace

const backend::Limits& Device::limits() const { return kLimits; }

Status Device::properties(const rtDeviceProperties_t** out) {
  std::lock_guard lock(mutex_);
  // At the first question: reading the topology takes milliseconds.
  if (!described_) {
    describe();
    described_ = true;
  }
  // The struct does not change from here on, so that callers read it without the lock.
  *out = &properties_;
  return Status();
}

bool Device::has(int32_t capability) const {
  switch (capability) {
    case RT_CAPABILITY_KERNELS:  // machine code is loaded in any case; whether a compiler is there, the first build says
    case RT_CAPABILITY_HOST_KERNELS:
    case RT_CAPABILITY_SHARED_MEMORY:
    case RT_CAPABILITY_COOPERATIVE_LAUNCH:
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
    default:
      return false;
  }
}

Status Device::attribute(int64_t* value, int32_t attribute) {
  if (attribute == RT_ATTRIBUTE_HOST_THREADS) {
    *value = defaultThreads();
    return Status();
  }
  if (attribute == RT_ATTRIBUTE_NUMA_NODES) {
    const rtDeviceProperties_t* unused;
    RT_TRY(properties(&unused));
    *value = numa_nodes_;
    return Status();
  }
  return Status::error(RT_ERROR_INVALID_VALUE, "The CPU has no attribute %d.", attribute);
}

Status Device::memInfo(uint64_t* free_bytes, uint64_t* total_bytes) {
  *total_bytes = physicalMemory();
  *free_bytes = availableMemory();
  // The two numbers come from different places, and need not agree.
  if (*free_bytes > *total_bytes) *free_bytes = *total_bytes;
  return Status();
}

Status Device::createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) {
  return Context::create(context, options);
}

Status Device::importContext(Ref<backend::Context>* context, const uint64_t native[2]) {
  *context = Context::find(native[0]);
  if (*context) return Status();
  return Status::error(RT_ERROR_NOT_FOUND, "No context of the CPU has the native handle 0x%llx.",
                       static_cast<unsigned long long>(native[0]));
}

Status Device::importStream(Ref<backend::Stream>* stream, backend::Context& context, const uint64_t native[2]) {
  return static_cast<Context&>(context).importStream(stream, native);
}

Status Device::importPoint(Ref<backend::Point>* point, backend::Context& context, const uint64_t native[2]) {
  return static_cast<Context&>(context).importPoint(point, native);
}

Status Device::importMemory(backend::Memory* memory, backend::Context&, const uint64_t native[2], uint64_t size) {
  return Context::importMemory(memory, native, size);
}

void Device::describe() {
  rtDeviceProperties_t& p = properties_;
  memset(&p, 0, sizeof p);
  p.struct_size = sizeof p;
  p.kind = RT_DEVICE_KIND_CPU;
  p.backend = RT_BACKEND_CPU;
  snprintf(p.id, sizeof p.id, "cpu");
  describeMachine(&p, &numa_nodes_);
  p.max_group_items = kLimits.max_group_items;
  for (int i = 0; i < 3; ++i) {
    p.max_group_size[i] = kLimits.max_group_size[i];
    p.max_grid_size[i] = kLimits.max_grid_size[i];
  }
  p.memory_bytes = physicalMemory();
  // The system may grant more and give no pages: no figure of it would be a promise.
  p.max_allocation_bytes = physicalMemory();
  p.local_bytes_per_group = kLimits.local_bytes_per_group;
  p.unified_memory = 1;
  p.memory_tier = RT_MEMORY_TIER_NATIVE;
  p.priority_least = 0;
  p.priority_greatest = kLimits.priority_greatest;
}

}  // namespace manyrt::cpu
