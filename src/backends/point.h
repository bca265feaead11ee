// A place in a stream, or a value of a fence, that is passed once. Events hold points, streams of any backend wait for them,
// and blocked threads sleep on them. Backends derive from it; managers and ops keep Refs. It carries the failure of the
// stream that passed it, so that waiters inherit the cause.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/lock_order.h"
#include "base/ref.h"
#include "base/spin_lock.h"
#include "base/status.h"

namespace manyrt::backend {

class Point;

// Told once when a point is passed, on the thread that passes it. It may wake or queue something, but never block or run a
// program's code. Intrusive: the thread or the stream that waits owns it.
class Waiter {
 public:
  // May come under the locks of a driver's stream: kDriverMarkers, where a look finds a marker passed, or kDriverStream, where
  // a record ends at once. Their callers may hold a lock as well: of a graph exec, an event, a pool, a context's resources or a
  // region's uses. So it takes only locks of ranks after kDriverStream.
  virtual void passed(Point& point) = 0;

 protected:
  ~Waiter() = default;

 private:
  friend class Point;
  Waiter* next_ = nullptr;
};

enum class WaitPolicy { kDefault, kSpin, kYield, kBlock };

class Point : public RefCounted {
 public:
  // Acquire pairs with the release in complete(): status and time are there.
  bool done() const { return done_.load(std::memory_order_acquire); }
  // These only once done.
  const Status& status() const { return status_; }
  int64_t nanoseconds() const { return nanoseconds_; }  // the device's clock; 0 where untimed
  // Since a point of the same device, both timed: cudaEventElapsedTime measures between two events, and only so.
  virtual int64_t nanosecondsSince(const Point& start) const { return nanoseconds_ - start.nanoseconds_; }

  // The same on the host's clock, of a timed point that is done. It is wrong by at most `error`. A device's clock is looked at
  // where that was long ago, for up to 0.2 s: outside of guards. NOT_SUPPORTED: the driver gives no times; BUSY: the device has
  // too much to do.
  virtual Status hostTime(int64_t* nanoseconds, int64_t* error) const {
    *nanoseconds = nanoseconds_;  // of a backend whose clock is the host's
    *error = 0;
    return Status();
  }

  // Asks the driver where that is needed; does not run work.
  virtual bool poll() { return done(); }
  // Blocks; may run the stream's work on the calling thread. False when the deadline passed first.
  virtual bool wait(Deadline deadline, WaitPolicy policy);
  // False: already passed, the waiter was not kept and is not told.
  virtual bool subscribe(Waiter* waiter);
  // False: the waiter has been told or is being told now.
  bool unsubscribe(Waiter* waiter);
  // Exactly once. Tells every waiter.
  void complete(Status status, int64_t nanoseconds);

 protected:
  void reset();  // of a recycled point without references

 private:
  std::atomic<bool> done_{false};
  Ranked<SpinLock, LockRank::kPoint> lock_;
  Waiter* waiters_ = nullptr;
  Status status_;
  int64_t nanoseconds_ = 0;
};

}  // namespace manyrt::backend
