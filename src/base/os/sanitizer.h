// Which sanitizers' runtimes the process has: those of the library's own build, or of a program around an ordinary library.
// Weak names answer that; they are null where there is no such runtime. Used by allocators, which poison memory, and by builds
// of kernels, whose code calls these runtimes.
#pragma once

#include <cstddef>

extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(void const volatile* address, size_t size);
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile* address, size_t size);
}

// The sanitizer that this library was compiled for.
#if defined(__SANITIZE_ADDRESS__)
#define MANYRT_BUILT_FOR_ADDRESS 1
#elif defined(__SANITIZE_THREAD__)
#define MANYRT_BUILT_FOR_THREAD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MANYRT_BUILT_FOR_ADDRESS 1
#elif __has_feature(thread_sanitizer)
#define MANYRT_BUILT_FOR_THREAD 1
#endif
#endif

namespace manyrt::sanitizer {

inline bool hasAddress() { return __asan_poison_memory_region != nullptr; }
bool hasThread();
bool hasUndefined();

}  // namespace manyrt::sanitizer
