// The map of all memory that CUDA knows, and the functions that allocate, free, register and ask.
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <vector>

#include "call.h"
#include "device_memory.h"
#include "report.h"
#include "settings.h"
#include "stream.h"
#include "virtual_memory.h"

namespace manyrt::simulated {
namespace {

struct Memory {
  std::shared_mutex mutex;
  std::map<uintptr_t, std::shared_ptr<Allocation>> allocations;
  std::vector<std::unique_ptr<DeviceMemory>> devices;
  std::set<uintptr_t> freed;  // bases that stand for nothing now, to tell a double free from a wrong address
  std::atomic<uint64_t> epoch{1};
};

Memory& memory() {
  static auto* made = [] {
    auto* all = new Memory;
    for (int i = 0; i < settings().devices; ++i) all->devices.push_back(std::make_unique<DeviceMemory>(settings().memory));
    return all;
  }();
  return *made;
}

size_t pages(size_t size) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

void enter(uintptr_t base, size_t size, Kind kind, Context& context) {
  Memory& all = memory();
  all.allocations[base] = std::make_shared<Allocation>(base, size, kind, context);
  all.freed.erase(base);
  ++all.epoch;
}

std::shared_ptr<Allocation> at(const Memory& all, uintptr_t address) {
  auto next = all.allocations.upper_bound(address);
  if (next == all.allocations.begin()) return nullptr;
  const std::shared_ptr<Allocation>& before = std::prev(next)->second;
  return before->contains(address, 1) ? before : nullptr;
}

bool overlapsAny(const Memory& all, uintptr_t base, size_t size) {
  auto next = all.allocations.lower_bound(base);
  if (next != all.allocations.end() && next->first < base + size) return true;
  return at(all, base) != nullptr;
}

// Gives the bytes back where they came from. The lock is held.
void release(Memory& all, const Allocation& allocation) {
  switch (allocation.kind) {
    case Kind::kDevice:
      all.devices[static_cast<size_t>(allocation.context.device)]->release(allocation.base, allocation.size);
      break;
    case Kind::kManaged:
    case Kind::kHost:
      munmap(reinterpret_cast<void*>(allocation.base), pages(allocation.size));
      break;
    case Kind::kRegistered:
    case Kind::kVariable:
    case Kind::kMapped:
      break;
  }
}

void* mapHost(size_t size) {
  if (size > PTRDIFF_MAX / 2) return nullptr;
  void* mapped = mmap(nullptr, pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

bool isMapped(uintptr_t base, size_t size) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = base / page * page;
  if (base + size < base) return false;
  const size_t count = (base + size - first + page - 1) / page;
  std::vector<unsigned char> present(count);
  return mincore(reinterpret_cast<void*>(first), base + size - first, present.data()) == 0;
}

std::shared_ptr<Allocation> exactly(void* pointer, std::initializer_list<Kind> kinds, Error* code, Error unknown) {
  Memory& all = memory();
  std::shared_lock lock(all.mutex);
  auto found = all.allocations.find(addressOf(pointer));
  if (found != all.allocations.end()) {
    for (Kind kind : kinds) {
      if (found->second->kind == kind) return found->second;
    }
  } else if (all.freed.count(addressOf(pointer)) != 0) {
    violation("%p is freed twice", pointer);
  }
  *code = unknown;
  return nullptr;
}

// The common part of cudaFree, cudaFreeHost and cudaHostUnregister. `waits`: for the work of the device, as cudaFree does.
Error freeExactly(void* pointer, std::initializer_list<Kind> kinds, bool waits, Error unknown) {
  Error code = kSuccess;
  std::shared_ptr<Allocation> allocation = exactly(pointer, kinds, &code, unknown);
  if (allocation == nullptr) return code;
  const bool early = defect(Defect::memory_reused_early);
  if (waits && !early) waitForContext(allocation->context);
  if (allocation->uses > 0) harm("%p (%zu bytes) is freed while a copy or fill uses it", pointer, allocation->size);
  Memory& all = memory();
  std::unique_lock lock(all.mutex);
  if (allocation->freed.exchange(true)) return unknown;  // another thread was faster
  all.allocations.erase(allocation->base);
  if (all.freed.size() > 100000) all.freed.clear();
  all.freed.insert(allocation->base);
  ++all.epoch;
  release(all, *allocation);
  return waits ? allocation->context.state() : Error{kSuccess};
}

Error freeAndMore(void* pointer, std::initializer_list<Kind> kinds, bool waits, Error unknown) {
  if (pointer == nullptr) return kSuccess;
  if (defectAtTimes(Defect::leak)) return kSuccess;
  const Error code = freeExactly(pointer, kinds, waits, unknown);
  if (code == kSuccess && defect(Defect::double_free)) freeExactly(pointer, kinds, waits, unknown);
  return code;
}

}  // namespace

std::shared_ptr<Allocation> allocationAt(uintptr_t address) {
  Memory& all = memory();
  std::shared_lock lock(all.mutex);
  return at(all, address);
}

std::vector<std::shared_ptr<Allocation>> allocationsOf(uintptr_t address, size_t bytes) {
  std::vector<std::shared_ptr<Allocation>> found;
  Memory& all = memory();
  std::shared_lock lock(all.mutex);
  for (uintptr_t at_address = address; at_address < address + bytes;) {
    std::shared_ptr<Allocation> next = at(all, at_address);
    const bool fits =
        next != nullptr && (found.empty() || (next->kind == Kind::kMapped && found.back()->kind == Kind::kMapped));
    if (!fits) return {};
    at_address = next->base + next->size;
    found.push_back(std::move(next));
  }
  return found;
}

bool inDeviceWindow(uintptr_t address) {
  if (isReserved(address)) return true;
  for (const auto& device : memory().devices) {
    if (device->contains(address)) return true;
  }
  return false;
}

uint64_t memoryEpoch() { return memory().epoch.load(std::memory_order_acquire); }

bool mayAccess(Context& context, const Allocation& allocation) {
  switch (allocation.kind) {
    case Kind::kDevice:
    case Kind::kVariable:
      return &allocation.context == &context || mayAccessPeer(context, allocation.context.device);
    case Kind::kMapped:
      return (allocation.access >> context.device & 1) != 0;
    case Kind::kManaged:
    case Kind::kHost:
    case Kind::kRegistered:
      return true;
  }
  return false;
}

bool takePhysical(int device, size_t size) {
  Memory& all = memory();
  std::unique_lock lock(all.mutex);
  return all.devices[static_cast<size_t>(device)]->takePhysical(size);
}

void givePhysical(int device, size_t size) {
  Memory& all = memory();
  std::unique_lock lock(all.mutex);
  all.devices[static_cast<size_t>(device)]->givePhysical(size);
}

void addMapping(uintptr_t base, size_t size, Context& context) {
  std::unique_lock lock(memory().mutex);
  enter(base, size, Kind::kMapped, context);
}

void removeMapping(uintptr_t base) {
  Memory& all = memory();
  std::unique_lock lock(all.mutex);
  auto found = all.allocations.find(base);
  Allocation& mapping = *found->second;
  if (mapping.uses > 0) harm("%p is unmapped while a copy or fill uses it", reinterpret_cast<void*>(base));
  mapping.freed = true;
  all.allocations.erase(found);
  ++all.epoch;
}

void giveAccess(uintptr_t base, int device, bool on) {
  Memory& all = memory();
  std::unique_lock lock(all.mutex);
  std::atomic<uint64_t>& access = all.allocations.find(base)->second->access;
  const uint64_t bit = uint64_t{1} << device;
  access = on ? access | bit : access & ~bit;
  ++all.epoch;
}

void addVariable(uintptr_t base, size_t size, Context& context) {
  std::unique_lock lock(memory().mutex);
  enter(base, size, Kind::kVariable, context);
}

void removeVariable(uintptr_t base) {
  Memory& all = memory();
  std::unique_lock lock(all.mutex);
  auto found = all.allocations.find(base);
  if (found == all.allocations.end()) return;
  found->second->freed = true;
  all.allocations.erase(found);
  ++all.epoch;
}

void freeAllOf(Context& context) {
  Memory& all = memory();
  std::unique_lock lock(all.mutex);
  for (auto at = all.allocations.begin(); at != all.allocations.end();) {
    Allocation& allocation = *at->second;
    const bool stays = allocation.kind == Kind::kVariable || allocation.kind == Kind::kMapped;  // mappings are no context's
    if (&allocation.context != &context || stays) {
      ++at;
      continue;
    }
    allocation.freed = true;
    release(all, allocation);
    at = all.allocations.erase(at);
  }
  ++all.epoch;
}

int liveMemory(bool of_host) {
  if (settings().devices == 0) return 0;
  Memory& all = memory();
  std::shared_lock lock(all.mutex);
  int count = 0;
  for (const auto& [base, allocation] : all.allocations) {
    const bool host = allocation->kind == Kind::kHost || allocation->kind == Kind::kRegistered;
    if (allocation->kind != Kind::kVariable && host == of_host) ++count;
  }
  return count;
}

Use::Use(std::shared_ptr<Allocation> memory, bool) : memory_(std::move(memory)) { ++memory_->uses; }
Use::~Use() {
  if (memory_ != nullptr) --memory_->uses;
}
bool Use::alive() const {
  if (!memory_->freed) return true;
  harm("work uses the %zu bytes at %p, which were freed before it ran", memory_->size, reinterpret_cast<void*>(memory_->base));
  return memory_->kind == Kind::kDevice || memory_->kind == Kind::kRegistered;  // the addresses are still there
}

namespace driver {

Error MemGetAddressRange(DriverAddress* base, size_t* size, DriverAddress address) {
  return DRIVER_CALL(MemGetAddressRange, {
    Context* context;
    SIMULATED_TRY(currentForDriver(&context));
    std::shared_ptr<Allocation> allocation = allocationAt(address);
    if (allocation == nullptr || allocation->kind == Kind::kRegistered) return kNotFound;
    if (base != nullptr) *base = allocation->base;
    if (size != nullptr) *size = allocation->size;
    return kSuccess;
  });
}

}  // namespace driver

extern "C" {

Error cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return RUNTIME_CALL(MemGetInfo, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (free_bytes == nullptr || total_bytes == nullptr) return kInvalidValue;
    Memory& all = memory();
    std::shared_lock lock(all.mutex);
    *free_bytes = all.devices[static_cast<size_t>(context->device)]->freeBytes();
    *total_bytes = settings().memory;
    return kSuccess;
  });
}

Error cudaMalloc(void** pointer, size_t size) {
  return RUNTIME_CALL(Malloc, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (pointer == nullptr) return kInvalidValue;
    *pointer = nullptr;
    if (size == 0) return kSuccess;
    Memory& all = memory();
    std::unique_lock lock(all.mutex);
    const uintptr_t base = all.devices[static_cast<size_t>(context->device)]->allocate(size);
    if (base == 0) return kMemoryAllocation;
    enter(base, size, Kind::kDevice, *context);
    *pointer = reinterpret_cast<void*>(base);
    return kSuccess;
  });
}

