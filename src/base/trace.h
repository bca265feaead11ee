// RT_TRACE: a Chrome trace of what the library did: a track for each thread with its calls, a track for each stream with
// start and end of each kernel and copy on the device's clock, arrows from call to work, a counter of live bytes.
// Off, it costs one load. A full disk or an unwritable file is logged once and ends the trace, never a call.
#pragma once

#include <atomic>
#include <cstdint>

namespace manyrt::trace {

namespace internal {
extern std::atomic<bool> on;
}

inline bool enabled() { return internal::on.load(std::memory_order_relaxed); }

void start();   // opens RT_TRACE's file where it is set
void finish();  // ends the file; at shutdown and at exit
// Around a fork: the file belongs to the parent, and what is buffered is written once.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

uint64_t newTrack(const char* label);  // a stream's track; any label is copied
// A call on this thread, nanoseconds of the host's clock.
void call(const char* name, int64_t begin, int64_t end);
// Called by a submission inside a traced call: the arrow that starts here ends at work(track, serial).
void submitted(uint64_t track, uint64_t serial, int64_t now);
// Work of a stream on the host's scale (a backend converts its device's clock).
void work(uint64_t track, uint64_t serial, const char* name, int64_t begin, int64_t end);
void liveBytes(uint64_t bytes);

}  // namespace manyrt::trace
