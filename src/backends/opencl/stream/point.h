// Points of OpenCL: the cl_event of a marker, taken when a stream records.
#pragma once

#include <mutex>
#include <unordered_set>

#include "backends/backend.h"
#include "backends/driver/point.h"
#include "backends/opencl/stream/callbacks.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class PointPool;
class Device;

class Point final : public driver::Point {
 public:
  // A point as one of this device; null: it is none.
  static const Point* of(const backend::Point& point, const Device& device);

  // By the stream that carries it, once: takes the marker's event, whose queue was flushed.
  void recorded(cl_event event, Status status) {
    event_ = event;
    driver::Point::recorded(std::move(status));
  }
  Status hostTime(int64_t* nanoseconds, int64_t* error) const override;
  // Null until it is recorded. A stream of the same device waits for it there.
  cl_event recordedEvent() const { return isRecorded() ? event_ : nullptr; }
  Device& device() const;
  bool timed() const { return timed_; }
  bool imported() const { return imported_; }  // of commands that the library does not know

 private:
  friend class PointPool;
  bool ask(Status* status, int64_t* nanoseconds) override;
  bool tellWhenReached() override;
  void recycle() override;
  int64_t endTime() const;

  Ref<PointPool> pool_;       // while in use
  cl_event event_ = nullptr;  // owned
  bool timed_ = false;
  bool imported_ = false;
  bool exported_ = false;  // imports find it by its address
};

// Outlives its context where an event is kept.
class PointPool final : public RefCounted {
 public:
  PointPool(Device& device, backend::WaitPolicy policy) : device_(device), policy_(policy) {}

  Status createPoint(Ref<backend::Point>* point, bool timed);
  // A cl_event of this device's context, or what nativePoint gave for a point that has none yet.
  Status importPoint(Ref<backend::Point>* point, const uint64_t native[2]);
  void nativePoint(Point& point, uint64_t out[2]);
  backend::Counts counts() { return free_.counts(); }

  Device& device() const { return device_; }
  backend::WaitPolicy policy() const { return policy_; }

 private:
  friend class Point;
  void give(Point* point);

  Device& device_;
  const backend::WaitPolicy policy_;
  driver::FreePoints free_;
  Ranked<std::mutex, LockRank::kClEvents> mutex_;
  std::unordered_set<Point*> exported_;
};

}  // namespace manyrt::opencl
