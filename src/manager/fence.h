// Fences: a value that only grows, and the points of the waits for it. A fence belongs to no driver: streams of any backend
// wait for its points, and signal it by a task.
#pragma once

#include <cstdint>

#include "base/lock_order.h"
#include "manager/child.h"
#include "manager/recorder.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Fence : Child {
  Fence(Context& owner_context, uint64_t first) : Child(owner_context, nullptr, true), value(first) {}
  ~Fence() { close(); }

  // A point that is passed when the value reaches `until`; null: it has. If the stream that should signal `until` has failed,
  // the point is passed with its failure. Fails if the fence is closed. Throws bad_alloc.
  Status waitPoint(Ref<backend::Point>* point, uint64_t until);
  void forget(backend::Point& point);           // ends the wait of a thread that gave up
  Status signal(uint64_t to);                   // INVALID_VALUE below the present value
  void fail(uint64_t to, const Status& cause);  // the stream that was to signal `to` has failed
  size_t waiting();                             // points that are neither completed nor given up
  void close();                                 // fails all waits

  // Stored with release under lock_, so relaxed there. Acquire loads without the lock pair with it: the signaller's earlier
  // work is visible.
  std::atomic<uint64_t> value;
  // Exchanged with acq_rel by the capture that names the fence, and by its end. Others only ask whether there is one.
  std::atomic<Recorder*> recorder{nullptr};  // a capture that names it, until that ends

 private:
  struct Wait final : backend::Point {
    uint64_t until = 0;
    Wait* next = nullptr;
  };
  // Unlinks the waits up to a value, under the lock. The caller completes them without it.
  Wait* take(uint64_t to);
  static void completeAll(Wait* waits, const Status& status);

  Ranked<SpinLock, LockRank::kFence> lock_;
  bool closed_ = false;
  Wait* waits_ = nullptr;  // one reference each
  uint64_t failed_to_ = 0;
  Status failure_;
};

Status createFence(Fence** fence, Context& context, uint64_t value);

}  // namespace manyrt::manager
