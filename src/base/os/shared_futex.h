// Sleeping on a 32-bit word in memory that several processes share. Wakes may be spurious. Headers alone, for libmanyrt-comm.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace manyrt {

// Sleeps while *word == expected, for at most `nanoseconds`.
inline void sharedFutexWait(std::atomic<uint32_t>* word, uint32_t expected, int64_t nanoseconds) {
  const timespec most = {static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
  (void)syscall(SYS_futex, word, FUTEX_WAIT, expected, &most, nullptr, 0);
}
inline void sharedFutexWakeAll(std::atomic<uint32_t>* word) {
  (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace manyrt
