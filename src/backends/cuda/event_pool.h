// The native events of a context: those behind points, those for the library's own use, and the native streams on which
// notifications wait. It outlives its context where an event is kept.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/callbacks.h"
#include "backends/cuda/point.h"
#include "base/lock_order.h"

namespace manyrt::cuda {

class Device;

class EventPool final : public RefCounted {
 public:
  static Status create(Ref<EventPool>* pool, Device& device, NativeContext context, backend::WaitPolicy policy);
  ~EventPool() override;

  Status createPoint(Ref<backend::Point>* point, bool timed);
  Status importPoint(Ref<backend::Point>* point, NativeEvent event);

  // A native event for the library's own use, untimed.
  Status takeEvent(NativeEvent* event);
  void giveEvent(NativeEvent event);

  backend::Counts counts();
  Device& device() const { return device_; }
  NativeContext context() const { return context_; }
  backend::WaitPolicy policy() const { return policy_; }
  Callbacks& callbacks() { return callbacks_; }

 private:
  friend class Point;
  EventPool(Device& device, NativeContext context, backend::WaitPolicy policy)
      : device_(device), context_(context), policy_(policy), callbacks_(device) {}
  Status newEvent(NativeEvent* event, bool timed);
  void give(Point* point);
  Status notify(Point& point);  // passes the point from a callback, when its event is reached; it has not: no callback
  void destroyEvent(NativeEvent event);
  Status takeStream(NativeStream* stream);
  void giveStream(NativeStream stream);
  void destroyStream(NativeStream stream);

  Device& device_;
  const NativeContext context_;
  const backend::WaitPolicy policy_;
  driver::FreePoints free_[2];  // untimed, timed
  Ranked<std::mutex, LockRank::kCudaEvents> mutex_;
  std::unordered_map<NativeEvent, Point*> points_;  // of all our points, in use or free
  std::vector<NativeEvent> events_;                 // free
  std::vector<NativeStream> streams_;               // free: each carries one notification at a time
  size_t stream_count_ = 0;                         // these, and those that carry one
  Callbacks callbacks_;
};

}  // namespace manyrt::cuda
