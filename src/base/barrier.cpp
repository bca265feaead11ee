// membarrier, or its replacement. `asymmetric` is written before the library runs and only read afterwards.
#include "base/barrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace manyrt::barrier {

namespace internal {
bool asymmetric = false;
std::atomic<int> rendezvous{0};
}  // namespace internal

void prepare() {
#if !defined(__SANITIZE_THREAD__)
  long supported = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (supported < 0 || (supported & MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0) return;
  internal::asymmetric = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

void heavy() {
#if defined(__SANITIZE_THREAD__)
  internal::rendezvous.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (internal::asymmetric) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
#endif
}

}  // namespace manyrt::barrier
