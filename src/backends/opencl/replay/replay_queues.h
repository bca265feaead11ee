// The queues of a replay whose steps may run side by side. One queue runs its commands one after another, which is the cheapest
// where each of them fills the device. Where steps of several branches leave room on it, each branch has a queue. Branch 0 has
// that of the launch, the others have queues of the replay's own. Markers stand after steps that another branch waits for,
// barriers ahead of those that wait. A launch begins and ends in the queue that it is given.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/branch_order.h"
#include "backends/opencl/declarations.h"

namespace manyrt::opencl {

class Device;

class ReplayQueues {
 public:
  // Null: one queue does.
  static Status create(std::unique_ptr<ReplayQueues>* queues, Device& device, std::span<const backend::ReplayStep> steps);
  ReplayQueues(const ReplayQueues&) = delete;
  ReplayQueues& operator=(const ReplayQueues&) = delete;
  ~ReplayQueues();

  // One launch, of one thread at a time. First `begin`, then each step of the list between `enter`, which says its queue, and
  // `leave`. `end` comes in any case, with what has failed so far.
  Status begin(cl_command_queue queue);
  Status enter(cl_command_queue* queue, size_t step);
  Status leave(size_t step);
  Status end(Status status);
  uint16_t branchOf(size_t step) const { return static_cast<uint16_t>(branch_of_[step]); }

 private:
  explicit ReplayQueues(Device& device) : device_(device) {}
  void schedule(std::span<const backend::ReplayStep> steps);
  Status takeQueues();
  void takeTimedQueues();
  Status mark(cl_command_queue queue, cl_event* event);
  Status awaitIn(cl_command_queue queue, std::span<const uint32_t> events);
  void joinAll();

  Device& device_;
  std::vector<cl_command_queue> queues_;  // of each branch; the first is the launch's, the others are leased
  bool timed_ = false;                    // these take the times of their commands
  std::vector<uint32_t> branch_of_;       // of each step
  std::vector<backend::BranchOrder> orders_;
  uint32_t begin_ = 0;            // the point where a launch begins
  std::vector<uint32_t> last_;    // those that it ends after
  std::vector<cl_event> events_;  // of each point, of the launch that is being enqueued
  std::vector<cl_event> list_;    // for one call of the driver
};

}  // namespace manyrt::opencl
