// Keeping and collecting spans. A stream is in order, so that the first one that is not over ends a look.
#include "backends/driver/spans.h"

#include <new>
#include <utility>

namespace manyrt::driver {

Spans::~Spans() {
  if (listens_) trace::remove(*this);
  settle();
}

void Spans::listen() {
  if (std::exchange(listens_, true)) return;
  trace::add(*this);
}

void Spans::add(std::unique_ptr<PendingSpan> span) {
  std::lock_guard lock(mutex_);
  if (span == nullptr) return trace::lost();
  try {
    pending_.push_back(std::move(span));
  } catch (const std::bad_alloc&) {  // a trace fails no call
    return trace::lost();
  }
  if (pending_.size() > kMany) collectLocked();
}

void Spans::collect() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) collectLocked();  // else another thread looks
}

void Spans::collectLocked() {
  while (!pending_.empty()) {
    const PendingSpan::Answer answer = pending_.front()->tell(track_);
    if (answer == PendingSpan::Answer::kNotYet) return;
    if (answer == PendingSpan::Answer::kNever) trace::lost();
    pending_.pop_front();
  }
}

void Spans::settle() {
  std::lock_guard lock(mutex_);
  collectLocked();
  for (size_t i = 0; i < pending_.size(); ++i) trace::lost();
  pending_.clear();
}

}  // namespace manyrt::driver
