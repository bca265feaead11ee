// Hints to the caches that the compiler's own built-ins do not give on every processor of a kind.
#pragma once

namespace manyrt::cpu {

// Asks for a cache line that will be written next, so that it arrives once and not twice.
inline void fetchForWriting(const void* line) {
#if defined(__x86_64__)
  __asm__ __volatile__("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace manyrt::cpu
