// NCCL's guide asks that no thread calls NCCL while an abort begins. So the abort waits for calls to return, and goes on
// where one does not: then the abort is the only way out of that call.
#include "comm/nccl/clique.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "comm/nccl/watch.h"

namespace manyrt::comm::nccl {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(100);  // for a call to return; one that waits for a rank does not

}  // namespace

Clique::Clique(const Library& library, std::shared_ptr<Monitor> monitor, std::vector<NativeComm*> comms)
    : library_(library), monitor_(std::move(monitor)), comms_(std::move(comms)), calling_(comms_.size()) {}

Clique::~Clique() {
  // Behind a failure an orderly end would wait for work that never ends.
  end(monitor_->failure().ok() ? library_.destroy : library_.abort);
}

Clique::Use::Use(Clique& clique, int32_t rank) : clique_(clique), rank_(static_cast<size_t>(rank)) {
  std::unique_lock lock(clique_.mutex_);
  clique_.returned_.wait(lock, [&] { return !clique_.calling_[rank_]; });
  clique_.calling_[rank_] = true;
  if (!clique_.ended_.load(std::memory_order_acquire)) comm_ = clique_.comms_[rank_];
}

Clique::Use::~Use() {
  const std::lock_guard lock(clique_.mutex_);
  clique_.calling_[rank_] = false;
  clique_.returned_.notify_all();
}

Result Clique::asyncError(int32_t rank) {
  Result error = kSuccess;
  if (ended_.load(std::memory_order_acquire)) return kSuccess;
  const Result asked = library_.asyncError(comms_[static_cast<size_t>(rank)], &error);
  return asked != kSuccess || error == kInProgress ? kSuccess : error;
}

void Clique::abort() { end(library_.abort); }

void Clique::end(Result (*function)(NativeComm*)) {
  if (ended_.exchange(true, std::memory_order_acq_rel)) return;  // from here on no call begins
  if (processEnds()) return;  // a thread, or a static object of the program, that has the last rank
  {
    std::unique_lock lock(mutex_);
    const auto none = [&] { return std::find(calling_.begin(), calling_.end(), true) == calling_.end(); };
    (void)returned_.wait_for(lock, kPatience, none);
  }
  (void)library_.groupStart();
  for (NativeComm* comm : comms_) (void)function(comm);
  (void)library_.groupEnd();
}

void Clique::learn(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  known_.insert(keyOf(operation));
}

bool Clique::knows(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  return known_.count(keyOf(operation)) != 0;
}

}  // namespace manyrt::comm::nccl
