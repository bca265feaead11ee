// NCCL's guide lets any thread abort, but not while another is in a call with the same communicator. The abort frees what the
// call still uses. The ranks have met before a call, so each of them calls, and the calls return. The first call of a kind may
// take seconds, in which NCCL connects the ranks. So an abort leaves NCCL alone while a call lasts. It begins in spite of a
// call that outlasts kPatience, where a rank failed within NCCL. Then the abort is the only way out of that call.
#include "comm/nccl/clique.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "comm/nccl/watch.h"

namespace manyrt::comm::nccl {
namespace {

constexpr int64_t kPatience = 10'000'000'000;  // nanoseconds for a call to return

}  // namespace

Clique::Clique(const Library& library, std::shared_ptr<Monitor> monitor, std::vector<NativeComm*> comms)
    : library_(library), monitor_(std::move(monitor)), comms_(std::move(comms)), calling_(comms_.size()) {}

Clique::~Clique() {
  // After a failure an orderly end would wait for work that never ends.
  end(monitor_->failure().ok() ? library_.destroy : library_.abort);
}

int32_t Clique::localCount() const {
  return static_cast<int32_t>(
      std::count_if(comms_.begin(), comms_.end(), [](const NativeComm* comm) { return comm != nullptr; }));
}

Clique::Use::Use(Clique& clique, int32_t rank) : clique_(clique), rank_(static_cast<size_t>(rank)) {
  // One order with end(), which writes ended_ first and then reads calling_: it sees this call, or this call sees the end.
  while (clique_.calling_[rank_].exchange(true, std::memory_order_seq_cst)) clique_.calling_[rank_].wait(true);
  if (!clique_.ended_.load(std::memory_order_seq_cst)) comm_ = clique_.comms_[rank_];
}

Clique::Use::~Use() {
  clique_.calling_[rank_].store(false, std::memory_order_release);
  // One waiter at most can go on: calls of one rank are one at a time.
  clique_.calling_[rank_].notify_one();
}

Result Clique::asyncError(int32_t rank) {
  Result error = kSuccess;
  if (ended_.load(std::memory_order_acquire)) return kSuccess;
  const Result asked = library_.asyncError(comms_[static_cast<size_t>(rank)], &error);
  return asked != kSuccess || error == kInProgress ? kSuccess : error;
}

void Clique::abort() { end(library_.abort); }

bool Clique::mayEndLocked() {
  if (over_) return false;
  const auto lasts = [](const std::atomic<bool>& calling) { return calling.load(std::memory_order_seq_cst); };
  const bool called = std::any_of(calling_.begin(), calling_.end(), lasts);
  // From the first try on, of any thread: the watch comes again until it may end.
  if (called && ending_since_ == 0) ending_since_ = nowNanoseconds();
  over_ = !called || nowNanoseconds() - ending_since_ >= kPatience;
  return over_;
}

// Does not wait, since the watch looks after other communicators too. The last rank, which ends them, is in no call.
void Clique::end(Result (*function)(NativeComm*)) {
  ended_.store(true, std::memory_order_seq_cst);
  if (processEnds()) return;  // a thread, or a static object of the program, that has the last rank
  {
    const std::lock_guard lock(mutex_);
    if (!mayEndLocked()) return;
  }
  // In one group: an end of one communicator waits for those of its ranks in this process.
  (void)library_.groupStart();
  for (NativeComm* comm : comms_) {
    if (comm != nullptr) (void)function(comm);
  }
  (void)library_.groupEnd();
}

}  // namespace manyrt::comm::nccl
