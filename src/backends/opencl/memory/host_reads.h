// Copies and kernels that write memory of the host and may not be over yet. Some drivers read the source of a copy from the
// host when it is enqueued, not when it runs. There a copy waits on the host for what still writes its source.
#pragma once

#include <mutex>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/declarations.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class HostReads {
 public:
  void add(const backend::Copy& copy, cl_event event);  // whose destination is the host's; retains the event
  // Memory that a kernel may write; retains the event. Null: when that is over is not known.
  void add(uintptr_t begin, uintptr_t end, cl_event event);
  bool writeSourceOf(const backend::Copy& copy);  // one of them that is not over; its source is the host's

 private:
  struct Read {
    uintptr_t begin, end;
    cl_event event;  // owned
  };
  void forgetOver();  // under the mutex

  Ranked<std::mutex, LockRank::kClHostReads> mutex_;
  std::vector<Read> reads_;
  size_t look_at_ = 16;   // as many reads as this: those that are over are looked for
  bool unnoted_ = false;  // there was no memory to note one
};

}  // namespace manyrt::opencl
