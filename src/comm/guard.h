// The frame of every function of rt_comm.h, and of what operations do after them. The first refuses a forked child of a process
// that has started this library. It ends all exceptions, and keeps a failure's sentence for rtCommGetLastErrorMessage.
#pragma once

#include <new>

#include "base/status.h"

namespace manyrt::comm {

// In a child of fork whose parent had started this library: locks may be held there, and the threads that operations wait for
// are gone. A child of a process that had not started it may use it.
bool forked();

// FORKED in such a child.
Status refuseForked();
// Marks this process as one that uses the library, or FORKED. It comes before the first lock of a call. It also comes before
// anything that a child must not share, such as the process's part of unique ids. Calls that touch their thread alone start
// nothing.
Status start();
bool started();

// Keeps the sentence, with the function's name before it, and returns the code.
rtStatus_t fail(const char* function, const Status& status);
const char* lastErrorMessage();

// For questions that a forked child may ask, too: `body` touches nothing but the thread's own.
template <class Body>
rtStatus_t guardedAnywhere(const char* function, Body body) {
  try {
    const Status status = body();
    return status.ok() ? static_cast<rtStatus_t>(RT_SUCCESS) : fail(function, status);
  } catch (const std::bad_alloc&) {  // the callers are C: every exception ends here
    return fail(function, Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory for the call."));
  } catch (...) {  // as above; nothing in the library throws it
    return fail(function, Status::error(RT_ERROR_INTERNAL, "An unexpected exception ended the call."));
  }
}

template <class Body>
rtStatus_t guarded(const char* function, Body body) {
  return guardedAnywhere(function, [&]() -> Status {
    RT_TRY(refuseForked());
    return body();
  });
}

// Runs what an operation does in its stream. Other ranks wait for what this one has begun: a want of memory is a failure like
// any other, and no way out.
template <class Body>
Status withoutThrowing(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory for an operation of a communicator.");
  }
}

// Writes a text result, truncated and terminated. `needed` counts the terminator.
Status copyText(char* buffer, size_t size, size_t* needed, const char* text);

}  // namespace manyrt::comm

#define RT_CHECK_OUTPUT(pointer) RT_CHECK_ARG((pointer) != nullptr, "The output \"%s\" is NULL.", #pointer)
