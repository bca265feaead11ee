// Devices, contexts, kernels and memory of the null backend. Each call that a driver would serve is one fault point.
#include "backends/null/null.h"

#include <cstdio>
#include <cstdlib>

#include "backends/null/stream.h"
#include "base/checked.h"

namespace manyrt::null {
namespace {

using backend::ReservedAddresses;

// More than tests take, and less than an address has: sums of sizes cannot wrap.
constexpr uint64_t kMemoryBytes = uint64_t{16} << 30;
constexpr backend::Limits kLimits = {.max_group_items = 1024,
                                     .max_group_size = {1024, 1024, 1024},
                                     .max_grid_size = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
                                     .local_bytes_per_group = 48 << 10,
                                     .priority_greatest = -1,
                                     .reaches_host = true,
                                     .copies_host = true};

template <class T>
Status make(Ref<T>* out, T* object, const char* call) {
  // The object is made before the fault point, so that a failure also tests that it goes away again.
  Ref<T> owner = Ref<T>::adopt(object);
  RT_TRY(driverCall(call));
  *out = std::move(owner);
  return Status();
}

// A kernel that never runs: launches are counted and ordered, and write nothing.
class Kernel final : public backend::Kernel {
 public:
  explicit Kernel(const rtHostKernel_t& host) { (void)describe(host, kLimits.max_group_items); }
  uint32_t maxActiveGroups(uint32_t, uint64_t) const override { return 1; }
  uint32_t preferredGroupMultiple() const override { return 1; }
};

class Context final : public driver::Context, private backend::HostKernels, private backend::HostRegistration {
 public:
  Context(driver::Device& device, std::atomic<uint64_t>& used, ReservedAddresses* distant, backend::WaitPolicy policy)
      : driver::Context(device, policy), used_(used), distant_(distant) {}
  using driver::Context::add;
  Status createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) override {
    // Before the stream is made: a driver's failure leaves no stream in the context's list.
    RT_TRY(driverCall("null.stream"));
    Ref<Stream> made = Ref<Stream>::adopt(new Stream(*this, distant_));
    driver::Context::add(*made, options.label);
    *stream = std::move(made);
    return Status();
  }
  Status createPoint(Ref<backend::Point>* point, bool) override { return make<backend::Point>(point, new Point, "null.point"); }
  backend::HostKernels* hostKernels() override { return this; }
  backend::HostRegistration* hostRegistration() override { return this; }
  Status allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) override {
    RT_TRY(driverCall("null.allocate"));
    // As CUDA's driver does.
    if (alignment < 256) alignment = 256;
    uint64_t rounded;
    // The device is full at a size of its own, so that tests meet a lack of memory without using up the machine's.
    const bool fits = size <= kMemoryBytes - used_.load() && !roundUpOverflows(size, alignment, &rounded);
    // A distant address is backed by memory of the host, so that copies and kernels' results are real.
    void* bytes = fits ? aligned_alloc(alignment, rounded) : nullptr;
    const bool distant = distant_ != nullptr && kind == RT_MEMORY_DEVICE;
    void* address = distant && bytes != nullptr ? distant_->reserve(size, alignment, bytes) : bytes;
    if (address == nullptr) {
      free(bytes);
      return Status::error(RT_ERROR_OUT_OF_MEMORY, "An allocation of %llu bytes failed; %llu of %llu bytes are in use.",
                           static_cast<unsigned long long>(size), static_cast<unsigned long long>(used_.load()),
                           static_cast<unsigned long long>(kMemoryBytes));
    }
    // After all that can fail. Two threads may both pass the look above, so that the bound is met up to their last allocation.
    used_ += size;
    *memory = {address, size, kind, {reinterpret_cast<uintptr_t>(address), 0}, 0, !distant};
    return Status();
  }
  void release(const backend::Memory& memory) override {
    used_ -= memory.size;
    // The range leaves the list before its memory is freed: a copy must not find freed memory.
    free(memory.host_visible ? memory.address : distant_->release(memory.address));
  }
  void native(uint64_t out[2]) override { setNative(out, this); }
  void nativePoint(backend::Point& point, uint64_t out[2]) override { setNative(out, &point); }

 private:
  Status create(Ref<backend::Kernel>* kernel, const rtHostKernel_t& host) override {
    return make<backend::Kernel>(kernel, new Kernel(host), "null.kernel");
  }
  Status add(void* pointer, uint64_t, void** device_pointer) override {
    *device_pointer = pointer;
    return driverCall("null.register");
  }
  void remove(void*, uint64_t) override {}

  std::atomic<uint64_t>& used_;  // bytes of the device
  ReservedAddresses* const distant_;
};

