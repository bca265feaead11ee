// Recording and passing points, telling threads and streams that wait on the host, and the list of free points.
#include "backends/driver/point.h"

#include "base/os/futex.h"
#include "base/trace.h"

namespace manyrt::driver {

bool Point::passOnce(Status status, int64_t nanoseconds) {
  // Several threads may find the point reached; the exchange lets one complete it. complete() publishes the status itself.
  if (passed_.exchange(true, std::memory_order_acq_rel)) return false;
  complete(std::move(status), nanoseconds);
  return true;
}

void Point::renew() {
  recorded_.store(false, std::memory_order_relaxed);  // no other reference: handing the point out publishes this
  renewInPlace();
}

// recorded() sets recorded_ and then looks at awaited_; subscribe() sets awaited_ and then looks at recorded_. All four are
// sequentially consistent, so at least one of the two sees the other, and telling_ lets one of them act.
void Point::recorded(Status status) {
  recorded_status_ = std::move(status);
  recorded_.store(true, std::memory_order_seq_cst);
  if (awaited_.load(std::memory_order_seq_cst)) tell();
}

bool Point::subscribe(backend::Waiter* waiter) {
  if (poll()) return false;
  const Ref<Point> self(this);  // the waiter may be told at any time now, and let go of it
  if (!backend::Point::subscribe(waiter)) return false;
  if (awaited_.exchange(true, std::memory_order_seq_cst)) return true;
  if (recorded_.load(std::memory_order_seq_cst)) tell();
  return true;
}

void Point::tell() {
  if (telling_.exchange(true, std::memory_order_acq_rel)) return;  // recorded() and subscribe() may both come here
  if (tellWhenReached()) return;
  retain();
  host_threads::submit(this);
}

void Point::run() {
  constexpr int kSpins = 200;
  constexpr uint64_t kNapNanoseconds = 50'000;
  const Ref<Point> self = Ref<Point>::adopt(this);  // the job's reference
  std::atomic<uint32_t> never{0};
  for (int spins = 0; !poll(); ++spins) {
    if (spins < kSpins) {
      relaxCpu();
    } else if (!sleepAndPass()) {
      (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
    }
  }
}

bool Point::poll() {
  if (done()) return true;
  if (!isRecorded()) return false;
  Status status;
  int64_t nanoseconds = 0;
  if (!ask(&status, &nanoseconds)) return false;
  (void)passOnce(std::move(status), nanoseconds);
  while (!done()) relaxCpu();  // another thread passes it at this moment
  return true;
}

bool Point::sleepAndPass() {
  int64_t nanoseconds = 0;
  if (!sleep(&nanoseconds)) return false;
  (void)passOnce(recorded_status_, nanoseconds);
  while (!done()) relaxCpu();  // as in poll()
  return true;
}

bool Point::wait(Deadline deadline, backend::WaitPolicy policy) {
  lock_order::mayWait("a wait for an event");
  const trace::Wait waiting;
  if (poll()) return true;
  const bool plain = policy == backend::WaitPolicy::kDefault || policy == backend::WaitPolicy::kBlock;
  if (plain && deadline.isNever() && isRecorded() && sleepAndPass()) return true;
  return backend::Point::wait(deadline, policy);
}

// ---- Free points ----

FreePoints::~FreePoints() {
  while (Point* point = first_) {
    first_ = point->next_;
    delete point;
  }
}

Point* FreePoints::take() {
  lock_.lock();
  Point* point = first_;
  if (point != nullptr) {
    first_ = point->next_;
    --count_;
    ++taken_;
  }
  lock_.unlock();
  if (point != nullptr) point->renew();
  return point;
}

bool FreePoints::give(Point* point) {
  lock_.lock();
  const bool kept = count_ < kMaxFree;
  ++(kept ? given_ : refused_);
  if (kept) {
    point->next_ = first_;
    first_ = point;
    ++count_;
  }
  lock_.unlock();
  return kept;
}

void FreePoints::countMade() {
  lock_.lock();
  ++made_;
  lock_.unlock();
}

backend::Counts FreePoints::counts() {
  lock_.lock();
  const backend::Counts counts = {made_ + taken_, taken_, made_ + taken_ - given_ - refused_, made_ - refused_};
  lock_.unlock();
  return counts;
}

}  // namespace manyrt::driver
