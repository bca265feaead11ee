// Taking groups away from a launch that one thread runs alone.
#include "backends/cpu/solo.h"

#include <sched.h>

#include "base/spin_lock.h"

namespace manyrt::cpu {

// The watcher answers within a system call, unless it has lost its processor.
Solo::Request Solo::answer() const {
  for (uint32_t spins = 0;; ++spins) {
    // Acquire pairs with the last store of steal(): job_ and first_ are there where it has granted.
    const uint32_t request = request_.load(std::memory_order_acquire);
    if (request != kAsked) return static_cast<Request>(request);
    // The watcher may have lost its processor to this very thread: then only giving it away helps.
    if (spins < 1000) {
      relaxCpu();
    } else {
      sched_yield();
    }
  }
}

// The job begins where the watcher saw the runner, which is this group or the one after it.
[[gnu::cold]] bool Solo::takeSlowly(uint64_t group) const { return answer() == kNone || group < first_; }

bool Solo::end(Team& team) {
  // Either a watcher finds nothing to take, or it is seen here.
  next_.store(kNowhere, std::memory_order_release);
  barrier::light();
  const bool granted = answer() == kGranted;
  // The groups that were taken belong to this launch, so it ends with them.
  if (granted) [[unlikely]] {
    team.finishLate(*job_);
    request_.store(kNone, std::memory_order_relaxed);  // the release of the generation publishes it
  }
  generation_.store(generation_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return granted;
}

uint32_t Solo::steal(uint64_t running, uint32_t threads, Team& team) {
  // Relaxed: one thread watches at a time, and a stale kGranted only puts this off. The question is seq_cst, ahead of heavy().
  if (request_.load(std::memory_order_relaxed) != kNone) return 0;
  request_.store(kAsked, std::memory_order_seq_cst);
  uint32_t helpers = 0;
  // Two equal numbers around the reads show that they belong to the same launch. Its runner, if it has not ended, sees the
  // question before the next group and before the end.
  if (barrier::heavy() && this->running() == running) {
    const uint64_t first = next_.load(std::memory_order_acquire);
    if (first != kNowhere && this->running() == running && first < total_) {
      const uint64_t most = threads - 1;
      helpers = static_cast<uint32_t>(total_ - first < most ? total_ - first : most);
      job_ = team.openLate(body_, user_, first, total_, helpers, foreign_);
      if (job_ == nullptr) helpers = 0;  // every slot is taken
      first_ = first;
    }
  }
  // Release publishes job_ and first_ to answer() and take().
  request_.store(helpers != 0 ? kGranted : kNone, std::memory_order_release);
  return helpers;
}

}  // namespace manyrt::cpu
