// Making native events and streams once, and handing them out again.
#include "backends/cuda/event_pool.h"

#include <new>

#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"

namespace manyrt::cuda {

// ---- Streams for notifications ----

Status EventPool::takeStream(NativeStream* stream) {
  {
    std::lock_guard lock(mutex_);
    // A stream that comes back has done its callback, so the next event need not wait for anything.
    if (!streams_.empty()) {
      *stream = streams_.back();
      streams_.pop_back();
      return Status();
    }
    try {
      streams_.reserve(++stream_count_);  // so that giving one back, on CUDA's thread, allocates nothing
    } catch (const std::bad_alloc&) {     // the count has to be undone
      --stream_count_;
      return Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
  }
  const Error error = RT_CUDA_CALL(cudaStreamCreateWithPriority, stream, kStreamNonBlocking, 0);
  if (error == kSuccess) return Status();
  destroyStream(nullptr);
  return device_.failed("cudaStreamCreateWithPriority", error);
}

// Null: one that was to be made.
void EventPool::destroyStream(NativeStream stream) {
  if (stream != nullptr) (void)table().cudaStreamDestroy(stream);
  std::lock_guard lock(mutex_);
  --stream_count_;
}

void EventPool::giveStream(NativeStream stream) {
  std::lock_guard lock(mutex_);
  // There is room: takeStream() has reserved it.
  streams_.push_back(stream);
}

// ---- Points ----

Status EventPool::create(Ref<EventPool>* out, Device& device, NativeContext context, backend::WaitPolicy policy) {
  Ref<EventPool> pool = Ref<EventPool>::adopt(new EventPool(device, context, policy));
  RT_TRY(pool->callbacks_.start(context));
  *out = std::move(pool);
  return Status();
}

// Points in use hold the pool, so that all points are in the lists by now.
EventPool::~EventPool() {
  Current current(context_);
  for (driver::FreePoints& list : free_) {
    while (driver::Point* point = list.take()) {
      (void)table().cudaEventDestroy(static_cast<Point*>(point)->event_);
      delete point;
    }
  }
  for (NativeEvent event : events_) (void)table().cudaEventDestroy(event);
  for (NativeStream stream : streams_) (void)table().cudaStreamDestroy(stream);
}

Status EventPool::newEvent(NativeEvent* event, bool timed) {
  const unsigned flags =
      // An event without times costs the device less, and a wait for it may give the core away where the program asks for that.
      (timed ? kEventDefault : kEventDisableTiming) | (policy_ == backend::WaitPolicy::kBlock ? kEventBlockingSync : 0);
  Current current(context_);
  const Error error = RT_CUDA_CALL(cudaEventCreateWithFlags, event, flags);
  return error == kSuccess ? Status() : device_.failed("cudaEventCreateWithFlags", error);
}

Status EventPool::createPoint(Ref<backend::Point>* out, bool timed) {
  auto* point = static_cast<Point*>(free_[timed].take());
  if (point != nullptr) {
    // Relaxed: revive() releases the point below.
    point->exported_.store(false, std::memory_order_relaxed);
    point->pool_ = Ref<EventPool>(this);
    point->revive();  // last: an import may find it by its address
  } else {
    if (fault::fails("cuda.point")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for an event's point.");
    NativeEvent event;
    RT_TRY(newEvent(&event, timed));
    point = new (std::nothrow) Point;
    // The native event is no part of the point yet.
    if (point == nullptr) {
      destroyEvent(event);
      return Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
    point->event_ = event;
    point->timed_ = timed;
    point->pool_ = Ref<EventPool>(this);
    try {
      std::lock_guard lock(mutex_);
      // By its event, so that a program which imports an event of ours gets its point again.
      points_.emplace(event, point);
    } catch (const std::bad_alloc&) {  // the native event has to be destroyed
      delete point;
      destroyEvent(event);
      return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for an event's point.");
    }
    free_[timed].countMade();
  }
  *out = Ref<backend::Point>::adopt(point);
  return Status();
}

backend::Counts EventPool::counts() {
  backend::Counts all = free_[0].counts();
  const backend::Counts timed = free_[1].counts();
  all.created += timed.created;
  all.recycled += timed.recycled;
  all.live += timed.live;
  all.native += timed.native;
  return all;
}

Status EventPool::importPoint(Ref<backend::Point>* out, NativeEvent event) {
  {
    std::lock_guard lock(mutex_);
    if (auto own = points_.find(event); own != points_.end()) {
      // In the map, but with no reference left: the point is free, or about to be.
      if (!own->second->tryRetain()) return Status::error(RT_ERROR_NOT_FOUND, "The event was destroyed.");
      *out = Ref<backend::Point>::adopt(own->second);
      return Status();
    }
  }
  {
    Current current(context_);
    const Error error = RT_CUDA_CALL(cuEventQuery, event);  // of one that was never recorded: done
    if (error != kSuccess && error != kNotReady) return device_.failed("cuEventQuery", error);
  }
  auto* point = new Point;
  point->event_ = event;
  point->timed_ = true;
  // The owner may record the event again at any time, so a borrowed point is never reused.
  point->borrowed_ = true;
  point->pool_ = Ref<EventPool>(this);
  *out = Ref<backend::Point>::adopt(point);
  point->recorded(Status());
  return Status();
}

void EventPool::give(Point* point) {
  if (point->borrowed_) {
    delete point;
    return;
  }
  // An event that the device has not reached is recorded again by its next user: what waits for it has taken its place.
  if (free_[point->timed_].give(point)) return;
  // Perhaps on CUDA's thread, where no event can be destroyed: it goes with the pool.
  if (point->last_record_) point->last_record_->clear(point->event_);
  try {
    std::lock_guard lock(mutex_);
    points_.erase(point->event_);
    // Out of the map before it is in this list: its next use is not that of a point.
    events_.push_back(point->event_);
  } catch (const std::bad_alloc&) {  // leaked
  }
  delete point;
}

Status EventPool::takeEvent(NativeEvent* event) {
  {
    std::lock_guard lock(mutex_);
    if (!events_.empty()) {
      *event = events_.back();
      events_.pop_back();
      return Status();
    }
  }
  return newEvent(event, false);
}

void EventPool::giveEvent(NativeEvent event) {
  try {
    std::lock_guard lock(mutex_);
    events_.push_back(event);
  } catch (const std::bad_alloc&) {  // called as a point ends: the event is destroyed, not kept
    destroyEvent(event);
  }
}

void EventPool::destroyEvent(NativeEvent event) {
  Current current(context_);
  (void)table().cudaEventDestroy(event);
}

}  // namespace manyrt::cuda
