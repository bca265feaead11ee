// Whether lanes are worth their queues, what waits for what between them, and enqueueing that.
#include "backends/opencl/replay_lanes.h"

#include <algorithm>
#include <utility>

#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"

namespace manyrt::opencl {
namespace {

using Steps = std::span<const backend::ReplayStep>;

constexpr uint64_t kLongCopy = 1 << 20;  // bytes; shorter ones take as long as a marker and a barrier

// Whether other work could run beside a step for long enough to matter.
bool leavesRoom(const backend::ReplayStep& step, uint32_t units) {
  if (const auto* kernel = std::get_if<backend::KernelStep>(&step.work)) {
    const uint32_t* grid = kernel->launch.grid;
    return uint64_t{grid[0]} * grid[1] * grid[2] <= units / 2;
  }
  const auto* copy = std::get_if<backend::Copy>(&step.work);
  return copy != nullptr && copy->width * copy->height >= kLongCopy;
}

// A wait between lanes costs about what two short kernels do.
bool isWorthwhile(Steps steps, uint32_t units) {
  std::vector<bool> with_room;
  size_t crossings = 0, lanes = 0;
  for (const backend::ReplayStep& step : steps) {
    if (step.lane >= with_room.size()) with_room.resize(step.lane + 1);
    if (leavesRoom(step, units) && !with_room[step.lane]) {
      with_room[step.lane] = true;
      ++lanes;
    }
    for (uint32_t before : step.before) crossings += steps[before].lane != step.lane;
  }
  return lanes > 1 && crossings * 2 <= steps.size();
}

}  // namespace

Status ReplayLanes::create(std::unique_ptr<ReplayLanes>* out, Device& device, Steps steps) {
  if (!isWorthwhile(steps, device.facts().compute_units)) return Status();
  std::unique_ptr<ReplayLanes> lanes(new ReplayLanes(device));
  lanes->schedule(steps);
  RT_TRY(lanes->takeQueues());
  *out = std::move(lanes);
  return Status();
}

// A lane waits once for what it waits for, and for the beginning if it waits for nothing else.
void ReplayLanes::schedule(Steps steps) {
  uint32_t lanes = 0;
  for (const backend::ReplayStep& step : steps) lanes = std::max(lanes, step.lane + 1);
  queues_.resize(lanes);
  places_.resize(steps.size());
  std::vector<uint32_t> last(lanes, kNone);                                          // step of each lane
  std::vector<std::vector<uint32_t>> known(lanes, std::vector<uint32_t>(lanes, 0));  // steps of the other up to here are over
  const auto eventOf = [&](uint32_t step) {
    if (places_[step].event == kNone) {
      places_[step].event = static_cast<uint32_t>(events_.size());
      events_.push_back(nullptr);
    }
    return places_[step].event;
  };
  for (uint32_t i = 0; i < steps.size(); ++i) {
    Place& place = places_[i];
    place.lane = steps[i].lane;
    for (uint32_t before : steps[i].before) {
      const uint32_t other = steps[before].lane;
      if (other == place.lane || known[place.lane][other] > before) continue;
      known[place.lane][other] = before + 1;
      place.awaits.push_back(eventOf(before));
    }
    if (place.lane != 0 && last[place.lane] == kNone && place.awaits.empty()) place.awaits.push_back(0);
    last[place.lane] = i;
  }
  for (uint32_t lane = 1; lane < lanes; ++lane) {
    if (last[lane] != kNone && known[0][lane] <= last[lane]) last_.push_back(eventOf(last[lane]));
  }
  list_.reserve(events_.size());
}

Status ReplayLanes::takeQueues() {
  for (size_t lane = 1; lane < queues_.size(); ++lane) RT_TRY(device_.queues().lease(&queues_[lane], false));
  return Status();
}

ReplayLanes::~ReplayLanes() {
  for (size_t lane = 1; lane < queues_.size(); ++lane) {
    if (queues_[lane] != nullptr) device_.queues().giveBack(queues_[lane]);
  }
}

// Flushed: what waits in another queue must not wait for what nobody begins.
Status ReplayLanes::mark(cl_command_queue queue, cl_event* event) {
  const Error error = RT_CL_CALL(clEnqueueMarkerWithWaitList, queue, 0, nullptr, event);
  if (error != CL_SUCCESS) return device_.failed("clEnqueueMarkerWithWaitList", error);
  (void)RT_CL_PLAIN(clFlush, queue);
  return Status();
}

Status ReplayLanes::awaitIn(cl_command_queue queue, std::span<const uint32_t> events) {
  list_.clear();
  for (uint32_t each : events) list_.push_back(events_[each]);
  if (list_.empty()) return Status();
  const auto count = static_cast<cl_uint>(list_.size());
  const Error error = RT_CL_CALL(clEnqueueBarrierWithWaitList, queue, count, list_.data(), nullptr);
  return error == CL_SUCCESS ? Status() : device_.failed("clEnqueueBarrierWithWaitList", error);
}

Status ReplayLanes::begin(cl_command_queue queue) {
  queues_[0] = queue;
  return mark(queue, &events_[0]);
}

Status ReplayLanes::enter(cl_command_queue* queue, size_t step) {
  const Place& place = places_[step];
  *queue = queues_[place.lane];
  return awaitIn(*queue, place.awaits);
}

Status ReplayLanes::leave(size_t step) {
  const Place& place = places_[step];
  return place.event == kNone ? Status() : mark(queues_[place.lane], &events_[place.event]);
}

// Of a launch that ends before its last step: behind whatever the lanes have been given.
Status ReplayLanes::joinAll() {
  Status first;
  for (size_t lane = 1; lane < queues_.size(); ++lane) {
    cl_event event = nullptr;
    Status status = mark(queues_[lane], &event);
    if (status.ok()) {
      const Error error = RT_CL_CALL(clEnqueueBarrierWithWaitList, queues_[0], 1, &event, nullptr);
      if (error != CL_SUCCESS) status = device_.failed("clEnqueueBarrierWithWaitList", error);
      (void)RT_CL_PLAIN(clReleaseEvent, event);
    }
    if (first.ok()) first = std::move(status);
  }
  return first;
}

Status ReplayLanes::end(Status status) {
  Status joined = status.ok() ? awaitIn(queues_[0], last_) : Status();
  if (!status.ok() || !joined.ok()) (void)joinAll();
  for (cl_event& each : events_) {
    if (each != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, std::exchange(each, nullptr));
  }
  return status.ok() ? std::move(joined) : std::move(status);
}

}  // namespace manyrt::opencl
