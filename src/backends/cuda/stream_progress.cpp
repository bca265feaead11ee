// How far the device has come with a stream: asking, and waiting.
#include <sched.h>

#include <algorithm>

#include "backends/cuda/context_manager.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device_manager.h"
#include "backends/cuda/error.h"
#include "backends/cuda/stream_manager.h"
#include "base/lock_order.h"
#include "base/os/futex.h"

namespace manyrt::cuda {

void Stream::advance(uint64_t serial) {
  uint64_t known = completed_.load(std::memory_order_relaxed);
  while (known < serial && !completed_.compare_exchange_weak(known, serial, std::memory_order_acq_rel)) {
  }
}

uint64_t Stream::completed() {
  if (completed_.load(std::memory_order_acquire) < native_serial_.load(std::memory_order_acquire)) (void)poll();
  return completed_.load(std::memory_order_acquire);
}

// True where all that is with the device is over.
bool Stream::poll() {
  const uint64_t serial = native_serial_.load(std::memory_order_acquire);
  if (completed_.load(std::memory_order_acquire) >= serial) return true;
  Device& device = context_->device();
  if (!device.isLost()) {
    Current current(native_context_);
    std::unique_lock asking(asking_, std::defer_lock);
    if (imported_) {
      asking.lock();
      if (completed_.load(std::memory_order_acquire) >= serial) return true;  // its import has ended meanwhile
    }
    const Error error = table().cuStreamQuery(native_);
    if (imported_) asking.unlock();
    if (error == kNotReady) {
      mark();
      return false;
    }
    if (saysNothing(error)) return false;
    if (error != kSuccess) noteFailure("cuStreamQuery", error);
  }
  advance(serial);  // nothing of a dead device runs any more
  return true;
}

// The event of the last record, which may have told others while the driver still counts the stream as busy.
bool Stream::askRecord(uint64_t serial) {
  const NativeEvent event = last_record_->of(serial);
  if (event == nullptr) return false;
  if (whateverIsCurrent(native_context_, [&] { return table().cuEventQuery(event); }) != kSuccess) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (last_record_->of(serial) != event) return false;  // recorded anew meanwhile: the answer may be of that
  advance(serial);
  return true;
}

// While the stream is never idle, events tell of its progress: recorded when somebody asks, a few at a time.
void Stream::mark() {
  std::unique_lock markers(markers_mutex_, std::try_to_lock);
  if (!markers.owns_lock()) return;
  size_t reached = 0;
  while (reached < marker_count_ && table().cuEventQuery(markers_[reached].event) == kSuccess) {
    advance(markers_[reached].serial);
    events_->giveEvent(markers_[reached].event);
    ++reached;
  }
  std::copy(markers_ + reached, markers_ + marker_count_, markers_);
  marker_count_ -= reached;
  const uint64_t newest = marker_count_ == 0 ? completed_.load(std::memory_order_relaxed) : markers_[marker_count_ - 1].serial;
  if (newest >= native_serial_.load(std::memory_order_acquire) || marker_count_ == kMostMarkers) return;
  std::unique_lock submission(mutex_, std::try_to_lock);
  if (!submission.owns_lock()) return;
  NativeEvent event = nullptr;
  if (!events_->takeEvent(&event).ok()) return;
  if (table().cuEventRecord(event, native_) != kSuccess) {
    events_->giveEvent(event);
    return;
  }
  markers_[marker_count_++] = {event, native_serial_.load(std::memory_order_relaxed)};
}

const char* Stream::runningKernel() const {
  return completed_.load(std::memory_order_acquire) < native_serial_.load(std::memory_order_acquire)
             ? kernel_.load(std::memory_order_relaxed)
             : nullptr;
}

// ---- Waiting ----

// Held: a thread of the library makes progress. False: the deadline passed.
bool Stream::awaitSubmission(uint64_t serial, Deadline deadline) {
  const uint32_t progress = progress_.load(std::memory_order_seq_cst);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  const bool held = native_serial_.load(std::memory_order_acquire) < serial;
  if (held) (void)futexWait(&progress_, progress, deadline);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  return !held || !deadline.passed() || completed() >= serial;
}

// The driver waits, for as long as it takes. False: it would not, which says nothing about the work.
bool Stream::awaitInDriver() {
  const uint64_t reached = native_serial_.load(std::memory_order_acquire);
  Current current(native_context_);
  const Error error = RT_CUDA_CALL(cudaStreamSynchronize, native_);
  if (error != kSuccess) (void)device("cudaStreamSynchronize", error);
  if (error == kSuccess || context_->device().isLost()) advance(reached);
  return error == kSuccess;
}

// The same with the thread asleep meanwhile, or for a native stream that may end before the event does.
bool Stream::awaitAsleep() {
  Current current(native_context_);
  NativeEvent event = nullptr;
  if (!events_->takeEvent(&event).ok()) return false;
  uint64_t reached = 0;
  Error error = kSuccess;
  {
    std::lock_guard lock(mutex_);
    reached = native_serial_.load(std::memory_order_relaxed);
    error = RT_CUDA_CALL(cuEventRecord, event, native_);
  }
  if (error == kSuccess) error = RT_CUDA_CALL(cudaEventSynchronize, event);
  events_->giveEvent(event);
  if (error != kSuccess) (void)device("cudaEventSynchronize", error);
  if (error == kSuccess || context_->device().isLost()) advance(reached);
  return error == kSuccess;
}

bool Stream::wait(uint64_t serial, Deadline deadline) {
  lock_order::mayWait("a wait for a stream");
  constexpr int64_t kSpinNanoseconds = 20'000;
  constexpr uint64_t kNapNanoseconds = 50'000;
  const backend::WaitPolicy policy = context_->policy();
  const bool plain = policy == backend::WaitPolicy::kDefault || policy == backend::WaitPolicy::kBlock;
  bool driver_waits = plain && deadline.isNever();
  const int64_t began = nowNanoseconds();
  while (completed() < serial) {
    if (deadline.isPoll()) return false;
    if (native_serial_.load(std::memory_order_acquire) < serial) {
      if (!awaitSubmission(serial, deadline)) return false;
    } else if (driver_waits && native_serial_.load(std::memory_order_acquire) == serial) {
      // Where the stream has more, that is not waited for: it may wait for the caller. Then markers tell.
      driver_waits = policy == backend::WaitPolicy::kBlock || imported_ ? awaitAsleep() : awaitInDriver();
    } else if (deadline.passed()) {
      return completed() >= serial;
    } else if (policy == backend::WaitPolicy::kYield) {
      sched_yield();
    } else if (policy == backend::WaitPolicy::kSpin || nowNanoseconds() - began < kSpinNanoseconds) {
      relaxCpu();
    } else {
      const Deadline nap = Deadline::after(kNapNanoseconds);
      std::atomic<uint32_t> never{0};
      (void)futexWait(&never, 0, nap.remaining() < deadline.remaining() ? nap : deadline);
    }
  }
  return true;
}

}  // namespace manyrt::cuda
