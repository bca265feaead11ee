// Where the library tells what happens: calls, work of streams with its times, steps of builds, and what pools allocate. One
// collector serves RT_TRACE and rtTraceStart (a Chrome trace, trace/timeline.h), RT_PROFILE (sums, trace/profile.h) and
// rtTraceSetCallback (records, trace/callback.h); docs/design/trace.md has the way of a span. Switched off, each place that
// tells costs one relaxed load.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/status.h"
#include "base/trace/tally.h"

namespace manyrt::trace {

namespace internal {
// Bits: the timeline, the profile, and each kind of records that the program's callback asks for.
enum Sink : uint32_t { kTimeline = 1, kProfile = 2, kCalls = 4, kSubmissions = 8, kWork = 16, kBuilds = 32, kRanges = 64 };
constexpr uint32_t kCallback = kCalls | kSubmissions | kWork | kBuilds | kRanges;
// Relaxed: a thread that reads an old value misses an event, or finds a sink that is closed under its mutex.
extern std::atomic<uint32_t> on;
inline bool tells(uint32_t sinks) { return (on.load(std::memory_order_relaxed) & sinks) != 0; }
}  // namespace internal

inline bool enabled() { return internal::on.load(std::memory_order_relaxed) != 0; }
// Whether work is described and timed. A callback that asks for calls alone leaves streams as they are.
inline bool timesWork() { return internal::tells(internal::kTimeline | internal::kProfile | internal::kWork); }
// Whether each piece of work is told with its times. A profile alone can do with some of them.
inline bool timesAllWork() { return internal::tells(internal::kTimeline | internal::kWork); }
// Whether a worker's parts of launches and graphs are told: to the timeline alone.
inline bool tellsParts() { return internal::tells(internal::kTimeline); }
inline bool tellsSubmissions() { return internal::tells(internal::kTimeline | internal::kSubmissions); }
// Allocations of pools are for the timeline alone: a profile leaves their fast paths as they are.
inline bool tellsMemory() { return internal::tells(internal::kTimeline); }

void start();   // as RT_TRACE and RT_PROFILE ask
void finish();  // settles all sources and ends the sinks; at shutdown, at rest
Status startTimeline(const char* file);
Status stopTimeline();
// Returns when the earlier callback has run for the last time, unless it is called inside of it. `kinds`: RT_TRACE_*.
Status setCallback(rtTraceCallback_t callback, void* user, uint32_t kinds);
// Whether a profile is on, which asks how kernels run.
inline bool profiles() { return internal::tells(internal::kProfile); }
// Around a fork: files and sums belong to the parent, and what is buffered is written once.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

// The same text at an address that stays until the process ends.
const char* keep(const char* text);

// How a kernel runs on its device, for the profile. 0, "": not known. Texts are kept or literals.
struct KernelForm {
  const char* tier = "";  // as in Work
  // CUDA, for groups as they were launched.
  uint32_t group_items = 0;      // work-items of a group
  uint32_t local_bytes = 0;      // local memory of a group
  uint32_t registers = 0;        // of a work-item
  uint32_t groups_per_unit = 0;  // that a multiprocessor runs at the same time
  uint32_t occupancy = 0;        // their work-items, in thousandths of those that it has room for
  // CPU; "UnitForm" of compiler/unit.h.
  const char* barriers = "";  // none, split, fibers; "": nothing is known of how the work-items run
  uint32_t lanes = 0, dimension = 0, loops = 0, lane_loops = 0;
  const char* no_lanes = "";                           // why not all loops run as vectors
  const char* fibers = "";                             // why the kernel cannot be split at its barriers
  bool operator==(const KernelForm&) const = default;  // kept texts are the same where their addresses are
};
// The same form at an address that stays until the process ends; null without memory.
const KernelForm* keep(const KernelForm& form);

// A kernel on its device, for the profile. Texts are kept or literals.
struct Row {
  const char* device = "";
  const char* name = "";
  const char* module = "";
  const KernelForm* form = nullptr;  // kept; null: not known
  bool is_late = false;              // the device tells times after the call, on any thread
  mutable int64_t latest = 0;        // is_late: the time of the last launch that was told; by std::atomic_ref
  bool operator==(const Row& other) const {
    return device == other.device && name == other.name && module == other.module && form == other.form &&
           is_late == other.is_late;
  }
};
const Row* keep(const Row& row);  // as that of a form

// ---- Host ----

// A call of the program, of whose parts some lie outside of its guard (api/guard.h).
struct Call {
  static constexpr int64_t kCounted = -1;
  // Nanoseconds of the host's clock. 0: the call is told to nothing, and the rest is not set. kCounted: the profile counts it
  // without a time, and the last three are set.
  int64_t begin = 0;
  int64_t end, waited;
  int64_t waited_before;  // on this thread, in the call that this one is inside of
  int64_t outer_begin;    // of that call; 0: there is none, or it is told to nothing
  uint64_t number;        // for the callback; 0: it is not told
  uint64_t outer;         // number of the call that this one is inside of
  uint64_t registration;  // of the callback that was told of the beginning
  Parts parts;            // of the thread, when the call began
  Tallies* tallies;       // of the thread
  Tally* tally;           // that counts it; null: no profile is on, or it is a hot call that is only counted
};
// Ahead of the guard, while something is on. `name` is a literal, as below.
void enter(Call* call, const char* name, HotCall hot = HotCall::kOther);
void enterLate(Call* call, const char* name);  // inside the guard, where the call may have started the library
void left(Call* call, const char* name);       // inside the guard: tells timeline and profile
void exit(const Call& call, const char* name, rtStatus_t status);  // after the guard
// enter() and left() of a hot call that the profile alone listens to and only counts. False: nothing was done, and enter() has
// to be called.
inline bool enterCounted(Call* call, HotCall hot) {
  Tallies* const own = Tallies::own();
  if (own == nullptr || internal::on.load(std::memory_order_relaxed) != internal::kProfile || !own->of(hot).skips())
    return false;
  call->begin = Call::kCounted;
  call->tallies = own;
  call->tally = nullptr;
  call->parts = own->parts;
  return true;
}
void endCounted(const Call& call, Tally& tally);
inline void leftCounted(const Call& call, HotCall hot) {
  if (call.tallies->parts.all != call.parts.all) [[unlikely]]
    endCounted(call, call.tally != nullptr ? *call.tally : call.tallies->of(hot));
}

// The time of a call in which its thread only waits, for a profile and the callback. The whole replaces the times of waits
// inside it.
class Wait {
 public:
  // `is_short`: the thread has little to run, and runs it itself. In a call that is only counted, what takes long of it tells
  // its own time, and the wait looks at no clock.
  explicit Wait(bool is_short = false) {
    if (internal::tells(internal::kProfile | internal::kCalls)) [[unlikely]]
      begin(is_short);
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  ~Wait() {
    if (begin_ != 0) [[unlikely]]
      end();
  }

 private:
  void begin(bool is_short);
  void end() const;

  int64_t begin_ = 0;  // 0: nothing listens; Call::kCounted: no clock
  int64_t before_;     // that the call had waited
  Parts parts_before_;
};

// A step of a build on this thread: "front end", "compiler", "cache hit". `what`: the name of the source.
class BuildStep {
 public:
  BuildStep(const char* step, const char* what);
  BuildStep(const BuildStep&) = delete;
  BuildStep& operator=(const BuildStep&) = delete;
  ~BuildStep();
  void rename(const char* step) { step_ = step; }  // once it is known how it ends

