// SPDX-License-Identifier: Apache-2.0
//
// The trace: a timeline that begins and ends in the middle of a program, ranges and marks of a thread, the callback of a profiler.
#ifndef MANYRT_RT_TRACE_HPP_
#define MANYRT_RT_TRACE_HPP_

#include <cstdint>
#include <string>

#include "error.hpp"

namespace rt {

/** Begins a timeline in Chrome's trace format, as RT_TRACE does for a whole process. Streams and graphs may be older. */
template <class E = DefaultMode>
Outcome<E, void> startTrace(const std::string& file, E = {}) {
  return detail::done<E>(rtTraceStart(file.c_str()));
}

/** Ends the timeline; its file is complete then. Work that is not over is not in it: wait for it first. */
template <class E = DefaultMode>
Outcome<E, void> stopTrace(E = {}) {
  return detail::done<E>(rtTraceStop());
}

/** Begins a range of this thread, which endRange() ends. TraceRange does both. */
template <class E = DefaultMode>
Outcome<E, void> beginRange(const char* name, E = {}) {
  return detail::done<E>(rtTraceRangePush(name));
}

template <class E = DefaultMode>
Outcome<E, void> endRange(E = {}) {
  return detail::done<E>(rtTraceRangePop());
}

/** Puts a mark at this moment of this thread. */
template <class E = DefaultMode>
Outcome<E, void> mark(const char* name, E = {}) {
  return detail::done<E>(rtTraceMark(name));
}

/** A range of this thread from here to the end of the scope: `const rt::TraceRange range("step");`. It fails in silence, since
 *  a trace decides nothing. */
class TraceRange {
 public:
  explicit TraceRange(const char* name) noexcept : begun_(rtTraceRangePush(name) >= 0) {}
  explicit TraceRange(const std::string& name) noexcept : TraceRange(name.c_str()) {}
  TraceRange(const TraceRange&) = delete;
  TraceRange& operator=(const TraceRange&) = delete;
  ~TraceRange() {
    if (begun_) (void)rtTraceRangePop();
  }

 private:
  const bool begun_;
};

/** Sends records of the trace to `callback` (nullptr: none), which throws nothing. Once this returns, the earlier callback has all
 *  its records and runs no more. `kinds`: RT_TRACE_*, joined by or. */
template <class E = DefaultMode>
Outcome<E, void> setTraceCallback(rtTraceCallback_t callback, void* user = nullptr, std::uint32_t kinds = 0, E = {}) {
  return detail::done<E>(rtTraceSetCallback(callback, user, kinds));
}

}  // namespace rt

#endif  // MANYRT_RT_TRACE_HPP_
