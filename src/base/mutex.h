// A mutex for hot paths that may be held across a driver's call: giving it back is a plain store. Who has to sleep announces
// that and pays for the fence of both sides (base/barrier), so that a lock that nobody else wants costs one locked instruction
// and not two. Not for locks that threads fight over, and not to be destroyed by a thread that another one's unlock lets in: an
// unlock looks at it once more.
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
  bool try_lock() { return locked_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() {
    locked_.store(0, std::memory_order_release);
    barrier::light();  // either this sees the sleeper below, or the sleeper sees that the lock is free
    if (sleepers_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake();
  }

 private:
  void await();
  void wake();

  std::atomic<uint32_t> locked_{0};
  std::atomic<bool> waking_{false};  // a sleeper has been woken and has yet to look: further ones would only meet it
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<uint32_t> wakes_{0};  // a futex
};

}  // namespace manyrt
