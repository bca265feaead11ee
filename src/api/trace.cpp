// rt.h, chapter "Trace": a timeline in the middle of a program, ranges and marks, and the callback for tools. None of these
// calls is told to the trace, and none has a guard, since no handle comes in: what they call may wait.
#include "base/trace.h"

#include <new>

#include "api/guard.h"
#include "base/trace/range.h"

namespace manyrt::api {
namespace {

template <class Body>
rtStatus_t withoutGuard(const char* function, Body body) {
  try {
    Status status = manager::library::running() || manager::library::ending() ? Status() : manager::library::start();
    if (status.ok()) status = body();
    return status.ok() ? RT_SUCCESS : fail(function, status);
  } catch (const std::bad_alloc&) {  // the callers are C, as in guarded()
    return fail(function, Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory for the call."));
  } catch (...) {  // as above; nothing in the library throws it
    return fail(function, Status::error(RT_ERROR_INTERNAL, "An unexpected exception ended the call."));
  }
}

constexpr uint32_t kTraceKinds = RT_TRACE_CALLS | RT_TRACE_SUBMISSIONS | RT_TRACE_WORK | RT_TRACE_BUILDS | RT_TRACE_RANGES;

}  // namespace
}  // namespace manyrt::api

using namespace manyrt;

rtStatus_t rtTraceStart(const char* file) {
  return api::withoutGuard(__func__, [&]() -> Status {
    RT_CHECK_ARG(file != nullptr && file[0] != '\0', "The file of a timeline is %s.",
                 file == nullptr ? "NULL" : "an empty text");
    return trace::startTimeline(file);
  });
}

rtStatus_t rtTraceStop(void) {
  return api::withoutGuard(__func__, [] { return trace::stopTimeline(); });
}

rtStatus_t rtTraceRangePush(const char* name) {
  return api::withoutGuard(__func__, [&]() -> Status {
    RT_CHECK_ARG(name != nullptr, "The name of a range is NULL.");
    trace::range::push(name);
    return Status();
  });
}

rtStatus_t rtTraceRangePop(void) {
  return api::withoutGuard(__func__, []() -> Status {
    RT_CHECK_ARG(trace::range::pop(), "This thread has no range to end: it has ended as many as it began.");
    return Status();
  });
}

rtStatus_t rtTraceMark(const char* name) {
  return api::withoutGuard(__func__, [&]() -> Status {
    RT_CHECK_ARG(name != nullptr, "The name of a mark is NULL.");
    trace::range::mark(name);
    return Status();
  });
}

rtStatus_t rtTraceSetCallback(rtTraceCallback_t callback, void* user, uint32_t kinds) {
  return api::withoutGuard(__func__, [&]() -> Status {
    RT_CHECK_ARG((kinds & ~api::kTraceKinds) == 0 && (kinds != 0 || callback == nullptr),
                 "The kinds 0x%x of records are %s: RT_TRACE_* goes up to 0x%x.", kinds, kinds == 0 ? "none" : "not all known",
                 RT_TRACE_RANGES);
    return trace::setCallback(callback, user, kinds);
  });
}
