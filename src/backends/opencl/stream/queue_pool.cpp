// Leasing queues: a free one, else a fresh one, else one that has the fewest leases already.
#include "backends/opencl/stream/queue_pool.h"

#include <algorithm>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"

namespace manyrt::opencl {

QueuePool::Entry& QueuePool::entryOf(cl_command_queue queue) {
  // It is there: a leased queue is never erased.
  return *std::find_if(queues_.begin(), queues_.end(), [&](const Entry& each) { return each.queue == queue; });
}

size_t QueuePool::counted() const {
  return making_ +
         static_cast<size_t>(std::count_if(queues_.begin(), queues_.end(), [](const Entry& each) { return each.stays(); }));
}

QueuePool::Entry* QueuePool::findFree(bool timed) {
  for (Entry& each : queues_) {
    // A queue without leases has no work that matters: its last stream was complete, or belongs to a lost device.
    if (each.timed == timed && each.leases == 0) return &each;
  }
  return nullptr;
}

// One whose streams are all leaving has the fewest: what they have in it is soon over.
QueuePool::Entry* QueuePool::findShared(bool timed) {
  Entry* best = nullptr;
  const auto streams = [](const Entry& each) { return each.leases - each.leaving; };
  for (Entry& each : queues_) {
    // A queue with times serves a stream that wants none. The other way round it does not.
    if ((each.timed || !timed) && (best == nullptr || streams(each) < streams(*best))) best = &each;
  }
  return best;
}

Status QueuePool::lease(cl_command_queue* queue, bool* timed) {
  cl_context context;
  RT_TRY(device_.context(&context));
  cl_command_queue surplus = nullptr;
  {
    std::lock_guard lock(mutex_);
    Entry* found = findFree(*timed);
    if (found == nullptr && counted() >= kMaxQueues) {
      // A free queue of the other kind is worth less than a queue of its own for this stream.
      if (const Entry* other = findFree(!*timed)) {  // makes room
        // Released without the mutex: a driver may finish the queue's work in that call.
        surplus = other->queue;
        queues_.erase(queues_.begin() + (other - queues_.data()));
      } else {
        found = findShared(*timed);  // the first of all that needs times gets a queue beyond the bound
      }
    }
    if (found != nullptr) {
      ++found->leases;
      *queue = found->queue;
      *timed = found->timed;
      return Status();
    }
    queues_.reserve(queues_.size() + making_ + 1);  // so that what is made has its place
    // Made without the lock, but counted: threads that lease at once must not pass the bound together.
    ++making_;
  }
  if (surplus != nullptr) (void)RT_CL_PLAIN(clReleaseCommandQueue, surplus);
  Error error = CL_SUCCESS;
  const cl_command_queue_properties properties = *timed ? CL_QUEUE_PROFILING_ENABLE : 0;
  *queue = RT_CL_MAKE(&error, clCreateCommandQueue, context, device_.id(), properties);
  std::lock_guard lock(mutex_);
  --making_;
  if (error != CL_SUCCESS) return failure("clCreateCommandQueue", error);
  queues_.push_back({*queue, 1, 0, *timed});
  return Status();
}

Status QueuePool::exchange(cl_command_queue* timed, cl_command_queue old) {
  {
    std::lock_guard lock(mutex_);
    // Counted before the lease, so that findShared() takes the stream's old queue for as empty as it soon is.
    ++entryOf(old).leaving;
  }
  bool with_times = true;
  Status status = lease(timed, &with_times);
  if (!status.ok()) {
    std::lock_guard lock(mutex_);
    --entryOf(old).leaving;
  }
  return status;
}

void QueuePool::takeBack(cl_command_queue timed, cl_command_queue old) {
  giveBack(timed);
  std::lock_guard lock(mutex_);
  --entryOf(old).leaving;
}

void QueuePool::giveBack(cl_command_queue queue) { end(queue, false); }
void QueuePool::endOld(cl_command_queue old) { end(old, true); }

void QueuePool::end(cl_command_queue queue, bool leaving) {
  {
    std::lock_guard lock(mutex_);
    Entry& entry = entryOf(queue);
    if (leaving) --entry.leaving;
    if (--entry.leases != 0) return;
    // This one is among them by now.
    const auto free_count = std::count_if(queues_.begin(), queues_.end(), [](const Entry& each) { return each.leases == 0; });
    // A queue of a lost device may not be used again.
    if (static_cast<size_t>(free_count) <= kMaxFree && counted() <= kMaxQueues && !device_.isLost()) return;
    queues_.erase(queues_.begin() + (&entry - queues_.data()));
  }
  (void)RT_CL_PLAIN(clReleaseCommandQueue, queue);
}

}  // namespace manyrt::opencl
