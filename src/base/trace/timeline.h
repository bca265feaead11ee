// The file of RT_TRACE and rtTraceStart: a Chrome trace. Each thread has a track with its calls, builds, ranges and parts of
// launches, each stream of each device one with its work. Arrows lead from calls to work, a counter shows live bytes, and marks
// tell what pools do. Called by base/trace.cpp and trace/range.cpp alone, while the timeline is on. A disk that is full is
// logged once and ends the trace, never a call.
#pragma once

#include <cstdint>

#include "base/trace.h"

namespace manyrt::trace::timeline {

// BUSY where a file is open. `from_start`: of the process; else the file says that streams and memory may be older.
Status start(const char* path, bool from_start);
Status finish();  // ends the file. INVALID_VALUE: there is none. IO: it is incomplete
void beforeFork();
void afterForkInParent();
void afterForkInChild();

// On the calling thread. `category`: "build", "range", "mark". `detail` may be empty.
void span(const char* category, const char* name, const char* detail, int64_t begin, int64_t end);
// A call of the program. `name` is a literal. An arrow leads from it to the work `serial` of `track`, unless that is 0.
void call(const char* name, int64_t begin, int64_t end, uint64_t track, uint64_t serial);
void part(const char* name, int64_t begin, int64_t end);  // what a worker does of a launch; `name` is copied
void mark(const char* category, const char* name, const char* detail);
void submitted(uint64_t track, uint64_t serial, int64_t now);
void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end);
void clock(const char* device, int64_t error);
void lost(uint64_t count);
void liveBytes(uint64_t bytes);
void label(uint64_t address, const char* label);
void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device, const char* kind);

}  // namespace manyrt::trace::timeline
