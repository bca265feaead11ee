// Taking a pool's lock where threads may meet. It is held for less than a microsecond at most places, and a thread that sleeps
// for it interrupts all others (base/mutex.h). So this one waits longer awake, and looks less and less often.
#pragma once

#include <algorithm>
#include <mutex>

#include "base/spin_lock.h"

namespace manyrt::allocator {

template <class Lock>
[[nodiscard]] std::unique_lock<Lock> lockPatiently(Lock& lock) {
  constexpr int kTries = 100, kMostPauses = 16;
  for (int tries = 0, pauses = 1; tries < kTries; ++tries, pauses = std::min(2 * pauses, kMostPauses)) {
    if (lock.try_lock()) return std::unique_lock<Lock>(lock, std::adopt_lock);
    for (int i = 0; i < pauses; ++i) relaxCpu();
  }
  return std::unique_lock<Lock>(lock);
}

}  // namespace manyrt::allocator
