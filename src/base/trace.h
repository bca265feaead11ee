// RT_TRACE: a Chrome trace. Each thread has a track with its calls, each stream one with the kernels and copies on the clock of
// the device. Arrows lead from calls to work, and a counter shows live bytes. Switched off, the trace costs one load. A full
// disk or an unwritable file is logged once and ends the trace, never a call.
#pragma once

#include <atomic>
#include <cstdint>

namespace manyrt::trace {

namespace internal {
// Relaxed: a thread that reads an old value misses an event, or finds the file closed under its mutex.
extern std::atomic<bool> on;
}  // namespace internal

inline bool enabled() { return internal::on.load(std::memory_order_relaxed); }

void start();   // opens RT_TRACE's file where it is set
void finish();  // ends the file; at shutdown and at exit
// Around a fork: the file belongs to the parent, and what is buffered is written once.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

uint64_t newTrack(const char* label);  // for a stream; the label is copied
// A call on this thread, nanoseconds of the host's clock.
void call(const char* name, int64_t begin, int64_t end);
// Starts an arrow that ends at work(track, serial). Called by a submission inside a traced call.
void submitted(uint64_t track, uint64_t serial, int64_t now);
// Work of a stream, in nanoseconds of the host's clock, to which the backend converts its device's.
void work(uint64_t track, uint64_t serial, const char* name, int64_t begin, int64_t end);
void liveBytes(uint64_t bytes);

}  // namespace manyrt::trace
