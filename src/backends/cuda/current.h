// CUDA's current context is a property of the thread, and the thread may belong to the program. So it is looked at, and
// exchanged for the time of a call only where it is another one.
#pragma once

#include "backends/cuda/error.h"
#include "backends/cuda/table.h"

namespace manyrt::cuda {

class Current {
 public:
  explicit Current(NativeContext wanted) {
    NativeContext now = nullptr;
    if (table().cuCtxGetCurrent(&now) == 0 && now == wanted) [[likely]]
      return;
    pushed_ = table().cuCtxPushCurrent(wanted) == 0;
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  bool exchanged() const { return pushed_; }
  ~Current() {
    if (!pushed_) [[likely]]
      return;
    NativeContext popped;
    (void)table().cuCtxPopCurrent(&popped);
  }

 private:
  bool pushed_ = false;
};

// For calls that name a stream, an event or an executable graph of `context`. Drivers take them whatever is current (580
// takes events also where nothing is), and asking what is current takes 11 ns. But a driver may insist, and a thread may have
// a destroyed context current. Where the refusal may come from that, the call is made again with the right context current.
// Any other failure is returned as it is: the call may have done something.
template <typename Call>
inline Error whateverIsCurrent(NativeContext context, Call call) {
  const Error error = call();
  if (error == kSuccess || error == kNotReady || !mayBlameCurrent(error)) [[likely]]
    return error;
  Current current(context);
  return current.exchanged() ? call() : error;
}

}  // namespace manyrt::cuda