Error cudaFree(void* pointer) {
  return RUNTIME_CALL(Free, { return freeAndMore(pointer, {Kind::kDevice, Kind::kManaged}, true, kInvalidValue); });
}

Error cudaHostAlloc(void** pointer, size_t size, unsigned flags) {
  return RUNTIME_CALL(HostAlloc, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (pointer == nullptr || flags > 7) return kInvalidValue;
    *pointer = nullptr;
    if (size == 0) return kSuccess;
    void* mapped = mapHost(size);
    if (mapped == nullptr) return kMemoryAllocation;
    std::unique_lock lock(memory().mutex);
    enter(addressOf(mapped), size, Kind::kHost, *context);
    *pointer = mapped;
    return kSuccess;
  });
}

Error cudaFreeHost(void* pointer) {
  return RUNTIME_CALL(FreeHost, { return freeAndMore(pointer, {Kind::kHost}, false, kInvalidValue); });
}

Error cudaMallocManaged(void** pointer, size_t size, unsigned flags) {
  return RUNTIME_CALL(MallocManaged, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (pointer == nullptr || size == 0 || (flags != kManagedAttachGlobal && flags != 2)) return kInvalidValue;
    void* mapped = mapHost(size);
    if (mapped == nullptr) return kMemoryAllocation;
    std::unique_lock lock(memory().mutex);
    enter(addressOf(mapped), size, Kind::kManaged, *context);
    *pointer = mapped;
    return kSuccess;
  });
}

