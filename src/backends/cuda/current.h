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

// For calls that name a stream, an event or an executable graph of `context`: drivers take them whatever is current (580 does
// with events, also where nothing is current), and asking what is current takes 11 ns. A driver may insist, and a thread may
// have a context current that was destroyed: where another one is current, a refusal that may come from that is answered by
// the same call with the right one. Any other failure is returned as it is: the call may have done something.
template <typename Call>
inline Error whateverIsCurrent(NativeContext context, Call call) {
  const Error error = call();
  if (error == kSuccess || error == kNotReady || !mayBlameCurrent(error)) [[likely]]
    return error;
  Current current(context);
  return current.exchanged() ? call() : error;
}

}  // namespace manyrt::cuda
