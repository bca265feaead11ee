// CUDA's current context is a property of the thread, which belongs to the program: it is looked at, and exchanged only for
// the time of a call where it is another one.
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
  ~Current() {
    if (!pushed_) [[likely]]
      return;
    NativeContext popped;
    (void)table().cuCtxPopCurrent(&popped);
  }

 private:
  bool pushed_ = false;
};

// For calls that name a stream or an event of `context`: drivers take them whatever is current (580 does, also where nothing
// is), and asking what is current takes 11 ns. A call that fails has done nothing, and is made again with its context: a driver
// may insist on that, and a thread may have a context current that was destroyed.
template <typename Call>
inline Error whateverIsCurrent(NativeContext context, Call call) {
  const Error error = call();
  if (error == kSuccess || error == kNotReady || saysNothing(error)) [[likely]]
    return error;
  Current current(context);
  return call();
}

}  // namespace manyrt::cuda
