// How far a stream has come. Launches note nothing: markers are enqueued when somebody asks, a few at a time, and their events
// tell.
#include <sched.h>

#include <algorithm>
#include <climits>
#include <new>

#include "backends/opencl/context_manager.h"
#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"
#include "backends/opencl/stream_manager.h"
#include "base/lock_order.h"
#include "base/os/futex.h"

namespace manyrt::opencl {

void Stream::wake() {
  progress_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) futexWake(&progress_, INT_MAX);
}

void Stream::deviceLost() { wake(); }

void Stream::settle(Deadline deadline) {
  constexpr uint64_t kNapNanoseconds = 200'000;
  std::atomic<uint32_t> never{0};
  std::unique_lock lock(mutex_, std::try_to_lock);
  while (!lock.owns_lock()) {  // somebody enqueues, which on some drivers is the work itself
    if (deadline.passed()) return;
    (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
    (void)lock.try_lock();
  }
  cl_event event = nullptr;
  if (RT_CL_PLAIN(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, &event) != CL_SUCCESS) return;
  flush();
  Error status = CL_SUCCESS;
  while (!isOver(event, &status) && !deadline.passed()) (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
  (void)RT_CL_PLAIN(clReleaseEvent, event);
}

void Stream::advance(uint64_t serial) {
  uint64_t known = completed_.load(std::memory_order_relaxed);
  while (known < serial && !completed_.compare_exchange_weak(known, serial, std::memory_order_acq_rel)) {
  }
  // A queue that is exchanged at this moment goes with the next step, or with the stream.
  const bool exchanged = untimed_queue_.load(std::memory_order_acquire) != nullptr;
  if (exchanged && serial >= untimed_end_.load(std::memory_order_relaxed)) [[unlikely]]
    endUntimedQueue();
}

uint64_t Stream::completed() {
  if (completed_.load(std::memory_order_acquire) < native_serial_.load(std::memory_order_acquire)) poll();
  return completed_.load(std::memory_order_acquire);
}

void Stream::lookAtMarkers() {
  size_t reached = 0;
  Error status = CL_COMPLETE;
  while (reached < marker_count_ && isOver(markers_[reached].event, &status)) {
    if (status < 0) {
      Status failed = device().failed("A command of a stream", status);
      if (!device().isLost()) latch.set(std::move(failed));
    }
    advance(markers_[reached].serial);
    (void)RT_CL_PLAIN(clReleaseEvent, markers_[reached].event);
    ++reached;
  }
  std::copy(markers_ + reached, markers_ + marker_count_, markers_);
  marker_count_ -= reached;
}

void Stream::markWith(cl_event event) {
  std::unique_lock markers(markers_mutex_, std::try_to_lock);  // who has it may be waiting for mutex_
  if (markers.owns_lock() && marker_count_ < kMostMarkers) {
    markers_[marker_count_++] = {event, native_serial_.load(std::memory_order_relaxed)};
  } else {
    (void)RT_CL_PLAIN(clReleaseEvent, event);
  }
}

bool Stream::mark(bool patiently) {
  const uint64_t newest = marker_count_ == 0 ? completed_.load(std::memory_order_relaxed) : markers_[marker_count_ - 1].serial;
  if (newest >= native_serial_.load(std::memory_order_acquire)) return true;
  if (marker_count_ == kMostMarkers) return false;
  std::unique_lock submission(mutex_, std::defer_lock);
  if (patiently) {
    submission.lock();
  } else if (!submission.try_lock()) {
    return false;
  }
  if (device().isLost()) return false;
  cl_event event = nullptr;
  const Error error = RT_CL_PLAIN(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, &event);
  if (error != CL_SUCCESS) {
    if (isSticky(error)) (void)device().failed("clEnqueueMarkerWithWaitList", error);
    return false;
  }
  markers_[marker_count_++] = {event, native_serial_.load(std::memory_order_relaxed)};
  if (!device().quirks().has(Quirk::kGoesOnByItself)) flush();
  return true;
}

void Stream::poll() {
  if (device().isLost()) return advance(native_serial_.load(std::memory_order_acquire));  // nothing runs there any more
  std::unique_lock markers(markers_mutex_, std::try_to_lock);
  if (!markers.owns_lock()) return;
  lookAtMarkers();
  if (mark(false)) lookAtMarkers();
}

// A record that was the last submission: its own event is asked, which has told others. Held back, it may not be recorded yet.
bool Stream::askRecord(uint64_t serial) {
  Ref<backend::Point> record;
  {
    std::lock_guard lock(record_lock_);
    if (record_serial_ == serial) record = record_;
  }
  if (!record || !record->poll()) return false;
  advance(serial);
  return true;
}

// For whoever sleeps until the stream has come to `serial`, or some way towards it.
cl_event Stream::markerBehind(uint64_t serial) {
  std::lock_guard markers(markers_mutex_);
  lookAtMarkers();
  (void)mark(true);
  for (size_t i = 0; i < marker_count_; ++i) {
    if (markers_[i].serial < serial && i + 1 < marker_count_) continue;
    return RT_CL_PLAIN(clRetainEvent, markers_[i].event) == CL_SUCCESS ? markers_[i].event : nullptr;
  }
  return nullptr;
}

bool Stream::wait(uint64_t serial, Deadline deadline) {
  lock_order::mayWait("a wait for a stream");
  constexpr int64_t kSpinNanoseconds = 20'000;
  constexpr uint64_t kYieldNanoseconds = 200'000;  // where nobody calls back; then naps that grow
  constexpr uint64_t kNapNanoseconds = 50'000;
  constexpr uint64_t kLongNapNanoseconds = 1'000'000;
  constexpr uint64_t kLookNanoseconds = 100'000'000;  // whatever is told, a sleeper looks again after this time
  const backend::WaitPolicy policy = context_->policy();
  const int64_t began = nowNanoseconds();
  std::atomic<uint32_t> never{0};
  const auto atMost = [&](uint64_t nanoseconds) {
    const Deadline nap = Deadline::after(nanoseconds);
    return nap.remaining() < deadline.remaining() ? nap : deadline;
  };
  while (completed() < serial) {
    if (deadline.isPoll()) return false;
    if (native_serial_.load(std::memory_order_acquire) < serial) {  // held: a thread of the library makes progress
      const uint32_t progress = progress_.load(std::memory_order_seq_cst);
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      const bool held = native_serial_.load(std::memory_order_acquire) < serial;
      if (held) (void)futexWait(&progress_, progress, deadline);
      sleepers_.fetch_sub(1, std::memory_order_seq_cst);
      if (held && deadline.passed()) return completed() >= serial;
      continue;
    }
    if (deadline.passed()) return completed() >= serial;
    if (policy == backend::WaitPolicy::kYield) {
      sched_yield();
      continue;
    }
    if (policy == backend::WaitPolicy::kSpin ||
        (policy == backend::WaitPolicy::kDefault && nowNanoseconds() - began < kSpinNanoseconds)) {
      relaxCpu();
      continue;
    }
    if (device().quirks().has(Quirk::kNoCallbacks)) {
      const uint64_t waited = static_cast<uint64_t>(nowNanoseconds() - began);
      if (policy == backend::WaitPolicy::kDefault && waited < kYieldNanoseconds) {
        sched_yield();
      } else {
        (void)futexWait(&never, 0, atMost(std::clamp<uint64_t>(waited / 8, kNapNanoseconds, kLongNapNanoseconds)));
      }
      continue;
    }
    Ref<WakeTrigger> trigger = Ref<WakeTrigger>::adopt(new (std::nothrow) WakeTrigger);
    cl_event event = trigger ? markerBehind(serial) : nullptr;
    if (event == nullptr) {
      if (completed() < serial) (void)futexWait(&never, 0, atMost(kNapNanoseconds));
      continue;
    }
    const bool told = whenOver(device(), event, trigger).ok();
    (void)RT_CL_PLAIN(clReleaseEvent, event);
    (void)futexWait(trigger->word(), 0, atMost(told ? kLookNanoseconds : kNapNanoseconds));
  }
  return true;
}

}  // namespace manyrt::opencl
