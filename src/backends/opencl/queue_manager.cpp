// Leasing queues: a free one, else a fresh one, else one that has the fewest leases already.
#include "backends/opencl/queue_manager.h"

#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"

namespace manyrt::opencl {

QueueManager::Entry* QueueManager::find(bool timed, uint32_t most_leases) {
  Entry* best = nullptr;
  for (Entry& each : queues_) {
    if (each.timed == timed && each.leases <= most_leases && (best == nullptr || each.leases < best->leases)) best = &each;
  }
  return best;
}

Status QueueManager::lease(cl_command_queue* queue, bool timed) {
  cl_context context;
  RT_TRY(device_.context(&context));
  {
    std::lock_guard lock(mutex_);
    const bool full = queues_.size() + making_ >= kMostQueues;
    if (Entry* found = find(timed, full ? UINT32_MAX : 0)) {
      ++found->leases;
      *queue = found->queue;
      return Status();
    }
    queues_.reserve(queues_.size() + making_ + 1);  // so that what is made has its place
    ++making_;
  }
  Error error = CL_SUCCESS;
  const cl_command_queue_properties properties = timed ? CL_QUEUE_PROFILING_ENABLE : 0;
  *queue = RT_CL_MAKE(&error, clCreateCommandQueue, context, device_.id(), properties);
  std::lock_guard lock(mutex_);
  --making_;
  if (error != CL_SUCCESS) return failure("clCreateCommandQueue", error);
  queues_.push_back({*queue, 1, timed});
  return Status();
}

void QueueManager::giveBack(cl_command_queue queue) {
  {
    std::lock_guard lock(mutex_);
    size_t free_count = 0;
    size_t at = 0;
    for (size_t i = 0; i < queues_.size(); ++i) {
      if (queues_[i].queue == queue) at = i;
      free_count += queues_[i].leases == 0;
    }
    if (--queues_[at].leases != 0 || (free_count < kMostFree && !device_.isLost())) return;
    queues_.erase(queues_.begin() + static_cast<ptrdiff_t>(at));
  }
  (void)RT_CL_PLAIN(clReleaseCommandQueue, queue);
}

}  // namespace manyrt::opencl
