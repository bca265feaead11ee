// The order of one kernel's launches on a driver that miscounts them (Quirk::kCountsByWidth). PoCL keeps a kernel's code
// together with the widest range that it was loaded for, and with the number of launches that use it. It loads the code anew
// for a wider range. A launch that ends is then taken off the newest count, whichever it was added to: below 0 the process
// ends. So a range that is wider than all before waits for the kernel's launches in other queues, and later launches wait for
// it. Enqueued work waits for enqueued work alone, so that this keeps no stream waiting for good.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "backends/opencl/declarations.h"
#include "backends/opencl/error.h"
#include "backends/opencl/stream/timeline.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class LaunchOrder {
 public:
  LaunchOrder();
  ~LaunchOrder();
  struct Range {
    cl_uint dimensions;
    const size_t* offset;  // may be null
    const size_t* items;
    const size_t* group;
  };
  // `events` get the launch's event; may be null.
  Error enqueue(cl_command_queue queue, cl_kernel kernel, const Range& range, CommandEvents* events);

 private:
  class Event;   // owned
  struct Last;   // launch in a queue
  struct Shape;  // of groups: a driver counts launches of each by themselves
  Shape& shapeOf(const size_t group[3]);

  Ranked<std::mutex, LockRank::kClLaunchOrder> mutex_;
  std::vector<Shape> shapes_;
};

}  // namespace manyrt::opencl
