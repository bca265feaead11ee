// How far the device has come with a stream: queries and waits. Some drivers cannot say how far a busy stream has come. Then a
// query leaves a marker, a point after all work that is with the device; a few may be pending. So launches record nothing.
#include <sched.h>

#include <algorithm>

#include "backends/driver/context.h"
#include "backends/driver/device.h"
#include "backends/driver/point.h"
#include "backends/driver/stream.h"
#include "base/fault.h"
#include "base/lock_order.h"
#include "base/os/futex.h"

namespace manyrt::driver {

void Stream::advance(uint64_t serial) {
  // Several threads may learn of different numbers: the exchange keeps the greatest. Release publishes what this thread has
  // seen of the work; known() acquires it. The first load may be stale, since the exchange checks it.
  uint64_t known = completed_.load(std::memory_order_relaxed);
  while (known < serial && !completed_.compare_exchange_weak(known, serial, std::memory_order_acq_rel)) {
  }
}

uint64_t Stream::completed() {
  if (known() < withDevice()) {
    poll();
    if (trace::timesWork()) [[unlikely]]
      spans_.collect();
  }
  return known();
}

void Stream::poll() {
  // Read before the driver is asked: its answer is about this much at least.
  const uint64_t serial = withDevice();
  if (known() >= serial) return;
  if (device_.isLost()) return advance(serial);  // nothing runs there any more
  if (traits_.gathers) {
    std::unique_lock submission(mutex_, std::try_to_lock);
    if (submission.owns_lock()) flush();
  }
  const Progress progress = ask();
  if (progress == Progress::kOver) return advance(serial);
  if (progress == Progress::kUnknown) return;
  std::unique_lock markers(markers_mutex_, std::try_to_lock);
  if (!markers.owns_lock()) return;  // another thread looks
  lookAtMarkers();
  if (mark(false)) lookAtMarkers();  // some drivers run what is enqueued at once
}

// Under the mutex of the markers.
void Stream::lookAtMarkers() {
  size_t reached = 0;
  while (reached < marker_count_ && markers_[reached].point->poll()) {
    const Status& status = markers_[reached].point->status();
    if (!status.ok() && !device_.isLost()) latch.set(status);
    advance(markers_[reached].serial);
    markers_[reached].point = nullptr;
    ++reached;
  }
  std::move(markers_ + reached, markers_ + marker_count_, markers_);
  marker_count_ -= reached;
}

// Under the mutex of the markers. True: the newest marker is after all that is with the device.
bool Stream::mark(bool patiently) {
  // A stale completed_ costs one marker at most, so it is read relaxed. native_serial_ is read relaxed under the mutex of
  // submission, under which alone it is written: the marker stands after exactly those.
  const uint64_t newest = marker_count_ == 0 ? completed_.load(std::memory_order_relaxed) : markers_[marker_count_ - 1].serial;
  if (newest >= withDevice()) return true;
  if (marker_count_ == kMaxMarkers) return false;
  // A test that lets every call fail from some point on means those of the program: a wait must come to its end.
  const fault::Suspension unharmed;
  Ref<backend::Point> point;
  if (!context_->createPoint(&point, false).ok()) return false;
  std::unique_lock submission(mutex_, std::defer_lock);
  if (patiently) {
    submission.lock();
  } else if (!submission.try_lock()) {  // a submission may take long, a query may not
    return false;
  }
  if (device_.isLost() || !enqueueMark(*point).ok()) return false;
  markers_[marker_count_++] = {std::move(point), native_serial_.load(std::memory_order_relaxed)};
  return true;
}

// Under the mutex of submission, so that the other one is only tried: a thread that has the markers may wait for this one.
void Stream::markThis(Ref<backend::Point> point) {
  std::unique_lock markers(markers_mutex_, std::try_to_lock);
  if (!markers.owns_lock() || marker_count_ == kMaxMarkers) return;
  // Relaxed under the mutex of submission; the submission is counted after this call.
  markers_[marker_count_++] = {std::move(point), native_serial_.load(std::memory_order_relaxed) + 1};
}

Ref<backend::Point> Stream::markAfter(uint64_t serial) {
  std::lock_guard markers(markers_mutex_);
  lookAtMarkers();
  (void)mark(true);
  for (size_t i = 0; i < marker_count_; ++i) {
    if (markers_[i].serial >= serial || i + 1 == marker_count_) return markers_[i].point;
  }
  return nullptr;
}

// ---- Waiting ----

// Waits for a held stream, which a thread of the library brings on. False: the deadline passed.
bool Stream::awaitSubmission(uint64_t serial, Deadline deadline) {
  // Read first: a submission that is over after this has changed the word by the time the futex compares it.
  const uint32_t progress = progress_.load(std::memory_order_seq_cst);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);  // as wake() says
  const bool held = withDevice() < serial;
  if (held) (void)futexWait(&progress_, progress, deadline);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  return !held || !deadline.passed() || completed() >= serial;
}

bool Stream::wait(uint64_t serial, Deadline deadline) {
  lock_order::mayWait("a wait for a stream");
  const trace::Wait waiting;
  constexpr int64_t kSpinNanoseconds = 20'000;
  const backend::WaitPolicy policy = context_->policy();
  const bool sleeps = policy == backend::WaitPolicy::kDefault || policy == backend::WaitPolicy::kBlock;
  // In each turn: a held stream is waited for first, since a thread of the library makes its progress. Then the driver waits
  // where the policy lets a thread sleep. Where it does not, this thread spins for a moment, and naps between queries then.
  bool driver_waits = sleeps;
  const int64_t began = nowNanoseconds();
  while (completed() < serial) {
    if (deadline.isPoll()) return false;
    if (withDevice() < serial) {
      if (!awaitSubmission(serial, deadline)) return false;
      continue;
    }
    if (deadline.passed()) return completed() >= serial;
    if (policy == backend::WaitPolicy::kYield) {
      sched_yield();
      continue;
    }
    const int64_t waited = nowNanoseconds() - began;
    if (driver_waits && (policy == backend::WaitPolicy::kBlock || waited >= traits_.spin_before_sleep_ns)) {
      const Slept slept = sleep(serial, deadline, waited);
      driver_waits = slept != Slept::kNever;
      if (slept == Slept::kYes) continue;
    }
    if (!sleeps || waited < kSpinNanoseconds) {
      relaxCpu();
    } else {
      const Deadline nap = Deadline::after(kNapNanoseconds);
      std::atomic<uint32_t> never{0};
      (void)futexWait(&never, 0, nap.remaining() < deadline.remaining() ? nap : deadline);
    }
  }
  if (trace::timesWork()) [[unlikely]]
    spans_.collect();
  return true;
}

}  // namespace manyrt::driver
