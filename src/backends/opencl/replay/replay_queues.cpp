// Whether branches are worth their queues, what waits for what between them, and enqueueing that.
#include "backends/opencl/replay/replay_queues.h"

#include <algorithm>
#include <utility>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "base/trace.h"

namespace manyrt::opencl {
namespace {

using Steps = std::span<const backend::ReplayStep>;

constexpr uint64_t kLongCopy = 1 << 20;  // bytes: tens of microseconds, many times what a marker and a barrier cost

// Whether other work could run beside a step for long enough to matter.
bool leavesRoom(const backend::ReplayStep& step, uint32_t units) {
  if (const auto* kernel = std::get_if<backend::KernelStep>(&step.work)) {
    const uint32_t* grid = kernel->launch.grid;
    // Half of the units at least are free beside it.
    return uint64_t{grid[0]} * grid[1] * grid[2] <= units / 2;
  }
  const auto* copy = std::get_if<backend::Copy>(&step.work);
  return copy != nullptr && copy->width * copy->height >= kLongCopy;
}

// A wait between branches is a marker, a flush and a barrier, which cost about what a short kernel does (PoCL: 2.5 us).
bool isWorthwhile(Steps steps, uint32_t units) {
  std::vector<bool> with_room;
  size_t crossings = 0, branches = 0;
  for (const backend::ReplayStep& step : steps) {
    if (step.branch >= with_room.size()) with_room.resize(step.branch + 1);
    if (leavesRoom(step, units) && !with_room[step.branch]) {
      with_room[step.branch] = true;
      ++branches;
    }
    for (uint32_t before : step.before) crossings += steps[before].branch != step.branch;
  }
  // Each crossing costs as much as a short kernel, so there may be one for every second step.
  return branches > 1 && crossings * 2 <= steps.size();
}

}  // namespace

Status ReplayQueues::create(std::unique_ptr<ReplayQueues>* out, Device& device, Steps steps) {
  // Without queues of their own the branches go one after another in the stream's queue, in the order of the plan.
  if (!isWorthwhile(steps, device.facts().compute_units)) return Status();
  std::unique_ptr<ReplayQueues> queues(new ReplayQueues(device));
  // All that can be known once is worked out here: a launch only enqueues.
  queues->schedule(steps);
  RT_TRY(queues->takeQueues());
  *out = std::move(queues);
  return Status();
}

// Beside what steps wait for: each branch begins after the launch's beginning, and the launch ends after each branch.
void ReplayQueues::schedule(Steps steps) {
  std::vector<backend::BranchStep> order;
  for (const backend::ReplayStep& step : steps) order.push_back({step.branch, step.before});
  uint32_t points = 0;
  orders_ = backend::orderBranches(order, &points);
  begin_ = points++;
  std::vector<uint32_t> last;         // step of each branch
  std::vector<bool> awaited(points);  // by branch 0
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const uint32_t branch = steps[i].branch;
    if (branch >= last.size()) last.resize(branch + 1, UINT32_MAX);
    if (branch == 0) {
      for (uint32_t point : orders_[i].waits) awaited[point] = true;
    } else if (last[branch] == UINT32_MAX && orders_[i].waits.empty()) {
      // A step that waits for another branch comes after the beginning by that.
      orders_[i].waits.push_back(begin_);
    }
    last[branch] = i;
    branch_of_.push_back(branch);
  }
  for (uint32_t branch = 1; branch < last.size(); ++branch) {
    if (last[branch] == UINT32_MAX) continue;
    uint32_t& point = orders_[last[branch]].point;
    if (point == backend::kNoPoint) {
      point = points++;
    } else if (awaited[point]) {
      continue;
    }
    last_.push_back(point);
  }
  queues_.resize(last.size());
  // One event for each point, made anew by each launch.
  events_.resize(points);
  // A launch waits for no more events at once than there are points, and so allocates nothing.
  list_.reserve(points);
}

Status ReplayQueues::takeQueues() {
  timed_ = trace::timesWork();
  for (size_t branch = 1; branch < queues_.size(); ++branch) {
    bool timed = timed_;
    RT_TRY(device_.queues().lease(&queues_[branch], &timed));
  }
  return Status();
}

// The replay is older than the trace. Work of an earlier launch in the old queues ends ahead of this one, which begins after
// its end. Where no such queue is to be had, the launch has no times.
void ReplayQueues::takeTimedQueues() {
  timed_ = true;
  for (size_t branch = 1; branch < queues_.size(); ++branch) {
    cl_command_queue queue = nullptr;
    bool timed = true;
    if (!device_.queues().lease(&queue, &timed).ok()) return;
    device_.queues().giveBack(std::exchange(queues_[branch], queue));
  }
}

ReplayQueues::~ReplayQueues() {
  for (size_t branch = 1; branch < queues_.size(); ++branch) {
    if (queues_[branch] != nullptr) device_.queues().giveBack(queues_[branch]);
  }
}

// Flushed, since a driver need not start unflushed work: another queue that waits for the marker would wait for ever.
Status ReplayQueues::mark(cl_command_queue queue, cl_event* event) {
  const Error error = RT_CL_CALL(clEnqueueMarkerWithWaitList, queue, 0, nullptr, event);
  if (error != CL_SUCCESS) return device_.failed("clEnqueueMarkerWithWaitList", error);
  (void)RT_CL_PLAIN(clFlush, queue);
  return Status();
}

Status ReplayQueues::awaitIn(cl_command_queue queue, std::span<const uint32_t> events) {
  list_.clear();
  for (uint32_t each : events) list_.push_back(events_[each]);
  if (list_.empty()) return Status();
  const auto count = static_cast<cl_uint>(list_.size());
  const Error error = RT_CL_CALL(clEnqueueBarrierWithWaitList, queue, count, list_.data(), nullptr);
  return error == CL_SUCCESS ? Status() : device_.failed("clEnqueueBarrierWithWaitList", error);
}

Status ReplayQueues::begin(cl_command_queue queue) {
  if (!timed_ && trace::timesWork()) [[unlikely]]
    takeTimedQueues();
  queues_[0] = queue;
  return mark(queue, &events_[begin_]);
}

Status ReplayQueues::enter(cl_command_queue* queue, size_t step) {
  *queue = queues_[branch_of_[step]];
  return awaitIn(*queue, orders_[step].waits);
}

Status ReplayQueues::leave(size_t step) {
  const uint32_t point = orders_[step].point;
  return point == backend::kNoPoint ? Status() : mark(queues_[branch_of_[step]], &events_[point]);
}

// For a launch that ends before its last step: joins all that the branches have been given. A failure here, too, is not
// reported: the launch has failed already.
void ReplayQueues::joinAll() {
  for (size_t branch = 1; branch < queues_.size(); ++branch) {
    cl_event event = nullptr;
    if (!mark(queues_[branch], &event).ok()) continue;
    (void)RT_CL_CALL(clEnqueueBarrierWithWaitList, queues_[0], 1, &event, nullptr);
    (void)RT_CL_PLAIN(clReleaseEvent, event);
  }
}

Status ReplayQueues::end(Status status) {
  if (status.ok()) status = awaitIn(queues_[0], last_);
  if (!status.ok()) joinAll();
  for (cl_event& each : events_) {
    // Commands in the queues keep what they wait for.
    if (each != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, std::exchange(each, nullptr));
  }
  return status;
}

}  // namespace manyrt::opencl
