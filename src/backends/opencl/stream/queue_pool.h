// Native queues of one device: each is leased to one stream, comes back with its work done, and is leased again. Their number
// is limited: further streams share the queues with the fewest leases. Sharing costs independence and nothing else, because
// what is enqueued never waits for anything that is not.
#pragma once

#include <mutex>
#include <vector>

#include "backends/opencl/declarations.h"
#include "base/lock_order.h"
#include "base/status.h"

namespace manyrt::opencl {

class Device;

class QueuePool {
 public:
  explicit QueuePool(Device& device) : device_(device) {}
  // `timed`: its commands take their times, which costs each of them something. A queue that is shared may do so unasked.
  Status lease(cl_command_queue* queue, bool* timed);
  void giveBack(cl_command_queue queue);  // what is in it, if anything, ends by itself
  // A queue with times in the place of `old`. The lease of `old` goes on until endOld, as long as its work takes, and does
  // not count. So a stream between two queues keeps no other stream from a queue of its own.
  Status exchange(cl_command_queue* timed, cl_command_queue old);
  void endOld(cl_command_queue old);
  void takeBack(cl_command_queue timed, cl_command_queue old);  // as if there had been no exchange

 private:
  struct Entry {
    cl_command_queue queue;
    uint32_t leases;   // 0: free
    uint32_t leaving;  // of these, ones that have been exchanged
    bool timed;
    bool stays() const { return leases != leaving || leases == 0; }
  };
  static constexpr size_t kMaxQueues = 128;
  static constexpr size_t kMaxFree = 32;
  Entry& entryOf(cl_command_queue queue);
  size_t counted() const;  // queues without those whose streams are all leaving
  Entry* findFree(bool timed);
  Entry* findShared(bool timed);  // null: none has times
  void end(cl_command_queue queue, bool leaving);

  Device& device_;
  Ranked<std::mutex, LockRank::kClQueues> mutex_;
  std::vector<Entry> queues_;
  size_t making_ = 0;  // that are not in the list yet
};

}  // namespace manyrt::opencl
