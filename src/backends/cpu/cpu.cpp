// The backend object and its one device. Contexts are in context.cpp; what the machine is, in topology.cpp.
#include "backends/cpu/cpu.h"

#include <cstdio>
#include <cstring>
#include <mutex>

#include "backends/cpu/context.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/topology.h"
#include "base/lock_order.h"

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

class Device final : public backend::Device, private backend::Interop {
 public:
  const backend::Limits& limits() const override { return kLimits; }

  Status properties(const rtDeviceProperties_t** out) override {
    std::lock_guard lock(mutex_);
    if (!described_) {
      describe();
      described_ = true;
    }
    *out = &properties_;
    return Status();
  }

  bool has(int32_t capability) const override {
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

  Status attribute(int64_t* value, int32_t attribute) override {
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

  Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes) override {
    *total_bytes = physicalMemory();
    *free_bytes = availableMemory();
    if (*free_bytes > *total_bytes) *free_bytes = *total_bytes;
    return Status();
  }

  bool canAccess(const backend::Device&) const override { return false; }

  Status createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) override {
    return Context::create(context, options);
  }

  backend::Interop* interop() override { return this; }
  Status importContext(Ref<backend::Context>* context, const uint64_t native[2]) override {
    *context = Context::find(native[0]);
    if (*context) return Status();
    return Status::error(RT_ERROR_NOT_FOUND, "No context of the CPU has the native handle 0x%llx.",
                         static_cast<unsigned long long>(native[0]));
  }

  Status importStream(Ref<backend::Stream>* stream, backend::Context& context, const uint64_t native[2]) override {
    return static_cast<Context&>(context).importStream(stream, native);
  }
  Status importPoint(Ref<backend::Point>* point, backend::Context& context, const uint64_t native[2]) override {
    return static_cast<Context&>(context).importPoint(point, native);
  }
  Status importMemory(backend::Memory* memory, backend::Context&, const uint64_t native[2], uint64_t size) override {
    return Context::importMemory(memory, native, size);
  }

  void native(uint64_t out[2]) override { out[0] = out[1] = 0; }

 private:
  void describe() {
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
    p.max_allocation_bytes = physicalMemory();
    p.local_bytes_per_group = kLimits.local_bytes_per_group;
    p.unified_memory = 1;
    p.memory_tier = RT_MEMORY_TIER_NATIVE;
    p.priority_least = 0;
    p.priority_greatest = kLimits.priority_greatest;
  }

  Ranked<std::mutex, LockRank::kCpuDevice> mutex_;
  bool described_ = false;
  rtDeviceProperties_t properties_;
  uint32_t numa_nodes_ = 1;
};

class Backend final : public backend::Backend {
 public:
  int32_t id() const override { return RT_BACKEND_CPU; }
  const char* name() const override { return "cpu"; }
  int32_t deviceCount() override { return 1; }
  backend::Device* device(int32_t ordinal) override { return ordinal == 0 ? &device_ : nullptr; }
  void info(rtBackendInfo_t* info) override {
    info->backend = RT_BACKEND_CPU;
    info->available = 1;
    info->device_count = 1;
    snprintf(info->name, sizeof info->name, "cpu");
    snprintf(info->driver_name, sizeof info->driver_name, "manyrt host threads");
    snprintf(info->driver_version, sizeof info->driver_version, "%d.%d.%d", MANYRT_VERSION_MAJOR, MANYRT_VERSION_MINOR,
             MANYRT_VERSION_PATCH);
    info->reason[0] = '\0';
  }

 private:
  Device device_;
};

}  // namespace

backend::Backend* backend() {
  static Backend* instance = new Backend;
  return instance;
}

}  // namespace manyrt::cpu
