// Descriptions of work for the trace, taken from the parameters of the work. Backends call these while a trace is on, before
// the caller's memory may change.
#pragma once

#include "backends/replay.h"
#include "base/trace.h"

namespace manyrt::backend {

trace::Work describe(const Kernel& kernel, const Launch& launch);
trace::Work describe(const Copy& copy);
trace::Work describe(const Fill& fill);
trace::Work describe(const ReplayStep::Work& work);
trace::Work describe(trace::Kind kind);

}  // namespace manyrt::backend
