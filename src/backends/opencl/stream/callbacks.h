// Being told when a cl_event is over. Drivers call on a thread of theirs, in the middle of their work, or not at all. So what
// they call only hands over and makes no OpenCL call, and the event is looked at once more after the registration. Where a
// driver's callbacks cannot be counted on, a thread of the library looks instead.
#pragma once

#include <atomic>

#include "backends/opencl/declarations.h"
#include "base/host_threads.h"
#include "base/ref.h"
#include "base/status.h"

namespace manyrt::opencl {

class Device;

class Trigger : public RefCounted {
 public:
  // Once, on whatever thread: wakes or queues something. No OpenCL call, nothing that blocks.
  virtual void fired() = 0;
  void fire() {
    // acq_rel: one of the two fires, after what the other has done.
    // The driver's callback and a look of the library may both find the event over.
    if (!claimed_.exchange(true, std::memory_order_acq_rel)) fired();
  }

 private:
  std::atomic<bool> claimed_{false};
};

// Queues a job for a thread of the library. The job keeps itself.
class JobTrigger final : public Trigger {
 public:
  explicit JobTrigger(host_threads::Job* job) : job_(job) {}
  void fired() override { host_threads::submit(job_); }

 private:
  host_threads::Job* const job_;
};

// Wakes the threads that sleep on its word.
class WakeTrigger final : public Trigger {
 public:
  void fired() override;
  std::atomic<uint32_t>* word() { return &word_; }  // 0 until it is fired

 private:
  std::atomic<uint32_t> word_{0};
};

// Whether the work of an event has ended, well or badly: `status` is CL_COMPLETE or an error.
bool isOver(cl_event event, Error* status);

// Fires the trigger once the event is over. The event's queue has been flushed. Fails only for want of memory: then never.
Status whenOver(Device& device, cl_event event, Ref<Trigger> trigger);

}  // namespace manyrt::opencl
