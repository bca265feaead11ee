// Making, recording and passing points of CUDA, and telling those who wait on the host.
#include "backends/cuda/event_manager.h"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <new>

#include "backends/cuda/current.h"
#include "backends/cuda/device_manager.h"
#include "backends/cuda/error.h"
#include "base/lock_order.h"
#include "base/os/futex.h"

namespace manyrt::cuda {

// ---- Points ----

bool Point::passOnce(Status status) {
  if (passed_.exchange(true, std::memory_order_acq_rel)) return false;
  complete(std::move(status), 0);
  return true;
}

void Point::recorded(Status status) {
  recorded_status_ = std::move(status);
  recorded_.store(true, std::memory_order_seq_cst);  // before the look below, whatever the processor would rather do
  // Those who began to wait before: a stream of another backend, a sleeping thread.
  if (notified_.load(std::memory_order_seq_cst)) notify();
}

bool Point::poll() {
  if (done()) return true;
  if (!recorded_.load(std::memory_order_acquire)) return false;
  Device& device = manager_->device();
  const Error error = whateverIsCurrent(manager_->context(), [&] { return table().cuEventQuery(event_); });
  if (error == kNotReady || saysNothing(error)) return false;
  (void)passOnce(error == kSuccess ? recorded_status_ : device.failed("cuEventQuery", error));
  while (!done()) relaxCpu();  // another thread passes it at this moment
  return true;
}

bool Point::wait(Deadline deadline, backend::WaitPolicy policy) {
  lock_order::mayWait("a wait for an event");
  if (poll()) return true;
  const bool plain = policy == backend::WaitPolicy::kDefault || policy == backend::WaitPolicy::kBlock;
  if (plain && deadline.isNever() && recorded_.load(std::memory_order_acquire)) {
    Error error = kSuccess;
    {
      Current current(manager_->context());
      error = RT_CUDA_CALL(cudaEventSynchronize, event_);
    }
    if (error == kSuccess) {
      (void)passOnce(recorded_status_);
      while (!done()) relaxCpu();
      return true;
    }
    (void)manager_->device().failed("cudaEventSynchronize", error);  // asking tells whether it is over
  }
  return backend::Point::wait(deadline, policy);
}

bool Point::subscribe(backend::Waiter* waiter) {
  if (poll()) return false;
  const Ref<Point> self(this);  // the waiter may be told at any time now, and let go of it
  if (!backend::Point::subscribe(waiter)) return false;
  if (notified_.exchange(true, std::memory_order_seq_cst)) return true;
  // recorded() looks at notified_ after it has set recorded_: at least one of the two sees the other. Both: twice is once.
  if (recorded_.load(std::memory_order_seq_cst)) notify();
  return true;
}

void Point::notify() {
  if (manager_->notify(*this).ok()) return;
  if (waited_.exchange(true, std::memory_order_acq_rel)) return;
  retain();
  host_threads::submit(this);
}

void Point::run() {
  constexpr uint64_t kNapNanoseconds = 50'000;
  std::atomic<uint32_t> never{0};
  while (!poll()) {
    Current current(manager_->context());
    if (table().cudaEventSynchronize(event_) != kSuccess) (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
  }
  drop();
}

int64_t Point::nanosecondsSince(const backend::Point& start) const {
  const auto& first = static_cast<const Point&>(start);
  float milliseconds = 0;
  Current current(manager_->context());
  const Error error = RT_CUDA_CALL(cudaEventElapsedTime, &milliseconds, first.event_, event_);
  if (error != kSuccess) {
    (void)manager_->device().failed("cudaEventElapsedTime", error);
    return 0;
  }
  return static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
}

void Point::recycle() {
  Ref<EventManager> manager = std::move(manager_);
  manager->give(this);
}

// ---- Notifications: a stream of ours waits for the event, and then calls ----

class Point::Notification final : public Callback {
 public:
  Notification(Point& point, EventManager& manager, NativeStream stream) : point_(&point), manager_(manager), stream_(stream) {}
  void reached() override {
    (void)point_->passOnce(point_->recorded_status_);
    manager_.giveStream(stream_);
  }
  void lost(const Status& status) override { (void)point_->passOnce(status); }

 private:
  const Ref<Point> point_;  // its manager waits for its callbacks, so it is there as long as this
  EventManager& manager_;
  const NativeStream stream_;
};

Status EventManager::notify(Point& point) {
  Current current(context_);
  NativeStream stream;
  RT_TRY(takeStream(&stream));
  if (const Error error = RT_CUDA_CALL(cuStreamWaitEvent, stream, point.event_, 0); error != kSuccess) {
    giveStream(stream);
    return device_.failed("cuStreamWaitEvent", error);
  }
  std::unique_ptr<Callback> notification(new (std::nothrow) Point::Notification(point, *this, stream));
  Status status = notification == nullptr ? Status::bare(RT_ERROR_OUT_OF_MEMORY) : callbacks_.launch(stream, &notification);
  if (!status.ok()) destroyStream(stream);  // it waits for the event: nobody else's belongs behind that
  return status;
}

Status EventManager::takeStream(NativeStream* stream) {
  {
    std::lock_guard lock(mutex_);
    if (!streams_.empty()) {
      *stream = streams_.back();
      streams_.pop_back();
      return Status();
    }
    try {
      streams_.reserve(++stream_count_);  // so that giving one back, on CUDA's thread, allocates nothing
    } catch (const std::bad_alloc&) {
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
void EventManager::destroyStream(NativeStream stream) {
  if (stream != nullptr) (void)table().cudaStreamDestroy(stream);
  std::lock_guard lock(mutex_);
  --stream_count_;
}

void EventManager::giveStream(NativeStream stream) {
  std::lock_guard lock(mutex_);
  streams_.push_back(stream);
}

// ---- The manager ----

Status EventManager::create(Ref<EventManager>* out, Device& device, NativeContext context, backend::WaitPolicy policy) {
  Ref<EventManager> manager = Ref<EventManager>::adopt(new EventManager(device, context, policy));
  RT_TRY(manager->callbacks_.start(context));
  *out = std::move(manager);
  return Status();
}

EventManager::~EventManager() {
  Current current(context_);
  for (Point*& list : free_) {
    while (Point* point = list) {
      list = point->next_;
      (void)table().cudaEventDestroy(point->event_);
      delete point;
    }
  }
  for (NativeEvent event : events_) (void)table().cudaEventDestroy(event);
  for (NativeStream stream : streams_) (void)table().cudaStreamDestroy(stream);
}

Status EventManager::newEvent(NativeEvent* event, bool timed) {
  const unsigned flags =
      (timed ? kEventDefault : kEventDisableTiming) | (policy_ == backend::WaitPolicy::kBlock ? kEventBlockingSync : 0);
  Current current(context_);
  const Error error = RT_CUDA_CALL(cudaEventCreateWithFlags, event, flags);
  return error == kSuccess ? Status() : device_.failed("cudaEventCreateWithFlags", error);
}

Status EventManager::createPoint(Ref<backend::Point>* out, bool timed) {
  lock_.lock();
  Point* point = free_[timed];
  if (point != nullptr) {
    free_[timed] = point->next_;
    --free_count_[timed];
  }
  lock_.unlock();
  if (point != nullptr) {
    point->reset();
    point->recorded_.store(false, std::memory_order_relaxed);
    point->passed_.store(false, std::memory_order_relaxed);
    point->notified_.store(false, std::memory_order_relaxed);
    point->waited_.store(false, std::memory_order_relaxed);
    point->recorded_status_ = Status();
    point->exported_.store(false, std::memory_order_relaxed);
    point->manager_ = Ref<EventManager>(this);
    point->revive();  // last: an import may find it by its address
  } else {
    if (fault::fails("cuda.point")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for an event's point.");
    NativeEvent event;
    RT_TRY(newEvent(&event, timed));
    point = new (std::nothrow) Point;
    if (point == nullptr) {
      destroyEvent(event);
      return Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
    point->event_ = event;
    point->timed_ = timed;
    point->manager_ = Ref<EventManager>(this);
    try {
      std::lock_guard lock(mutex_);
      points_.emplace(event, point);
    } catch (const std::bad_alloc&) {
      delete point;
      destroyEvent(event);
      return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for an event's point.");
    }
  }
  *out = Ref<backend::Point>::adopt(point);
  return Status();
}

Status EventManager::importPoint(Ref<backend::Point>* out, NativeEvent event) {
  {
    std::lock_guard lock(mutex_);
    if (auto own = points_.find(event); own != points_.end()) {
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
  point->borrowed_ = true;
  point->manager_ = Ref<EventManager>(this);
  *out = Ref<backend::Point>::adopt(point);
  point->recorded(Status());
  return Status();
}

void EventManager::give(Point* point) {
  if (point->borrowed_) {
    delete point;
    return;
  }
  const bool timed = point->timed_;
  // An event that the device has not reached is recorded again by its next user: what waits for it has taken its place.
  lock_.lock();
  const bool kept = free_count_[timed] < kMostFree;
  if (kept) {
    point->next_ = free_[timed];
    free_[timed] = point;
    ++free_count_[timed];
  }
  lock_.unlock();
  if (kept) return;
  // Perhaps on CUDA's thread, where no event can be destroyed: it goes with the manager.
  if (point->last_record_) point->last_record_->clear(point->event_);
  try {
    std::lock_guard lock(mutex_);
    points_.erase(point->event_);
    events_.push_back(point->event_);
  } catch (const std::bad_alloc&) {  // leaked
  }
  delete point;
}

Status EventManager::takeEvent(NativeEvent* event) {
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

void EventManager::giveEvent(NativeEvent event) {
  try {
    std::lock_guard lock(mutex_);
    events_.push_back(event);
  } catch (const std::bad_alloc&) {
    destroyEvent(event);
  }
}

void EventManager::destroyEvent(NativeEvent event) {
  Current current(context_);
  (void)table().cudaEventDestroy(event);
}

}  // namespace manyrt::cuda