Error cudaHostRegister(void* pointer, size_t size, unsigned flags) {
  return RUNTIME_CALL(HostRegister, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (pointer == nullptr || size == 0 || flags > 15) return kInvalidValue;
    const uintptr_t base = addressOf(pointer);
    if (inDeviceWindow(base) || !isMapped(base, size)) return kInvalidValue;
    Memory& all = memory();
    std::unique_lock lock(all.mutex);
    if (overlapsAny(all, base, size)) return kHostRegistered;
    enter(base, size, Kind::kRegistered, *context);
    return kSuccess;
  });
}

Error cudaHostUnregister(void* pointer) {
  return RUNTIME_CALL(HostUnregister, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (pointer == nullptr) return kInvalidValue;
    if (defectAtTimes(Defect::leak)) return kSuccess;
    return freeExactly(pointer, {Kind::kRegistered}, false, kHostNotRegistered);
  });
}

Error cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return RUNTIME_CALL(HostGetDevicePointer, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (device == nullptr || flags != 0) return kInvalidValue;
    std::shared_ptr<Allocation> allocation = allocationAt(addressOf(host));
    if (allocation == nullptr || (allocation->kind != Kind::kHost && allocation->kind != Kind::kRegistered))
      return kInvalidValue;
    *device = host;
    return kSuccess;
  });
}

Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return RUNTIME_CALL(PointerGetAttributes, {
    if (settings().devices == 0) return kNoDevice;
    if (attributes == nullptr) return kInvalidValue;
    std::shared_ptr<Allocation> allocation = allocationAt(addressOf(pointer));
    void* address = const_cast<void*>(pointer);
    if (allocation == nullptr) {
      attributes->type = kMemoryUnregistered;
      attributes->device = -2;  // cudaInvalidDeviceId
      attributes->device_pointer = nullptr;
      attributes->host_pointer = address;
      return kSuccess;
    }
    const bool of_device =
        allocation->kind == Kind::kDevice || allocation->kind == Kind::kVariable || allocation->kind == Kind::kMapped;
    attributes->type = of_device ? kMemoryDevice : allocation->kind == Kind::kManaged ? kMemoryManaged : kMemoryHost;
    attributes->device = allocation->context.device;
    attributes->device_pointer = address;
    attributes->host_pointer = of_device ? nullptr : address;
    return kSuccess;
  });
}

}  // extern "C"

}  // namespace manyrt::simulated
