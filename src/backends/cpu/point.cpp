// Handing out and taking back points, and waiting for one by running its stream.
#include "backends/cpu/point.h"

#include <memory>
#include <new>

#include "base/fault.h"
#include "base/lock_order.h"
#include "base/trace.h"

namespace manyrt::cpu {

bool Point::wait(Deadline deadline, backend::WaitPolicy policy) {
  lock_order::mayWait("a wait for an event");
  const trace::Wait waiting;
  if (done()) return true;
  uint64_t serial = 0;
  if (!deadline.isPoll()) {
    // Waiting for the stream lets this thread run it. Inside a task of that stream it would wait for itself, so it sleeps.
    if (Ref<Stream> stream = source(&serial); stream && !stream->isInsideTask()) {
      // The point is passed by the stream itself, so that the wait below mostly returns at once.
      if (!stream->wait(serial, deadline)) return done();
    }
  }
  return backend::Point::wait(deadline, policy);
}

void Point::expect(Ref<Stream> source, uint64_t serial) {
  // Swapped: the old reference goes with the argument, outside the spin lock. It may be the stream's last.
  source_lock_.lock();
  std::swap(source_, source);
  serial_ = serial;
  source_lock_.unlock();
}

Ref<Stream> Point::source(uint64_t* serial) {
  source_lock_.lock();
  Ref<Stream> stream = source_;
  *serial = serial_;
  source_lock_.unlock();
  return stream;
}

void Point::pass(Status status) {
  expect(nullptr, 0);  // no thread has to run the stream for it any more
  complete(std::move(status), timed_ ? nowNanoseconds() : 0);
}

void Point::recycle() {
  expect(nullptr, 0);                      // of a point that was never passed
  Ref<PointPool> pool = std::move(pool_);  // perhaps the last one: then this point is deleted with it, at the end of this call
  pool->give(this);
}

PointPool::~PointPool() {
  for (Point* point : all_) delete point;
}

Status PointPool::create(Ref<backend::Point>* out, bool timed) {
  if (fault::fails("cpu.point")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for an event's point.");
  lock_.lock();
  // A spin lock for the list, and a mutex only for the set: the common case allocates nothing.
  Point* point = free_;
  if (point != nullptr) {
    free_ = point->next_;
    --free_count_;
    ++recycled_;
  }
  lock_.unlock();
  if (point != nullptr) {
    // find() may look at the point at any time, but its tryRetain() fails until revive(). So reset() needs no lock.
    point->reset();
    point->revive();
  } else {
    std::unique_ptr<Point> fresh(new Point);
    std::lock_guard lock(all_mutex_);
    all_.insert(fresh.get());
    ++made_;
    point = fresh.release();
  }
  point->pool_ = Ref<PointPool>(this);
  point->timed_ = timed;
  *out = Ref<backend::Point>::adopt(point);
  return Status();
}

void PointPool::give(Point* point) {
  lock_.lock();
  ++given_;
  bool kept = free_count_ < kMaxFree;
  if (kept) {
    point->next_ = free_;
    free_ = point;
    ++free_count_;
  }
  lock_.unlock();
  if (kept) return;
  {
    std::lock_guard lock(all_mutex_);
    all_.erase(point);
  }
  delete point;
}

backend::Counts PointPool::counts() {
  backend::Counts counts;
  lock_.lock();
  counts.recycled = recycled_;
  counts.live = recycled_ - given_;  // with those below
  lock_.unlock();
  std::lock_guard lock(all_mutex_);
  counts.created = made_ + counts.recycled;
  counts.live += made_;
  // Two locks one after the other: what other threads do in between makes the figures differ by as much.
  counts.native = all_.size();
  return counts;
}

Ref<backend::Point> PointPool::find(uint64_t address) {
  std::lock_guard lock(all_mutex_);
  // Compared, not followed: the address may be anything. A point leaves the set, under this mutex, before it is deleted.
  auto found = all_.find(reinterpret_cast<Point*>(address));
  if (found == all_.end() || !(*found)->tryRetain()) return nullptr;
  return Ref<backend::Point>::adopt(*found);
}

}  // namespace manyrt::cpu
