// Events: the point of the last record. A wait that was submitted holds the point itself, so that a later record does not
// disturb it.
#pragma once

#include <mutex>

#include "base/lock_order.h"
#include "base/mutex.h"
#include "manager/child.h"
#include "manager/recorder.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Event : Child {
  Event(Context& owner_context, Ref<allocator::ContextResources> context_resources, bool with_time)
      : Child(owner_context, std::move(context_resources), true), timed(with_time) {}

  Ref<backend::Point> point() {  // null: never recorded
    std::lock_guard guard(lock);
    return last;
  }
  void setPoint(Ref<backend::Point> recorded) {
    {
      std::lock_guard guard(lock);
      std::swap(last, recorded);
    }
  }  // the earlier point is dropped outside the lock

  const bool timed;
  Ranked<Mutex, LockRank::kEvent> lock;  // held across the call of a driver that records the point again in place
  Ref<backend::Point> last;
  // Relaxed: `recorded_on` carries no data.
  // The stream of the last record, compared and never dereferenced: a wait inside one of its host functions would never end.
  std::atomic<backend::Stream*> recorded_on{nullptr};
  // Session::record() stores `recorder` and then `captured`, both with release. Acquire loads of `captured` pair with it, so
  // that a caller which finds true finds the recorder, too.
  std::atomic<bool> captured{false};         // last recorded in a capture
  std::atomic<Recorder*> recorder{nullptr};  // the capture, until it ends; read under a guard
};

Status createEvent(Event** event, Context& context, allocator::ContextResources& resources, bool timed);

}  // namespace manyrt::manager
