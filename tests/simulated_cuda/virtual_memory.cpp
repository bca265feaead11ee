// The driver's virtual memory: addresses that are reserved, memory that is created, and mappings of the one to the other. No
// device reaches a mapping before cuMemSetAccess. Strict where CUDA's manual has rules: a call that it forbids is a violation.
#include "virtual_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "call.h"
#include "memory.h"
#include "report.h"
#include "settings.h"

namespace manyrt::simulated {
namespace {

constexpr size_t kGranularity = size_t{2} << 20;
constexpr int kFresh = 0xCD;
constexpr size_t kPatternBytes = size_t{64} << 10;  // at the beginning of each mapping; the rest is zero

struct Created {  // memory without addresses
  Context& context;
  size_t size;
  int handles = 1;
  int mappings = 0;
};

struct Mapping {
  size_t size;
  std::shared_ptr<Created> memory;
};

struct State {
  std::mutex mutex;
  std::map<uintptr_t, size_t> reservations;
  std::map<uintptr_t, Mapping> mappings;
  std::map<MemoryHandle, std::shared_ptr<Created>> handles;
  MemoryHandle next = 0x1000;
};

State& state() {
  static auto* made = new State;
  return *made;
}

bool inGranules(uintptr_t address, size_t size) {
  return size != 0 && address % kGranularity == 0 && size % kGranularity == 0 && address + size > address;
}

Error misuse(const char* what, uintptr_t address, size_t size) {
  violation("%s: %zu bytes at %p", what, size, reinterpret_cast<void*>(address));
  return kInvalidValue;
}

// Under the lock. The reservation that has all of the range; false: none has.
bool reserved(const State& all, uintptr_t address, size_t size) {
  auto next = all.reservations.upper_bound(address);
  if (next == all.reservations.begin()) return false;
  const auto& [base, bytes] = *std::prev(next);
  return address - base < bytes && size <= bytes - (address - base);
}

bool overlapsMapping(const State& all, uintptr_t address, size_t size) {
  auto next = all.mappings.lower_bound(address);
  if (next != all.mappings.end() && next->first < address + size) return true;
  return next != all.mappings.begin() && std::prev(next)->first + std::prev(next)->second.size > address;
}

// Whether the range is that of whole mappings, side by side.
bool isWholeMappings(const State& all, uintptr_t address, size_t size) {
  auto at = all.mappings.find(address);
  uintptr_t end = address;
  for (; at != all.mappings.end() && at->first == end && end < address + size; ++at) end += at->second.size;
  return size != 0 && end == address + size;
}

void endIfUnused(Created& memory) {
  if (memory.handles == 0 && memory.mappings == 0) givePhysical(memory.context.device, memory.size);
}

bool propertiesAreGood(const MemoryProperties* properties) {
  return properties != nullptr && properties->type == kAllocationPinned && properties->handle_types == 0 &&
         properties->location.type == kLocationDevice && contextOfDevice(properties->location.id) != nullptr &&
         properties->flags.compression == 0 && properties->flags.usage == 0;
}

}  // namespace

bool isReserved(uintptr_t address) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  return reserved(all, address, 1);
}

int liveReservations() {
  State& all = state();
  std::lock_guard lock(all.mutex);
  return static_cast<int>(all.reservations.size());
}