// The device of tests without hardware. It has a driver's limits and refusals, so that code for GPUs is tested on any machine.
class Device final : public driver::Device {
 public:
  Device(int32_t ordinal, ReservedAddresses* distant) : distant_(distant) {
    limits_ = kLimits;
    // A device with distant memory is refused pageable addresses, as a GPU's backend is.
    limits_.reaches_host = distant == nullptr;
    rtDeviceProperties_t& p = properties_;
    p.struct_size = sizeof p;
    p.kind = RT_DEVICE_KIND_ACCELERATOR;
    p.backend = RT_BACKEND_NULL;
    p.ordinal = ordinal;
    snprintf(p.id, sizeof p.id, "null:%d", ordinal);
    snprintf(p.name, sizeof p.name, "null device %d", ordinal);
    snprintf(p.vendor, sizeof p.vendor, "manyrt");
    snprintf(p.driver_version, sizeof p.driver_version, "1");
    // Not zero: zeros stand for a device without a number.
    p.uuid[0] = static_cast<uint8_t>(ordinal + 1);
    p.compute_units = p.simd_width = 1;
    p.unified_memory = limits_.reaches_host ? 1 : 0;
    p.max_group_items = kLimits.max_group_items;
    for (int i = 0; i < 3; ++i) {
      p.max_group_size[i] = kLimits.max_group_size[i];
      p.max_grid_size[i] = kLimits.max_grid_size[i];
    }
    p.memory_bytes = p.max_allocation_bytes = kMemoryBytes;
    p.cache_line_bytes = 64;
    p.local_bytes_per_group = kLimits.local_bytes_per_group;
    p.priority_greatest = kLimits.priority_greatest;
  }
  Status properties(const rtDeviceProperties_t** out) override {
    RT_TRY(driverCall("null.properties"));
    return driver::Device::properties(out);
  }
  bool has(int32_t capability) const override {
    return capability == RT_CAPABILITY_SHARED_MEMORY || capability == RT_CAPABILITY_TIMING ||
           capability == RT_CAPABILITY_HOST_REGISTER || capability == RT_CAPABILITY_STREAM_PRIORITIES ||
           (capability == RT_CAPABILITY_PEER_ACCESS && properties_.ordinal >= 2);
  }
  Status attribute(int64_t* value, int32_t attribute) override {
    return *value = attribute == RT_ATTRIBUTE_NUMA_NODES ? 1 : 0, Status();
  }
  Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes) override {
    *total_bytes = kMemoryBytes;
    // Written before the fault point: a caller that ignores the failure has numbers all the same.
    *free_bytes = kMemoryBytes - used_.load();
    return driverCall("null.memory");
  }
  bool canAccess(const backend::Device& peer) const override { return &peer != this && copiesPeer(peer); }
  bool copiesPeer(const backend::Device& other) const override {
    // Devices that share the list of reserved addresses can find each other's memory; no others can.
    const Device* device = dynamic_cast<const Device*>(&other);
    return device != nullptr && device->distant_ == distant_;
  }
  Status createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) override {
    return make<backend::Context>(context, new Context(*this, used_, distant_, options.wait), "null.context");
  }
  void native(uint64_t out[2]) override { setNative(out, this); }

 private:
  ReservedAddresses* const distant_;  // peers share one; null: memory is the host's
  std::atomic<uint64_t> used_{0};
};

class Backend final : public backend::Backend {
 public:
  int32_t id() const override { return RT_BACKEND_NULL; }
  const char* name() const override { return "null"; }
  int32_t deviceCount() override { return kDevices; }
  backend::Device* device(int32_t ordinal) override {
    return ordinal >= 0 && ordinal < kDevices ? &devices_[ordinal] : nullptr;
  }
  void info(rtBackendInfo_t* info) override {
    info->backend = RT_BACKEND_NULL;
    info->available = 1;
    info->device_count = kDevices;
    snprintf(info->name, sizeof info->name, "%s", name());
    snprintf(info->driver_name, sizeof info->driver_name, "manyrt null");
    snprintf(info->driver_version, sizeof info->driver_version, "1");
    info->reason[0] = '\0';
  }

 private:
  static constexpr int32_t kDevices = 4;
  // One device in the host's memory, one with memory of its own, and two peers with memory that the host does not see.
  ReservedAddresses alone_, shared_;
  Device devices_[kDevices]{{0, nullptr}, {1, &alone_}, {2, &shared_}, {3, &shared_}};
};

}  // namespace

backend::Backend* backend() {
  // Never destroyed: contexts may end while the process exits.
  static Backend* instance = new Backend;
  return instance;
}

}  // namespace manyrt::null
