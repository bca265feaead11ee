// Keeping and collecting spans. A stream is in order, so that the first one that is not over ends a look.
#include "backends/driver/spans.h"

#include <new>
#include <utility>

namespace manyrt::driver {

Spans::~Spans() {
  if (listens_) trace::remove(*this);
  end();
}

void Spans::end() {
  {
    std::lock_guard lock(mutex_);
    collectLocked();
    if (trace::timesWork()) pending_.remove_if([&](auto& span) { return span->outlives(&span, track_); });
  }
  (void)settle(true);
}

void Spans::listen() {
  if (std::exchange(listens_, true)) return;
  trace::add(*this);
}

// The stream may be older than the trace.
void Spans::add(std::unique_ptr<PendingSpan> span) {
  listen();
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

uint64_t Spans::settle(bool last) {
  std::lock_guard lock(mutex_);
  collectLocked();
  const uint64_t running = pending_.size();
  if (!last) return running;
  for (uint64_t i = 0; i < running; ++i) trace::lost();
  pending_.clear();
  return running;
}

}  // namespace manyrt::driver
