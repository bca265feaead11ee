// Asymmetric fences: light(), on every call, is a compiler fence; heavy(), which is rare, pays for both with one membarrier
// system call. If the kernel has none, and under ThreadSanitizer, which cannot see it, both are sequentially consistent
// operations. Used by the epoch guard and by threads that go to sleep beside a hot path.
//
// A sandbox may forbid membarrier after the start. From the first refusal on, light() is a fence of its own. A thread may still
// be inside an old light(), so heavy() then returns false: it has ordered nothing, and its caller handles that.
#pragma once

#include <atomic>
#include <cstdint>

namespace manyrt::barrier {

namespace internal {
extern std::atomic<bool> asymmetric;  // set by prepare(), cleared at the first refusal; false is always correct
extern std::atomic<int> rendezvous;   // under ThreadSanitizer, the word that both sides modify
}  // namespace internal

void prepare();  // registers the process; called before the library runs

// The rare side. False: membarrier was refused, now or earlier, and a light() of a thread that has not seen this is no fence.
[[nodiscard]] bool heavy();

// The longest sleep after a heavy() that has ordered nothing, because a wake-up may have been missed.
constexpr uint64_t kNapNanoseconds = 1'000'000;

// The frequent side. False: it was a fence of its own.
// ThreadSanitizer does not know membarrier: a read-modify-write on one word orders both sides there.
inline bool light() {
#if defined(__SANITIZE_THREAD__)
  internal::rendezvous.fetch_add(1, std::memory_order_seq_cst);
  return true;
#else
  if (internal::asymmetric.load(std::memory_order_relaxed)) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return false;
#endif
}

}  // namespace manyrt::barrier
