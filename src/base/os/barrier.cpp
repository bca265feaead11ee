// membarrier, its replacement where the kernel has none, and its refusal by a sandbox. No other substitute serves. Revoking the
// protection of a page interrupts the other processors on some machines only. Moving a thread over all processors reaches only
// those of its cpuset. Signals need a handler in the program. So heavy() reports a refusal to its callers.
#include "base/os/barrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"

namespace manyrt::barrier {

namespace internal {
std::atomic<bool> asymmetric{false};
std::atomic<int> rendezvous{0};
}  // namespace internal

namespace {

std::atomic<bool> refused{false};

[[maybe_unused, gnu::cold]] void noteRefusal(int error) {
  if (refused.exchange(true, std::memory_order_seq_cst))
    return;  // before the store below: heavy() of any thread is false first
  internal::asymmetric.store(false, std::memory_order_seq_cst);
  log::write(RT_LOG_ERROR,
             "The kernel refuses membarrier, which it allowed at the start (%s): calls become slower, and what is destroyed "
             "stays until every thread that has used the library has called it again or ended.",
             strerror(error));
}

}  // namespace

void prepare() {
#if !defined(__SANITIZE_THREAD__)
  long supported = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (supported < 0 || (supported & MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0) return;
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0)
    // Relaxed: the start of the library publishes it to every call, as it stores kRunning after this with release.
    internal::asymmetric.store(true, std::memory_order_relaxed);
#endif
}

bool heavy() {
#if defined(__SANITIZE_THREAD__)
  internal::rendezvous.fetch_add(1, std::memory_order_seq_cst);
  return true;
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with a light() that is a fence
  if (internal::asymmetric.load(std::memory_order_relaxed)) {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return true;
    noteRefusal(errno);
  }
  // Without membarrier from the start, every light() has been a fence, and the fence above pairs with it.
  return !refused.load(std::memory_order_seq_cst);
#endif
}

}  // namespace manyrt::barrier
