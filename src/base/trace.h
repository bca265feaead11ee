// RT_TRACE: a Chrome trace. Each thread has a track with its calls, each stream of the CPU one with its kernels and copies;
// tracks of drivers' streams stay empty. Arrows lead from calls to work, a counter shows live bytes, and marks tell what pools
// allocate, free and take from the driver.
// Switched off, the trace costs one load. A full disk or an unwritable file is logged once and ends the trace, never
// a call.
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

// What a pool hands out and takes back, and the ranges that it takes from the driver and gives back. Told before others can
// have the bytes, so that the file has frees ahead of the allocations that follow them. `manyrt memory` reads these.
enum class Memory { kAllocate, kFree, kReserve, kRelease };
// `track`: of the stream in whose order it happens; 0: none. `device` and `kind`, for kReserve: of the pool.
void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device = "",
            const char* kind = "");

}  // namespace manyrt::trace
