// The questions that points of CUDA ask the driver, and how they are told.
#include "backends/cuda/point.h"

#include <memory>
#include <new>
#include <typeinfo>

#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/event_pool.h"

namespace manyrt::cuda {

NativeEvent recordedEvent(const backend::Point& point) {
  return typeid(point) == typeid(Point) ? static_cast<const Point&>(point).recordedEvent() : nullptr;
}

bool Point::ask(Status* status, int64_t*) {
  const Error error = whateverIsCurrent(pool_->context(), [&] { return table().cuEventQuery(event_); });
  // An error of the current context says nothing of this event. The next query asks with another one.
  if (error == kNotReady || saysNothing(error)) return false;
  *status = error == kSuccess ? recordedStatus() : pool_->device().failed("cuEventQuery", error);
  return true;
}

bool Point::sleep(int64_t*) {
  Current current(pool_->context());
  const Error error = RT_CUDA_CALL(cudaEventSynchronize, event_);
  if (error != kSuccess) (void)pool_->device().failed("cudaEventSynchronize", error);  // asking tells whether it is over
  return error == kSuccess;
}

bool Point::tellWhenReached() { return pool_->notify(*this).ok(); }

int64_t Point::nanosecondsSince(const backend::Point& start) const {
  const auto& first = static_cast<const Point&>(start);
  float milliseconds = 0;
  Current current(pool_->context());
  const Error error = RT_CUDA_CALL(cudaEventElapsedTime, &milliseconds, first.event_, event_);
  if (error != kSuccess) {
    (void)pool_->device().failed("cudaEventElapsedTime", error);
    return 0;
  }
  return static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
}

Status Point::hostTime(int64_t* nanoseconds, int64_t* error) const {
  Current current(pool_->context());
  return pool_->device().timeline().hostTime(nanoseconds, error, event_);
}

void Point::recycle() {
  // Moved out first: give() may delete this point, and the pool with its last reference.
  Ref<EventPool> pool = std::move(pool_);
  pool->give(this);
}

// ---- Notifications: a stream of the pool waits for the event, and then calls ----

class Point::Notification final : public Callback {
 public:
  Notification(Point& point, EventPool& pool, NativeStream stream) : point_(&point), pool_(pool), stream_(stream) {}
  void reached() override {
    // Once: a poll may have found the event passed at the same moment.
    (void)point_->passOnce(point_->recordedStatus(), 0);
    // On CUDA's thread, where no call of CUDA may be made: the list has room for it already.
    pool_.giveStream(stream_);
  }
  void lost(const Status& status) override { (void)point_->passOnce(status, 0); }

 private:
  const Ref<Point> point_;  // its pool waits for its callbacks, so it is there as long as this
  EventPool& pool_;
  // The stream is this callback's until it has been called.
  const NativeStream stream_;
};

Status EventPool::notify(Point& point) {
  Current current(context_);
  NativeStream stream;
  RT_TRY(takeStream(&stream));
  if (const Error error = RT_CUDA_CALL(cuStreamWaitEvent, stream, point.event_, 0); error != kSuccess) {
    giveStream(stream);
    return device_.failed("cuStreamWaitEvent", error);
  }
  std::unique_ptr<Callback> notification(new (std::nothrow) Point::Notification(point, *this, stream));
  Status status = notification == nullptr ? Status::bare(RT_ERROR_OUT_OF_MEMORY) : callbacks_.launch(stream, &notification);
  if (!status.ok()) destroyStream(stream);  // not back to the pool: the stream waits for the event, as its next user would
  return status;
}

}  // namespace manyrt::cuda
