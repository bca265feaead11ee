// Ends the program with all threads' stacks when a call does not come back, so that a hang is a failure that can be read.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace rtrandom {

class Watchdog {
 public:
  explicit Watchdog(unsigned patience_seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(unsigned patience_seconds);

  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace rtrandom