namespace driver {

Error MemGetAllocationGranularity(size_t* bytes, const MemoryProperties* properties, int option) {
  return DRIVER_CALL(MemGetAllocationGranularity, {
    if (bytes == nullptr || !propertiesAreGood(properties) || option < 0 || option > kGranularityRecommended)
      return kInvalidValue;
    if (!settings().virtual_memory) return kNotSupported;
    *bytes = kGranularity;
    return kSuccess;
  });
}

Error MemAddressReserve(DriverAddress* address, size_t size, size_t alignment, DriverAddress, unsigned long long flags) {
  return DRIVER_CALL(MemAddressReserve, {
    if (!settings().virtual_memory) return kNotSupported;
    if (address == nullptr || flags != 0 || (alignment & (alignment - 1)) != 0) return kInvalidValue;
    if (size == 0 || size % kGranularity != 0) return misuse("addresses that are no whole granules are reserved", 0, size);
    if (size > size_t{1} << 46) return kMemoryAllocation;
    const size_t aligned = std::max(alignment, kGranularity);
    void* mapped = mmap(nullptr, size + aligned, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return kMemoryAllocation;
    const uintptr_t given = addressOf(mapped), base = (given + aligned - 1) / aligned * aligned;
    if (base != given) munmap(mapped, base - given);
    munmap(reinterpret_cast<void*>(base + size), given + aligned - base);
    State& all = state();
    std::lock_guard lock(all.mutex);
    all.reservations[base] = size;
    *address = base;
    return kSuccess;
  });
}

Error MemAddressFree(DriverAddress address, size_t size) {
  return DRIVER_CALL(MemAddressFree, {
    State& all = state();
    std::lock_guard lock(all.mutex);
    auto found = all.reservations.find(address);
    if (found == all.reservations.end() || found->second != size)
      return misuse("what is freed is no reservation", address, size);
    if (overlapsMapping(all, address, size)) return misuse("addresses with mappings are freed", address, size);
    all.reservations.erase(found);
    munmap(reinterpret_cast<void*>(address), size);
    return kSuccess;
  });
}

Error MemCreate(MemoryHandle* handle, size_t size, const MemoryProperties* properties, unsigned long long flags) {
  return DRIVER_CALL(MemCreate, {
    if (!settings().virtual_memory) return kNotSupported;
    if (handle == nullptr || flags != 0 || !propertiesAreGood(properties)) return kInvalidValue;
    if (size == 0 || size % kGranularity != 0) return misuse("memory that is no whole granules is created", 0, size);
    Context& context = *contextOfDevice(properties->location.id);
    SIMULATED_TRY(context.broken.load());
    State& all = state();
    std::lock_guard lock(all.mutex);
    if (!takePhysical(context.device, size)) return kMemoryAllocation;
    *handle = all.next++;
    all.handles[*handle] = std::make_shared<Created>(Created{context, size});
    return kSuccess;
  });
}

Error MemRelease(MemoryHandle handle) {
  return DRIVER_CALL(MemRelease, {
    State& all = state();
    std::lock_guard lock(all.mutex);
    auto found = all.handles.find(handle);
    if (found == all.handles.end()) return misuse("what is released is no memory", handle, 0);
    --found->second->handles;
    endIfUnused(*found->second);
    all.handles.erase(found);
    return kSuccess;
  });
}

Error MemRetainAllocationHandle(MemoryHandle* handle, void* address) {
  return DRIVER_CALL(MemRetainAllocationHandle, {
    if (handle == nullptr) return kInvalidValue;
    State& all = state();
    std::lock_guard lock(all.mutex);
    auto next = all.mappings.upper_bound(addressOf(address));
    if (next == all.mappings.begin()) return kInvalidValue;
    auto& [base, mapping] = *std::prev(next);
    if (addressOf(address) - base >= mapping.size) return kInvalidValue;
    *handle = all.next++;
    all.handles[*handle] = mapping.memory;
    ++mapping.memory->handles;
    return kSuccess;
  });
}

Error MemMap(DriverAddress address, size_t size, size_t offset, MemoryHandle handle, unsigned long long flags) {
  return DRIVER_CALL(MemMap, {
    if (flags != 0 || offset != 0) return kInvalidValue;
    State& all = state();
    std::lock_guard lock(all.mutex);
    auto found = all.handles.find(handle);
    if (found == all.handles.end()) return misuse("what is mapped is no memory", address, size);
    if (!inGranules(address, size)) return misuse("addresses that are no whole granules are mapped", address, size);
    if (!reserved(all, address, size)) return misuse("addresses outside of a reservation are mapped", address, size);
    if (overlapsMapping(all, address, size)) return misuse("addresses are mapped twice", address, size);
    const std::shared_ptr<Created>& memory = found->second;
    if (size != memory->size) return misuse("a part of the memory is mapped", address, size);
    if (memory->mappings != 0) return kNotSupported;  // of this simulation: two addresses of one memory
    auto* const bytes = reinterpret_cast<unsigned char*>(address);
    if (mprotect(bytes, size, PROT_READ | PROT_WRITE) != 0) return kMemoryAllocation;
    memset(bytes, kFresh, kPatternBytes);
    addMapping(address, size, memory->context);
    all.mappings[address] = {size, memory};
    ++memory->mappings;
    return kSuccess;
  });
}

// Does not wait for the device: a kernel that still uses the memory faults.
Error MemUnmap(DriverAddress address, size_t size) {
  return DRIVER_CALL(MemUnmap, {
    State& all = state();
    std::lock_guard lock(all.mutex);
    if (!isWholeMappings(all, address, size)) return misuse("what is unmapped is not whole mappings", address, size);
    for (auto at = all.mappings.find(address); at != all.mappings.end() && at->first < address + size;) {
      removeMapping(at->first);
      --at->second.memory->mappings;
      endIfUnused(*at->second.memory);
      at = all.mappings.erase(at);
    }
    madvise(reinterpret_cast<void*>(address), size, MADV_DONTNEED);
    mprotect(reinterpret_cast<void*>(address), size, PROT_NONE);
    return kSuccess;
  });
}

Error MemSetAccess(DriverAddress address, size_t size, const MemoryAccess* accesses, size_t count) {
  return DRIVER_CALL(MemSetAccess, {
    if (accesses == nullptr || count == 0) return kInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const bool known = accesses[i].flags == 0 || accesses[i].flags == 1 || accesses[i].flags == kAccessReadWrite;
      if (accesses[i].location.type != kLocationDevice || !known) return kInvalidValue;
      if (contextOfDevice(accesses[i].location.id) == nullptr) return kInvalidDevice;
    }
    State& all = state();
    std::lock_guard lock(all.mutex);
    if (!isWholeMappings(all, address, size)) return misuse("access is given to what is not whole mappings", address, size);
    for (auto at = all.mappings.find(address); at != all.mappings.end() && at->first < address + size; ++at) {
      for (size_t i = 0; i < count; ++i) giveAccess(at->first, accesses[i].location.id, accesses[i].flags == kAccessReadWrite);
    }
    return kSuccess;
  });
}

}  // namespace driver
}  // namespace manyrt::simulated
