// Debugging of memory that the host can see. Where the process has AddressSanitizer, freed and never-used bytes of slabs are
// poisoned for it. RT_MEMORY_DEBUG fills memory with patterns (pool_quarantine.cpp).
#pragma once

#include <cstdint>
#include <cstring>

#include "base/os/sanitizer.h"

namespace manyrt::allocator {

inline constexpr int kFreshPattern = 0xcd;
inline constexpr int kFreedPattern = 0xdd;
inline constexpr int kGuardPattern = 0xfd;
inline constexpr uint64_t kPatternBytes = 1 << 20;  // at either end of an allocation

// Bytes after each allocation that RT_MEMORY_DEBUG watches, at least.
inline constexpr uint64_t kGuardBytes = 64;

// Bytes after each allocation that belong to none, so that an access past its end is seen even beside another live block.
inline constexpr uint64_t kRedZone = 64;
inline uint64_t redZone() { return sanitizer::hasAddress() ? kRedZone : 0; }

inline void poison(uintptr_t address, uint64_t size) {
  if (sanitizer::hasAddress()) [[unlikely]]
    __asan_poison_memory_region(reinterpret_cast<void*>(address), size);
}

inline void unpoison(uintptr_t address, uint64_t size) {
  if (sanitizer::hasAddress()) [[unlikely]]
    __asan_unpoison_memory_region(reinterpret_cast<void*>(address), size);
}

}  // namespace manyrt::allocator
