// Where the library tells what happens: calls, work of streams with its times, steps of builds, and what pools allocate. One
// collector serves RT_TRACE (a Chrome trace, trace/timeline.h) and RT_PROFILE (sums, trace/profile.h); docs/design/trace.md
// has the way of a span. Switched off, each place that tells costs one relaxed load.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace manyrt::trace {

namespace internal {
enum Sink : uint32_t { kTimeline = 1, kProfile = 2 };  // bits
// Relaxed: a thread that reads an old value misses an event, or finds a sink that is closed under its mutex.
extern std::atomic<uint32_t> on;
int64_t waitedSoFar();
void setWaited(int64_t nanoseconds);
}  // namespace internal

inline bool enabled() { return internal::on.load(std::memory_order_relaxed) != 0; }
// What pools allocate is for the timeline alone: a profile leaves their fast paths as they are.
inline bool tellsMemory() { return (internal::on.load(std::memory_order_relaxed) & internal::kTimeline) != 0; }

void start();   // as RT_TRACE and RT_PROFILE ask
void finish();  // settles all sources and ends the sinks; at shutdown and at exit
// Around a fork: files and sums belong to the parent, and what is buffered is written once.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

// The same text at an address that stays until the process ends.
const char* keep(const char* text);

// ---- Host ----

// A call on this thread, nanoseconds of the host's clock. `name` is a literal.
void call(const char* name, int64_t begin, int64_t end);

// The time of a call in which its thread only waits. What waits inside it have counted is replaced by the whole.
class Wait {
 public:
  Wait() : begin_(enabled() ? nowNanoseconds() : 0), before_(begin_ != 0 ? internal::waitedSoFar() : 0) {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  ~Wait() {
    if (begin_ != 0) [[unlikely]]
      internal::setWaited(before_ + nowNanoseconds() - begin_);
  }

 private:
  const int64_t begin_, before_;
};

// A step of a build on this thread: "front end", "compiler", "cache hit". `what`: the name of the source.
class BuildStep {
 public:
  BuildStep(const char* step, const char* what) : step_(step), what_(what), begin_(enabled() ? nowNanoseconds() : 0) {}
  BuildStep(const BuildStep&) = delete;
  BuildStep& operator=(const BuildStep&) = delete;
  ~BuildStep();
  void rename(const char* step) { step_ = step; }  // once it is known how it ends

 private:
  const char* step_;
  const char* const what_;
  const int64_t begin_;
};
// Optimised code has taken the place of the first one.
void improved(const char* module);

// What a worker does of a launch that another thread runs. `name` is copied.
void part(const char* name, int64_t begin, int64_t end);

// ---- Streams ----

// The track of a stream. Its number is for arrows and for marks of memory.
struct Track {
  uint64_t number = 0;
  const char* device = "";  // stays as long as the process
  char label[64] = "";
};
void renew(Track* track, const char* device, const char* label);

enum class Kind : uint8_t { kKernel, kCopy, kFill, kPrefetch, kGraph, kTask, kHostFunction };

// What a stream did. Texts are literals or kept.
struct Work {
  Kind kind = Kind::kTask;
  bool in_graph = false;
  uint16_t lane = 0;        // beside the stream's own: of a graph whose nodes run at the same time
  const char* name = "";    // of a kernel
  const char* module = "";  // of a kernel
  const char* tier = "";    // of a kernel's code: quick, optimized; "": not known
  int32_t copy = 0;         // RT_MEMCPY_*
  uint64_t bytes = 0;       // of a copy or a fill
  uint32_t grid[3] = {};    // of a kernel, as the next
  uint32_t group[3] = {};
};

// Starts an arrow that ends at the work of this number. Called by a submission inside a traced call.
void submitted(uint64_t track, uint64_t serial, int64_t now);
// Work of a stream that is over, in nanoseconds of the host's clock, to which the backend converts its device's.
void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end);
void lost();  // work whose times the driver did not tell
// How a device's clock was mapped to the host's: each time of it is wrong by at most `error` nanoseconds at this moment.
void clock(const char* device, int64_t error);

// Keeps work whose times are not known yet: the commands of a driver's stream.
class Source {
 public:
  virtual ~Source() = default;
  virtual void settle() = 0;  // for the last time: tells what is over, and counts the rest as lost
};
void add(Source& source);
void remove(Source& source);  // waits for a settle() of it

// ---- Memory ----

void liveBytes(uint64_t bytes);
// What a pool hands out and takes back, and the ranges that it takes from the driver and gives back. Told before others can
// have the bytes, so that the file has frees ahead of the allocations that follow them. `manyrt memory` reads these.
enum class Memory { kAllocate, kFree, kReserve, kRelease };
// `track`: of the stream in whose order it happens; 0: none. `device` and `kind`, for kReserve: of the pool.
void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device = "",
            const char* kind = "");

}  // namespace manyrt::trace
