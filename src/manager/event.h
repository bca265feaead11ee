// Events: the point that the last record made. Waits already submitted hold the point itself, so that recording again
// does not disturb them.
#pragma once

#include <mutex>

#include "base/lock_order.h"
#include "base/mutex.h"
#include "manager/child.h"
#include "manager/recorder.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Event : Child {
  Event(Context& owner_context, Ref<allocator::ContextResources> native_owner, bool with_time)
      : Child(owner_context, std::move(native_owner), true), timed(with_time) {}

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
  Ranked<Mutex, LockRank::kEvent> lock;  // held across the driver's call where a point is recorded anew in place
  Ref<backend::Point> last;
  // The stream of the last record: waiting for it inside one of its host functions would never end. Compared, not used.
  std::atomic<backend::Stream*> recorded_on{nullptr};
  std::atomic<bool> captured{false};         // last recorded in a capture
  std::atomic<Recorder*> recorder{nullptr};  // the capture, until it ends; read under a guard
};

Status createEvent(Event** event, Context& context, allocator::ContextResources& owner, bool timed);

}  // namespace manyrt::manager
