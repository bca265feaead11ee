// A point of a driver. Once recorded, it is a place in a native stream. Before that, after a host function for example,
// threads and streams that wait for it wait on the host. Contexts make points, and reuse those that have no reference left.
#pragma once

#include <atomic>
#include <cstdint>

#include "backends/backend.h"
#include "backends/point.h"
#include "base/host_threads.h"
#include "base/lock_order.h"

namespace manyrt::driver {

class Point : public backend::Point, protected host_threads::Job {
 public:
  bool poll() final;
  bool wait(Deadline deadline, backend::WaitPolicy policy) final;
  bool subscribe(backend::Waiter* waiter) final;

  // By the stream that carries it, once: the native event stands; `status` is what the stream had come to.
  void recorded(Status status);
  // Instead: it could not be recorded.
  void fail(Status status) { (void)passOnce(std::move(status), 0); }
  // Acquire pairs with recorded(): the native event and recordedStatus() are there.
  bool isRecorded() const { return recorded_.load(std::memory_order_acquire); }
  const Status& recordedStatus() const { return recorded_status_; }  // once recorded

 protected:
  // Passes the point; false: it was passed before.
  bool passOnce(Status status, int64_t nanoseconds);
  // Prepares the point for its next record. The caller holds the only reference.
  void renew();
  // The same for one that stays recorded, as it is recorded anew in place. Relaxed stores are enough: the caller holds the only
  // reference, and publishes the point when it gives it to another thread. A fence would cost too much here (benchmark P2).
  void renewInPlace() {
    reset();
    passed_.store(false, std::memory_order_relaxed);
    awaited_.store(false, std::memory_order_relaxed);
    telling_.store(false, std::memory_order_relaxed);
    if (!recorded_status_.ok()) [[unlikely]]
      recorded_status_ = Status();
  }
  void setRecordedStatus(Status status) { recorded_status_ = std::move(status); }

  // ---- What a driver writes ----
  // Of a recorded point: whether the device has come to it, without waiting. Then `status` is what it is passed with, and
  // `nanoseconds` its time.
  virtual bool ask(Status* status, int64_t* nanoseconds) = 0;
  // Recorded points only: waits in the driver until the device has come to it, and it may be passed with what was recorded.
  // False: the caller has to find another way.
  virtual bool sleep(int64_t*) { return false; }
  // Recorded points only: arranges that it is passed when the device comes to it. The driver calls passOnce, or queues this
  // job, which takes a reference over. False: a thread of the library waits.
  virtual bool tellWhenReached() { return false; }

  void run() override;  // takes a reference over: waits until it is passed, or finds it reached

 private:
  friend class FreePoints;
  void tell();
  bool sleepAndPass();

  std::atomic<bool> recorded_{false};
  std::atomic<bool> passed_{false};
  std::atomic<bool> awaited_{false};  // it has had a waiter
  std::atomic<bool> telling_{false};  // a notification by the driver or by a thread of the library is under way
  Status recorded_status_;
  Point* next_ = nullptr;  // among the free ones
};

// Points without references, kept for the next record.
class FreePoints {
 public:
  ~FreePoints();     // deletes what is left
  Point* take();     // as new but for its references; null: there is none
  void countMade();  // one that the caller has made, since there was none
  // False: there are enough, the caller keeps it.
  bool give(Point* point);
  backend::Counts counts();

 private:
  static constexpr uint32_t kMaxFree = 1024;
  Ranked<SpinLock, LockRank::kDriverFreePoints> lock_;
  Point* first_ = nullptr;
  uint32_t count_ = 0;
  uint64_t taken_ = 0, made_ = 0, given_ = 0, refused_ = 0;  // under the lock, so far
};

}  // namespace manyrt::driver
