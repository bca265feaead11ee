// Whether one thread runs a kernel faster than all of them. Atomic functions on the same cache lines take two threads four
// times as long as one, and on lines of their own half as long; nothing but the clock tells which it will be. So a launch tries
// both for a part of its groups. The next ones do what was faster: one launch at first, and twice as many whenever the trial
// says the same again. So data that changes from launch to launch is noticed early. Any thread may call; lost updates do no
// harm.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace manyrt::cpu {

class SharingTrial {
 public:
  enum class Run { kTry, kAlone, kShared };

  Run next() {
    const int32_t left = left_.load(std::memory_order_relaxed);
    if (left == 0) return Run::kTry;
    left_.store(left - 1, std::memory_order_relaxed);
    return lastBest();
  }
  // Without a trial: for launches that are too short for one.
  Run lastBest() const { return alone_.load(std::memory_order_relaxed) ? Run::kAlone : Run::kShared; }

  // Nanoseconds of a group while one thread ran, and while all did. One thread has to be faster by a quarter: helpers that come
  // late make no difference, and are no reason to do without them.
  static bool isAloneFaster(double alone, double shared) { return shared > alone * 1.25; }
  // Returns what is better.
  Run tried(double alone, double shared) {
    const bool is_alone = isAloneFaster(alone, shared);
    const bool again = is_alone == alone_.exchange(is_alone, std::memory_order_relaxed);
    const int32_t span = again ? std::min(span_.load(std::memory_order_relaxed) * 2, kLongest) : 1;
    span_.store(span, std::memory_order_relaxed);
    left_.store(span, std::memory_order_relaxed);
    return lastBest();
  }

 private:
  static constexpr int32_t kLongest = 64;

  // All relaxed: estimates, as the head says.
  std::atomic<int32_t> left_{0};  // launches until the next trial
  std::atomic<int32_t> span_{1};
  std::atomic<bool> alone_{false};
};

}  // namespace manyrt::cpu
