// Reserving addresses, and finding the bytes behind them.
#include "backends/null/distant.h"

#include <sys/mman.h>

#include <cstdlib>

#include "base/checked.h"

namespace manyrt::null {

void* DistantMemory::allocate(uint64_t size, uint64_t alignment) {
  uint64_t reserved_size;
  if (addOverflows(size, alignment, &reserved_size)) return nullptr;
  char* bytes = static_cast<char*>(malloc(size));
  if (bytes == nullptr) return nullptr;
  void* reserved = mmap(nullptr, reserved_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    free(bytes);
    return nullptr;
  }
  const uintptr_t address = (reinterpret_cast<uintptr_t>(reserved) + alignment - 1) & ~(alignment - 1);
  try {
    std::lock_guard lock(mutex_);
    ranges_[address] = {size, bytes, reserved, reserved_size};
  } catch (...) {
    munmap(reserved, reserved_size);
    free(bytes);
    return nullptr;
  }
  return reinterpret_cast<void*>(address);
}

void DistantMemory::release(void* address) {
  Range range;
  {
    std::lock_guard lock(mutex_);
    auto found = ranges_.find(reinterpret_cast<uintptr_t>(address));
    range = found->second;
    ranges_.erase(found);
  }
  munmap(range.reserved, range.reserved_size);
  free(range.bytes);
}

char* DistantMemory::find(const void* address) {
  const uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
  std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(wanted);
  if (next != ranges_.begin()) {
    const auto& [first, range] = *--next;
    if (wanted - first < range.size) return range.bytes + (wanted - first);
  }
  return static_cast<char*>(const_cast<void*>(address));
}

}  // namespace manyrt::null
