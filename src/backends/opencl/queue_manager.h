// Native queues of one device: each is leased to one stream alone, comes back with its work done, and is leased again. There
// are only so many of them: the streams beyond share the ones with the fewest leases, which costs them independence and nothing
// else, because what is enqueued never waits for anything that is not.
#pragma once

#include <mutex>
#include <vector>

#include "backends/opencl/declarations.h"
#include "base/lock_order.h"
#include "base/status.h"

namespace manyrt::opencl {

class Device;

class QueueManager {
 public:
  explicit QueueManager(Device& device) : device_(device) {}
  // `timed`: its commands take their times, which costs each of them something.
  Status lease(cl_command_queue* queue, bool timed);
  void giveBack(cl_command_queue queue);  // what is in it, if anything, ends by itself

 private:
  struct Entry {
    cl_command_queue queue;
    uint32_t leases;  // 0: free
    bool timed;
  };
  static constexpr size_t kMostQueues = 128;
  static constexpr size_t kMostFree = 32;
  Entry* find(bool timed, uint32_t most_leases);  // the one with the fewest; null: each has more

  Device& device_;
  Ranked<std::mutex, LockRank::kClQueues> mutex_;
  std::vector<Entry> queues_;
  size_t making_ = 0;  // that are not in the list yet
};

}  // namespace manyrt::opencl
