// Debugging of memory that the host can see. Sanitizer builds poison freed and never-used bytes of slabs for AddressSanitizer.
// RT_MEMORY_DEBUG fills them with patterns.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace manyrt::allocator {

inline constexpr int kFreshPattern = 0xcd;
inline constexpr int kFreedPattern = 0xdd;

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kPoisons = true;
#else
inline constexpr bool kPoisons = false;
#endif

inline void poison([[maybe_unused]] uintptr_t address, [[maybe_unused]] uint64_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(reinterpret_cast<void*>(address), size);
#endif
}

inline void unpoison([[maybe_unused]] uintptr_t address, [[maybe_unused]] uint64_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(reinterpret_cast<void*>(address), size);
#endif
}

}  // namespace manyrt::allocator
