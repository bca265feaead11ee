// Making points, asking their events, and points that are given out and borrowed.
#include "backends/opencl/stream/point.h"

#include <memory>
#include <new>
#include <typeinfo>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"

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

Device& Point::device() const { return pool_->device(); }

int64_t Point::endTime() const {
  if (!timed_) return 0;
  cl_ulong nanoseconds = 0;
  const Error error =
      RT_CL_PLAIN(clGetEventProfilingInfo, event_, CL_PROFILING_COMMAND_END, sizeof nanoseconds, &nanoseconds, nullptr);
  if (error != CL_SUCCESS) return 0;
  // 24 MHz: a tick is 125/3 nanoseconds.
  const bool ticks = pool_->device().quirks().has(Quirk::kTimesAreTicks);
  return static_cast<int64_t>(ticks ? nanoseconds * 125 / 3 : nanoseconds);
}

bool Point::ask(Status* status, int64_t* nanoseconds) {
  Device& device = pool_->device();
  Error over = CL_COMPLETE;
  // A lost device answers nothing: its points are all over, with its failure. Asked twice: the device may be lost between the
  // two, and then its answer is no answer.
  if (!device.isLost() && !isOver(event_, &over)) return false;
  if (device.isLost()) {
    *status = device.lost();
  } else if (over < 0) {
    *status = device.failed("A command of a stream", over);
  } else {
    *status = recordedStatus();
    *nanoseconds = endTime();
  }
  return true;
}

Status Point::hostTime(int64_t* nanoseconds_of_host, int64_t* error) const {
  return pool_->device().timeline().hostTime(nanoseconds_of_host, error, nanoseconds());
}

bool Point::tellWhenReached() {
  Ref<Trigger> trigger = Ref<Trigger>::adopt(new (std::nothrow) JobTrigger(this));
  if (!trigger) return false;
  retain();  // the job's
  if (whenOver(pool_->device(), event_, std::move(trigger)).ok()) return true;
  drop();
  return false;
}

void Point::recycle() {
  // Moved out first: give() may delete this point.
  const Ref<PointPool> pool = std::move(pool_);
  pool->give(this);
}

// ---- The pool ----

Status PointPool::createPoint(Ref<backend::Point>* out, bool timed) {
  auto* point = static_cast<Point*>(free_.take());
  if (point != nullptr) {
    point->revive();
  } else {
    if (fault::fails("opencl.point")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for an event's point.");
    point = new Point;
    free_.countMade();
  }
  // Set at each use: the list has points of both kinds, since times belong to the queue here.
  point->timed_ = timed;
  point->imported_ = false;
  point->pool_ = Ref<PointPool>(this);
  *out = Ref<backend::Point>::adopt(point);
  return Status();
}

void PointPool::nativePoint(Point& point, uint64_t out[2]) {
  cl_event event = point.recordedEvent();
  out[0] = reinterpret_cast<uintptr_t>(event);
  out[1] = 0;
  if (event != nullptr) return;
  std::lock_guard lock(mutex_);
  // Until it is recorded there is no cl_event to give out, so the program gets the address of the point. May throw, before the
  // point has changed.
  exported_.insert(&point);
  point.exported_ = true;
  out[0] = reinterpret_cast<uintptr_t>(&point);
  out[1] = kNoEventYet;
}

Status PointPool::importPoint(Ref<backend::Point>* out, const uint64_t native[2]) {
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
  // A driver that checks its handles refuses a wrong one here.
  RT_CL_TRY(clGetEventInfo, event, CL_EVENT_CONTEXT, sizeof theirs, &theirs, nullptr);
  if (own != theirs)
    return Status::error(RT_ERROR_NOT_FOUND, "The cl_event belongs to another cl_context than that of the device.");
  Ref<backend::Point> made;
  RT_TRY(createPoint(&made, true));
  // The program may release its event while the point is waited for.
  RT_CL_TRY(clRetainEvent, event);
  static_cast<Point&>(*made).imported_ = true;
  static_cast<Point&>(*made).recorded(event, Status());
  *out = std::move(made);
  return Status();
}

void PointPool::give(Point* point) {
  if (point->exported_) {
    std::lock_guard lock(mutex_);
    exported_.erase(point);
    point->exported_ = false;
  }
  // Each record of OpenCL makes an event of its own, so none is recorded in place.
  if (point->event_ != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, point->event_);
  point->event_ = nullptr;
  if (!free_.give(point)) delete point;
}

}  // namespace manyrt::opencl
