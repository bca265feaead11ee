// The program's callback of the trace: records of calls, submissions, work, builds, ranges (rtTraceSetCallback). Calls and
// ranges are told on their own thread, outside of guards and locks. All else comes from places that have both: it goes into a
// queue, which a thread at rest delivers. Called by base/trace.cpp and trace/range.cpp, while such a kind of records is on.
#pragma once

#include <cstdint>
#include <memory>

#include "base/trace.h"

namespace manyrt::trace::callback {

// One callback with its queue.
struct Registration;
using Handle = std::shared_ptr<Registration>;

uint32_t sinksOf(uint32_t kinds);  // internal::Sink, of RT_TRACE_*
Handle make(rtTraceCallback_t function, void* user, uint32_t sinks);
Handle replace(Handle fresh);  // what is told from here on goes to `fresh`. Returns the earlier one
// Delivers the queue of one that was replaced, and returns when it has run for the last time. On a thread that is inside a
// callback of the trace it drops the queue and returns at once. Without a guard and a lock.
enum class Patience { kOneSecond, kForEver };
void deliverRest(Registration& ended, Patience patience);
void abandon();  // at exit: nothing is delivered any more

void beforeFork();
void afterForkInParent();
void afterForkInChild();

// On the calling thread, at rest: ahead of a call and after it.
void enter(Call* call, const char* name);
void exit(const Call& call, const char* name, rtStatus_t status);
void range(int32_t type, const char* name, int64_t begin, int64_t end);  // RT_TRACE_RECORD_RANGE_PUSH and the two that follow

// Into the queue.
void submitted(const Track& track, uint64_t serial, uint64_t call, int64_t now);
void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end);
void build(const char* step, const char* module, int64_t begin, int64_t end);
void lost(uint64_t count);

void deliver();  // what is in the queue, if this thread is at rest and no other one delivers

}  // namespace manyrt::trace::callback
