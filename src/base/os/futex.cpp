// The futex system call; relative time-outs on the monotonic clock.
#include "base/os/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lock_order.h"

namespace manyrt {

bool futexWait(std::atomic<uint32_t>* word, uint32_t expected, Deadline deadline) {
  lock_order::mayWait("a sleep");
  return futexWaitForLock(word, expected, deadline);
}

bool futexWaitForLock(std::atomic<uint32_t>* word, uint32_t expected, Deadline deadline) {
  if (deadline.isNever()) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
    return true;
  }
  int64_t left = deadline.remaining();
  if (left <= 0) return false;
  timespec time = {static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
  long result = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
  return !(result != 0 && errno == ETIMEDOUT);
}

void futexWake(std::atomic<uint32_t>* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace manyrt
