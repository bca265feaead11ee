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
  // The count first, then the barrier, then the look at the lock. An unlock with its light() before heavy() has published its
  // store; a later one reads the count.
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  const bool ordered = barrier::heavy();  // false: an unlock may miss the count, so the sleep below is short
  for (;;) {
    // Before the look at the lock: a wake in between changes the word, and the futex does not sleep.
    const uint32_t wakes = wakes_.load(std::memory_order_acquire);
    // Also before it, and seq_cst as it: a wake() after that look in their one order finds `waking_` false, and wakes.
    (void)waking_.exchange(false, std::memory_order_seq_cst);
    if (locked_.exchange(1, std::memory_order_seq_cst) == 0) break;
    (void)futexWaitForLock(&wakes_, wakes, ordered ? Deadline::never() : Deadline::after(barrier::kNapNanoseconds));
  }
  // Relaxed: an unlock that still counts this thread makes one needless call of wake().
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

void Mutex::wake() {
  // unlock() has stored with release alone. This read-modify-write puts the free lock into the one order of await()'s seq_cst
  // operations, ahead of the exchange below. If that finds true, the woken sleeper clears `waking_` later and then looks at the
  // lock. It takes the lock, or another thread has it and unlocks again.
  (void)locked_.fetch_add(0, std::memory_order_seq_cst);
  if (waking_.exchange(true, std::memory_order_seq_cst)) return;
  // Pairs with the acquire in await(): a sleeper that reads the new word looks at the lock after this unlock.
  wakes_.fetch_add(1, std::memory_order_release);
  futexWake(&wakes_, 1);
}

}  // namespace manyrt
