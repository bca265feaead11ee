// The answer to a program that asks how far a stream has come, the same for every backend.
#include <sched.h>

#include "backends/backend.h"

namespace manyrt::backend {

bool Stream::reached(uint64_t serial) {
  constexpr int kSpins = 200;
  if (completed() >= serial) return true;
  if (announced_.load(std::memory_order_acquire) < serial) return askRecord(serial);
  // Another thread has told of it, or does so now, and publishes the number next. Acquire pairs with announce(): a thread that
  // saw the point passed sees the announcement, too, since it was stored before.
  for (int spins = 0; completed() < serial; ++spins) {
    if (spins < kSpins) {
      relaxCpu();
    } else {
      sched_yield();
    }
  }
  return true;
}

}  // namespace manyrt::backend
