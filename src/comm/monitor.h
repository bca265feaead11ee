// The state that ranks of a communicator in this process share while they wait: one mutex, one condition, and the first
// failure. Every wait of an engine ends when what it waits for is there, when the communicator fails, or when its time has
// passed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/clock.h"
#include "base/status.h"

namespace manyrt::comm {

class Monitor {
 public:
  using Lock = std::unique_lock<std::mutex>;
  enum class Wait { kReady, kFailed, kTimeout };

  Lock lock() { return Lock(mutex_); }

  // Keeps the first failure, and the rank that it is about (-1: none), and wakes all waits.
  void fail(const Status& status, int32_t rank);
  void failLocked(const Status& status, int32_t rank);
  Status failure(int32_t* rank = nullptr);
  bool failedLocked() const { return !failure_.ok(); }
  // Without the lock. It is in one order with earlier stores of the thread (seq_cst). Either it sees the failure here, or the
  // thread that failed the communicator sees those stores.
  bool hasFailed() const { return failed_.load(std::memory_order_seq_cst); }
  Status failureLocked() const { return failure_; }

  void notifyLocked() { changed_.notify_all(); }

  // `ready` is called under the lock. A failure counts before the time; what is ready counts before both.
  template <class Ready>
  Wait wait(Lock& lock, const Deadline& deadline, Ready ready) {
    const auto over = [&] { return ready() || failedLocked(); };
    while (!over()) {
      if (deadline.passed()) return Wait::kTimeout;
      sleep(lock, deadline);
    }
    return ready() ? Wait::kReady : Wait::kFailed;
  }

  // For what comes in any case, also after a failure: the end of copies that have begun.
  template <class Ready>
  void waitForEnd(Lock& lock, Ready ready) {
    changed_.wait(lock, ready);
  }

 private:
  void sleep(Lock& lock, const Deadline& deadline);  // until something changes, or the time has passed

  std::mutex mutex_;
  std::condition_variable changed_;
  Status failure_;
  std::atomic<bool> failed_{false};  // there is one
  int32_t rank_ = -1;
};

}  // namespace manyrt::comm
