// Asymmetric fences: the side that runs on every call pays a compiler fence, the rare side pays for both with one
// membarrier system call. Where the kernel has none, and under ThreadSanitizer, which cannot see it, both sides use
// sequentially consistent operations. Used by the epoch guard and by threads that go to sleep beside a hot path.
//
// A sandbox may take membarrier away after the start. From the first refusal on, light() is a fence of its own, but a thread
// may be in the middle of the old one: heavy() then says that it has ordered nothing, and its callers see to it themselves.
#pragma once

#include <atomic>
#include <cstdint>

namespace manyrt::barrier {

namespace internal {
extern std::atomic<bool> asymmetric;  // set by prepare(), false before, which is always correct; cleared at the first refusal
extern std::atomic<int> rendezvous;   // what the symmetric form meets on
}  // namespace internal

void prepare();  // registers the process; called before the library runs

// The rare side. False: membarrier was refused, now or earlier, so that a light() of another thread that has not seen this yet
// is no fence.
[[nodiscard]] bool heavy();

// How long a sleeper may stay asleep on its own where heavy() has ordered nothing: a wake-up may have been missed.
constexpr uint64_t kNapNanoseconds = 1'000'000;

// The side of every call. False: it was a fence of its own.
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