 private:
  const char* step_;
  const char* const what_;
  const int64_t begin_;
  const Parts before_;
};
// Optimised code has taken the place of the first one.
void improved(const char* module);

// A worker's part of a launch that another thread runs. `name` is copied.
void part(const char* name, int64_t begin, int64_t end);

// ---- Streams ----

// The track of a stream. Its number is for arrows and for marks of memory.
struct Track {
  uint64_t number = 0;
  const char* device = "";  // stays as long as the process
  char label[64] = "";
  char context[64] = "";  // label of its context; "": it has none
};
void renew(Track* track, const char* device, const char* label);

enum class Kind : uint8_t { kKernel, kCopy, kFill, kPrefetch, kGraph, kTask, kHostFunction };

// One piece of a stream's work. Texts are literals or kept.
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
  const KernelForm* form = nullptr;  // of a kernel, while a profile is on; kept, null: not known
  const Row* row = nullptr;          // the same where the device counts launches; kept
  bool is_sample = false;            // stands for launches of its row that were only counted
};

// Starts an arrow that ends at the work of this number, from the call that the thread is in.
void submitted(const Track& track, uint64_t serial);
// Work of a stream that is over, in nanoseconds of the host's clock, to which the backend converts its device's.
void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end);
// True: a launch of this kernel that is about to run here is counted, and the profile asks for no time of it.
template <class Kernel>
inline bool counts(LaunchCounter& counter, const Kernel& kernel) {
  return internal::on.load(std::memory_order_relaxed) == internal::kProfile && counter.skips(kernel);
}
// The same for a launch on a device that tells times later. `row`: is_late; null: not known, and the launch is to be timed.
// False: `is_sample` says whether it stands for those that are only counted.
bool countsLate(bool* is_sample, const Row* row);
// Work that the calling thread has run itself, maybe in a call that is only counted.
void ranHere(int64_t nanoseconds);
void lost();  // work whose times the driver did not tell
// How a device's clock was mapped to the host's: each time of it is wrong by at most `error` nanoseconds at this moment.
void clock(const char* device, int64_t error);

// Keeps work whose times are not known yet: the commands of a driver's stream.
class Source {
 public:
  virtual ~Source() = default;
  // Tells what is over. Returns how many pieces of work are not; `last`: these are dropped.
  virtual uint64_t settle(bool last) = 0;
};
void add(Source& source);       // the caller holds no lock after that of its stream
void addAhead(Source& source);  // of the sources of now: what it settles is there for them
void remove(Source& source);    // waits for a settle() of it

// ---- Memory ----

void liveBytes(uint64_t bytes);
// Blocks that a pool hands out and takes back, and ranges that it takes from the driver and gives back. Told before others can
// have the bytes, so that the file has frees ahead of the allocations that follow them. `manyrt memory` reads these.
enum class Memory { kAllocate, kFree, kReserve, kRelease };
// `track`: of the stream in whose order it happens; 0: none. `device` and `kind`, for kReserve: of the pool.
void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device = "",
            const char* kind = "");
// The label of an allocation, once it is made.
void label(uint64_t address, const char* label);

}  // namespace manyrt::trace
