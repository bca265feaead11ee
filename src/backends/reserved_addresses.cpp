// Reserving ranges of addresses without memory behind them, and finding a range again by any address inside.
#include "backends/reserved_addresses.h"

#include <sys/mman.h>

#include <new>

#include "base/checked.h"

namespace manyrt::backend {

void* ReservedAddresses::reserve(uint64_t size, uint64_t alignment, void* backing) {
  uint64_t mapped_size;
  if (addOverflows(size, alignment, &mapped_size)) return nullptr;
  // Without access: a stray access of the host faults at once. MAP_NORESERVE: it counts against no limit of memory.
  void* mapped = mmap(nullptr, mapped_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const uintptr_t address = (reinterpret_cast<uintptr_t>(mapped) + alignment - 1) & ~(alignment - 1);
  try {
    std::lock_guard lock(mutex_);
    ranges_[address] = {size, backing, mapped, mapped_size};
  } catch (const std::bad_alloc&) {  // the mapping has to go back
    munmap(mapped, mapped_size);
    return nullptr;
  }
  return reinterpret_cast<void*>(address);
}

void* ReservedAddresses::release(void* address) {
  std::lock_guard lock(mutex_);
  // The caller has the address from reserve(), so it is there. It leaves the list before the mapping goes: after that another
  // range may begin there.
  const auto found = ranges_.find(reinterpret_cast<uintptr_t>(address));
  const Range range = found->second;
  ranges_.erase(found);
  munmap(range.mapped, range.mapped_size);
  return range.backing;
}

void* ReservedAddresses::find(const void* address, uint64_t* offset) {
  const uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
  std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(wanted);
  if (next == ranges_.begin()) return nullptr;
  const auto& [first, range] = *--next;
  *offset = wanted - first;
  return *offset < range.size ? range.backing : nullptr;
}

}  // namespace manyrt::backend
