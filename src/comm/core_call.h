// Calls of rt.h from inside this library: a failure becomes a Status with the core library's sentence, which it leaves on the
// calling thread.
#pragma once

#include "base/status.h"

namespace manyrt::comm {

// The status of a call that this thread has just made, with its message.
Status fromCore(rtStatus_t code);

}  // namespace manyrt::comm

#define RT_TRY_CORE(call)                                            \
  do {                                                               \
    if (rtStatus_t code_ = (call); code_ != RT_SUCCESS) [[unlikely]] \
      return ::manyrt::comm::fromCore(code_);                        \
  } while (0)
