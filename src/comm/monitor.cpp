// The first failure of a communicator and the sleep of a wait. The condition is one for all, since few threads wait and each
// change concerns most of them.
#include "comm/monitor.h"

#include <algorithm>
#include <chrono>

namespace manyrt::comm {

void Monitor::fail(const Status& status, int32_t rank) {
  const Lock held = lock();
  failLocked(status, rank);
}

void Monitor::failLocked(const Status& status, int32_t rank) {
  // The first failure stays: later ones are mostly its consequences.
  if (!failure_.ok()) return;
  failure_ = status;
  rank_ = rank;
  // After the failure itself, which a thread that sees the flag reads under the lock.
  failed_.store(true, std::memory_order_seq_cst);
  changed_.notify_all();
}

Status Monitor::failure(int32_t* rank) {
  const Lock held = lock();
  if (rank != nullptr) *rank = rank_;
  return failure_;
}

void Monitor::sleep(Lock& lock, const Deadline& deadline) {
  // An hour at most: the sum with the present time has to fit.
  const int64_t left = std::min<int64_t>(deadline.remaining(), 3'600'000'000'000);
  // May return early. The caller looks at its condition and its deadline again.
  (void)changed_.wait_for(lock, std::chrono::nanoseconds(left));
}

}  // namespace manyrt::comm
