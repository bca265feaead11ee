// How launches of one kernel wait for each other: events of the last one in each queue, and of the last that was wider.
#include "backends/opencl/program/launch_order.h"

#include <algorithm>
#include <array>

namespace manyrt::opencl {

class LaunchOrder::Event {
 public:
  Event() = default;
  explicit Event(cl_event event) : event_(event) {}
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, event_);
  }
  cl_event get() const { return event_; }
  // An event may be in two places, of its queue and as the last wider one. Each has a reference.
  Event again() const { return Event(RT_CL_PLAIN(clRetainEvent, event_) == CL_SUCCESS ? event_ : nullptr); }
  bool isOver() const {  // also when it failed
    cl_int status = CL_COMPLETE;
    return event_ == nullptr ||
           RT_CL_PLAIN(clGetEventInfo, event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) !=
               CL_SUCCESS ||
           status <= CL_COMPLETE;
  }

 private:
  cl_event event_ = nullptr;
};

struct LaunchOrder::Last {
  cl_command_queue queue = nullptr;
  Event event;
};

struct LaunchOrder::Shape {
  std::array<size_t, 3> group;
  // The widest range so far. PoCL takes a wrong figure for the third dimension, so that both ways of counting are followed.
  size_t widest_of_two = 0, widest = 0;
  std::vector<Last> last;  // of each queue with a launch that may not be over
  Last wider;              // the last launch that was wider than all before
};

LaunchOrder::LaunchOrder() = default;
LaunchOrder::~LaunchOrder() = default;

LaunchOrder::Shape& LaunchOrder::shapeOf(const size_t group[3]) {
  for (Shape& shape : shapes_) {
    if (std::equal(shape.group.begin(), shape.group.end(), group)) return shape;
  }
  shapes_.push_back({});
  std::copy(group, group + 3, shapes_.back().group.begin());
  return shapes_.back();
}

Error LaunchOrder::enqueue(cl_command_queue queue, cl_kernel kernel, const Range& range, CommandEvents* events) {
  std::lock_guard lock(mutex_);
  // By the size of the group: a driver compiles a kernel for each.
  Shape& shape = shapeOf(range.group);
  // Two figures for each launch, of two and of three directions, since drivers count either.
  const size_t width_of_two = std::max(range.items[0], range.items[1]), width = std::max(width_of_two, range.items[2]);
  const bool is_wider = width_of_two > shape.widest_of_two || width > shape.widest;
  if (shape.wider.event.get() != nullptr && shape.wider.event.isOver()) shape.wider = Last();
  auto own = std::find_if(shape.last.begin(), shape.last.end(), [&](const Last& last) { return last.queue == queue; });
  // A queue of its own entry, and at this chance those that are over go: the list stays as short as the streams at work.
  if (own == shape.last.end()) {
    std::erase_if(shape.last, [](const Last& last) { return last.event.isOver(); });
    shape.last.push_back({queue, Event()});
    own = shape.last.end() - 1;
  }
  // In its own queue order is given. A launch that is wider waits for all others, any other one for the last wider one.
  std::vector<cl_event> ahead;  // that it waits for
  if (is_wider) {
    for (const Last& last : shape.last) {
      if (last.queue != queue) ahead.push_back(last.event.get());
    }
  } else if (shape.wider.event.get() != nullptr && shape.wider.queue != queue) {
    ahead.push_back(shape.wider.event.get());
  }
  cl_event made = nullptr;
  const Error error =
      RT_CL_CALL(clEnqueueNDRangeKernel, queue, kernel, range.dimensions, range.offset, range.items, range.group,
                 static_cast<cl_uint>(ahead.size()), ahead.empty() ? nullptr : ahead.data(), &made);
  if (error != CL_SUCCESS) return error;
  if (events != nullptr) events->note(made);
  // After success only: a refused launch must not be waited for.
  own->event = Event(made);
  if (is_wider) {
    shape.widest_of_two = std::max(shape.widest_of_two, width_of_two);
    shape.widest = std::max(shape.widest, width);
    shape.wider = {queue, own->event.again()};
  }
  return error;
}

}  // namespace manyrt::opencl
