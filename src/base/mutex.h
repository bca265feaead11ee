// A mutex for hot paths that may be held across a driver's call. Unlocking is a plain store. A thread that has to sleep
// announces itself and pays for the fence of both sides (base/os/barrier). So an uncontended lock costs one locked instruction,
// not two. Not for contended locks. An unlock reads the mutex once more after its store: a thread that this store let in must
// not destroy it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/os/barrier.h"

namespace manyrt {

class Mutex {
 public:
  void lock() {
    if (!try_lock()) [[unlikely]]
      await();
  }
  // Acquire pairs with the release of the last unlock().
  bool try_lock() { return locked_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() {
    locked_.store(0, std::memory_order_release);
    barrier::light();  // pairs with heavy() in await(): this thread sees the sleeper, or the sleeper sees a free lock
    if (sleepers_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake();
  }

 private:
  void await();
  void wake();

  std::atomic<uint32_t> locked_{0};
  std::atomic<bool> waking_{false};  // a woken sleeper has not tried the lock yet: a second one would only compete with it
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<uint32_t> wakes_{0};  // the futex: a sleeper waits for it to change
};

}  // namespace manyrt
