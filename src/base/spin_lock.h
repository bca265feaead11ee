// A lock for a few loads and stores, never held across a call of a driver, a callback or an allocation that may be large.
// The holder may be descheduled, so a waiter yields its time slice after a short spin.
#pragma once

#include <sched.h>

#include <atomic>

namespace manyrt {

inline void relaxCpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

class SpinLock {
 public:
  void lock() {
    // Acquire pairs with unlock(). The inner loop only reads, so that waiting threads share the cache line: relaxed.
    while (locked_.exchange(true, std::memory_order_acquire)) {
      for (int spins = 0; locked_.load(std::memory_order_relaxed); ++spins) {
        if (spins < 200) {
          relaxCpu();
        } else {
          sched_yield();
        }
      }
    }
  }
  bool try_lock() { return !locked_.exchange(true, std::memory_order_acquire); }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

}  // namespace manyrt
