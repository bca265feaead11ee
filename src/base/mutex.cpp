// The slow half of the mutex: a short spin, then sleep.
#include "base/mutex.h"

#include "base/os/futex.h"
#include "base/spin_lock.h"

namespace manyrt {

void Mutex::await() {
  constexpr int kSpins = 100;  // about as long as a short call of a driver
  for (int spins = 0; spins < kSpins; ++spins) {
    if (locked_.load(std::memory_order_relaxed) == 0 && try_lock()) return;
    relaxCpu();
  }
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  const bool ordered = barrier::heavy();  // else an unlock may miss the sleeper: it looks again by itself
  for (;;) {
    const uint32_t wakes = wakes_.load(std::memory_order_acquire);
    // Before the look at the lock, in the one order of both: an unlock behind that look finds this false, and wakes.
    (void)waking_.exchange(false, std::memory_order_seq_cst);
    if (locked_.exchange(1, std::memory_order_seq_cst) == 0) break;
    (void)futexWaitForLock(&wakes_, wakes, ordered ? Deadline::never() : Deadline::after(barrier::kNapNanoseconds));
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

void Mutex::wake() {
  (void)locked_.fetch_add(0, std::memory_order_seq_cst);  // the unlock's store, put into that order
  if (waking_.exchange(true, std::memory_order_seq_cst)) return;
  wakes_.fetch_add(1, std::memory_order_release);
  futexWake(&wakes_, 1);
}

}  // namespace manyrt
