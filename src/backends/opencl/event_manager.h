// Points of OpenCL: the cl_event of a marker, taken when a stream records. Before that, behind a host function say, there is no
// native event, and whoever waits for the point waits on the host.
#pragma once

#include <mutex>
#include <unordered_set>

#include "backends/backend.h"
#include "backends/opencl/callbacks.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class EventManager;
class Device;

class Point final : public backend::Point, private host_threads::Job {
 public:
  // A point as one of this device; null: it is none.
  static const Point* of(const backend::Point& point, const Device& device);

  bool poll() override;
  bool wait(Deadline deadline, backend::WaitPolicy policy) override;
  bool subscribe(backend::Waiter* waiter) override;

  // By the stream that carries it, once: takes the marker's event, whose queue was flushed; `status` is what the stream had
  // come to.
  void recorded(cl_event event, Status status);
  // Instead: it could not be recorded.
  void fail(Status status) { (void)passOnce(std::move(status), 0); }
  // Null until it is recorded. What a stream of the same device waits for there.
  cl_event recordedEvent() const { return recorded_.load(std::memory_order_acquire) ? event_ : nullptr; }
  const Status& recordedStatus() const { return recorded_status_; }  // once recorded
  Device& device() const;
  bool timed() const { return timed_; }
  bool imported() const { return imported_; }  // of commands that the library does not know

 private:
  friend class EventManager;
  void recycle() override;
  bool passOnce(Status status, int64_t nanoseconds);
  int64_t endTime() const;
  void notify();
  void run() override;  // the trigger has fired

  Ref<EventManager> manager_;  // while in use
  cl_event event_ = nullptr;   // owned
  bool timed_ = false;
  bool imported_ = false;
  bool exported_ = false;  // imports find it by its address
  std::atomic<bool> recorded_{false};
  std::atomic<bool> passed_{false};
  std::atomic<bool> notified_{false};   // somebody is to be told when it is passed
  std::atomic<bool> announced_{false};  // what tells them is on its way
  Status recorded_status_;
  Point* next_ = nullptr;  // among the free ones
};

// Outlives its context where an event is kept.
class EventManager final : public RefCounted {
 public:
  EventManager(Device& device, backend::WaitPolicy policy) : device_(device), policy_(policy) {}
  ~EventManager() override;

  Status createPoint(Ref<backend::Point>* point, bool timed);
  // A cl_event of this device's context, or what nativePoint gave for a point that has none yet.
  Status importPoint(Ref<backend::Point>* point, const uint64_t native[2]);
  void nativePoint(Point& point, uint64_t out[2]);

  Device& device() const { return device_; }
  backend::WaitPolicy policy() const { return policy_; }

 private:
  friend class Point;
  void give(Point* point);

  static constexpr uint32_t kMostFree = 1024;
  Device& device_;
  const backend::WaitPolicy policy_;
  Ranked<SpinLock, LockRank::kClFreeEvents> lock_;  // of the free list
  Point* free_ = nullptr;
  uint32_t free_count_ = 0;
  Ranked<std::mutex, LockRank::kClEvents> mutex_;
  std::unordered_set<Point*> exported_;
};

}  // namespace manyrt::opencl
