// Host time: one monotonic clock for deadlines, event times of the CPU and the trace.
#pragma once

#include <time.h>

#include <cstdint>

namespace manyrt {

inline int64_t nowNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A moment until which a call may block.
class Deadline {
 public:
  static Deadline never() { return Deadline(INT64_MAX); }
  static Deadline poll() { return Deadline(0); }
  static Deadline after(uint64_t nanoseconds) {
    if (nanoseconds == 0) return poll();
    int64_t now = nowNanoseconds();
    if (nanoseconds > static_cast<uint64_t>(INT64_MAX - now)) return never();
    return Deadline(now + static_cast<int64_t>(nanoseconds));
  }
  bool isNever() const { return at_ == INT64_MAX; }
  bool isPoll() const { return at_ == 0; }
  bool passed() const { return !isNever() && (isPoll() || nowNanoseconds() >= at_); }
  int64_t remaining() const {  // at least 0; INT64_MAX for never
    if (isNever()) return INT64_MAX;
    int64_t left = at_ - nowNanoseconds();
    return left > 0 ? left : 0;
  }

 private:
  explicit Deadline(int64_t at) : at_(at) {}
  int64_t at_;
};

}  // namespace manyrt
