// Asymmetric fences: the side that runs on every call pays a compiler fence, the rare side pays for both with one
// membarrier system call. Where the kernel has none, and under ThreadSanitizer, which cannot see it, both sides use
// sequentially consistent operations. Used by the epoch guard and by whoever goes to sleep beside a hot path.
#pragma once

#include <atomic>

namespace manyrt::barrier {

namespace internal {
extern bool asymmetric;              // settled once by prepare(); false until then, which is always correct
extern std::atomic<int> rendezvous;  // what the symmetric form meets on
}  // namespace internal

void prepare();  // registers the process; called before the library runs
void heavy();    // the rare side

inline void light() {
#if defined(__SANITIZE_THREAD__)
  internal::rendezvous.fetch_add(1, std::memory_order_seq_cst);
#else
  if (internal::asymmetric) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
#endif
}

}  // namespace manyrt::barrier
