// Making, recording and passing points, and telling those who wait on the host.
#include "backends/opencl/event_manager.h"

#include <memory>
#include <new>
#include <typeinfo>

#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"
#include "base/lock_order.h"
#include "base/os/futex.h"

namespace manyrt::opencl {

namespace {
constexpr uint64_t kNoEventYet = 1;  // the second number of a point without a cl_event: the first one is the library's own
}

// ---- Points ----

const Point* Point::of(const backend::Point& point, const Device& device) {
  if (typeid(point) != typeid(Point)) return nullptr;
  const auto& own = static_cast<const Point&>(point);
  return &own.device() == &device ? &own : nullptr;
}

Device& Point::device() const { return manager_->device(); }

bool Point::passOnce(Status status, int64_t nanoseconds) {
  if (passed_.exchange(true, std::memory_order_acq_rel)) return false;
  complete(std::move(status), nanoseconds);
  return true;
}

void Point::recorded(cl_event event, Status status) {
  event_ = event;
  recorded_status_ = std::move(status);
  recorded_.store(true, std::memory_order_seq_cst);  // before the look below
  if (notified_.load(std::memory_order_seq_cst)) notify();
}

int64_t Point::endTime() const {
  if (!timed_) return 0;
  cl_ulong nanoseconds = 0;
  const Error error =
      RT_CL_PLAIN(clGetEventProfilingInfo, event_, CL_PROFILING_COMMAND_END, sizeof nanoseconds, &nanoseconds, nullptr);
  if (error != CL_SUCCESS) return 0;
  const bool ticks = manager_->device().quirks().has(Quirk::kTimesAreTicks);
  return static_cast<int64_t>(ticks ? nanoseconds * 125 / 3 : nanoseconds);
}

bool Point::poll() {
  if (done()) return true;
  if (!recorded_.load(std::memory_order_acquire)) return false;
  Device& device = manager_->device();
  Error status = CL_COMPLETE;
  if (!device.isLost() && !isOver(event_, &status)) return false;
  if (device.isLost()) {
    (void)passOnce(device.lost(), 0);
  } else if (status < 0) {
    (void)passOnce(device.failed("A command of a stream", status), 0);
  } else {
    (void)passOnce(recorded_status_, endTime());
  }
  while (!done()) relaxCpu();  // another thread passes it at this moment
  return true;
}

bool Point::wait(Deadline deadline, backend::WaitPolicy policy) {
  lock_order::mayWait("a wait for an event");
  if (poll()) return true;
  return backend::Point::wait(deadline, policy);
}

bool Point::subscribe(backend::Waiter* waiter) {
  if (poll()) return false;
  const Ref<Point> self(this);  // the waiter may be told at any time now, and let go of it
  if (!backend::Point::subscribe(waiter)) return false;
  if (notified_.exchange(true, std::memory_order_seq_cst)) return true;
  // recorded() looks at notified_ after it has set recorded_: at least one of the two sees the other.
  if (recorded_.load(std::memory_order_seq_cst)) notify();
  return true;
}

void Point::notify() {
  if (announced_.exchange(true, std::memory_order_acq_rel)) return;  // by the other one: a job is queued once
  constexpr uint64_t kNapNanoseconds = 50'000;
  retain();
  Ref<Trigger> trigger = Ref<Trigger>::adopt(new (std::nothrow) JobTrigger(this));
  if (trigger && whenOver(manager_->device(), event_, std::move(trigger)).ok()) return;
  std::atomic<uint32_t> never{0};  // without memory for more this thread waits
  while (!poll()) (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
  drop();
}

void Point::run() {
  const Ref<Point> self = Ref<Point>::adopt(this);
  while (!poll()) relaxCpu();
}

void Point::recycle() {
  const Ref<EventManager> manager = std::move(manager_);
  manager->give(this);
}

// ---- The manager ----

EventManager::~EventManager() {
  while (Point* point = free_) {
    free_ = point->next_;
    delete point;
  }
}

Status EventManager::createPoint(Ref<backend::Point>* out, bool timed) {
  lock_.lock();
  Point* point = free_;
  if (point != nullptr) {
    free_ = point->next_;
    --free_count_;
  }
  lock_.unlock();
  if (point == nullptr) {
    if (fault::fails("opencl.point")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for an event's point.");
    point = new Point;
  } else {
    point->reset();
    point->recorded_.store(false, std::memory_order_relaxed);
    point->passed_.store(false, std::memory_order_relaxed);
    point->notified_.store(false, std::memory_order_relaxed);
    point->announced_.store(false, std::memory_order_relaxed);
    point->recorded_status_ = Status();
    point->revive();
  }
  point->timed_ = timed;
  point->imported_ = false;
  point->manager_ = Ref<EventManager>(this);
  *out = Ref<backend::Point>::adopt(point);
  return Status();
}

void EventManager::nativePoint(Point& point, uint64_t out[2]) {
  cl_event event = point.recordedEvent();
  out[0] = reinterpret_cast<uintptr_t>(event);
  out[1] = 0;
  if (event != nullptr) return;
  std::lock_guard lock(mutex_);
  exported_.insert(&point);
  point.exported_ = true;
  out[0] = reinterpret_cast<uintptr_t>(&point);
  out[1] = kNoEventYet;
}

Status EventManager::importPoint(Ref<backend::Point>* out, const uint64_t native[2]) {
  if (native[1] == kNoEventYet) {
    std::lock_guard lock(mutex_);
    auto* point = reinterpret_cast<Point*>(native[0]);  // looked for, before it is followed
    if (exported_.count(point) == 0 || !point->tryRetain()) {
      return Status::error(RT_ERROR_NOT_FOUND, "0x%llx is no event that waits for its record.",
                           static_cast<unsigned long long>(native[0]));
    }
    *out = Ref<backend::Point>::adopt(point);
    return Status();
  }
  auto event = reinterpret_cast<cl_event>(native[0]);
  cl_context own, theirs = nullptr;
  RT_TRY(device_.context(&own));
  RT_CL_TRY(clGetEventInfo, event, CL_EVENT_CONTEXT, sizeof theirs, &theirs, nullptr);
  if (own != theirs)
    return Status::error(RT_ERROR_NOT_FOUND, "The cl_event belongs to another cl_context than that of the device.");
  Ref<backend::Point> made;
  RT_TRY(createPoint(&made, true));
  RT_CL_TRY(clRetainEvent, event);
  static_cast<Point&>(*made).imported_ = true;
  static_cast<Point&>(*made).recorded(event, Status());
  *out = std::move(made);
  return Status();
}

void EventManager::give(Point* point) {
  if (point->exported_) {
    std::lock_guard lock(mutex_);
    exported_.erase(point);
    point->exported_ = false;
  }
  if (point->event_ != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, point->event_);
  point->event_ = nullptr;
  lock_.lock();
  const bool kept = free_count_ < kMostFree;
  if (kept) {
    point->next_ = free_;
    free_ = point;
    ++free_count_;
  }
  lock_.unlock();
  if (!kept) delete point;
}

}  // namespace manyrt::opencl
