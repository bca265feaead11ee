// Looks once a second for a thread whose call or step has gone on for too long. A thread of the driver is at work from its
// first step to its last; a thread of the library while a host function of the driver runs on it.
#include "random/watchdog.h"

#include <chrono>

#include "random/call_log.h"

namespace rtrandom {

Watchdog::Watchdog(unsigned patience_seconds) : thread_([this, patience_seconds] { watch(patience_seconds); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  ended_changed_.notify_all();
  thread_.join();
}

void Watchdog::watch(unsigned patience_seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_changed_.wait_for(lock, std::chrono::seconds(1), [this] { return ended_; })) {
    const CallLog* stuck = findStuck(static_cast<int64_t>(patience_seconds) * 1000000000);
    if (stuck != nullptr) {
      fail("%s has not moved on for %u seconds, at step %llu.", stuck->name().c_str(), patience_seconds,
           static_cast<unsigned long long>(stuck->step()));
    }
  }
}

}  // namespace rtrandom
