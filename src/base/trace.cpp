// The collector: what is on, and which sinks are told. Knows the sinks and not how they write; knows of the backends no more
// than the sources that they add.
#include "base/trace.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/lock_order.h"
#include "base/never_destroyed.h"
#include "base/text.h"
#include "base/trace/profile.h"
#include "base/trace/timeline.h"

namespace manyrt::trace {
namespace {

using internal::kProfile;
using internal::kTimeline;

std::atomic<uint64_t> next_track{1};
std::atomic<uint64_t> lost_spans{0};  // relaxed: a count

// Waited on this thread since its last call ended.
thread_local int64_t waited = 0;

bool tells(uint32_t sink) { return (internal::on.load(std::memory_order_relaxed) & sink) != 0; }

// ---- Kept texts ----

struct Texts {
  Ranked<std::mutex, LockRank::kTraceTexts> mutex;
  std::unordered_set<std::string> all;
};
Texts& texts() { return neverDestroyed<Texts>(); }

// ---- Sources ----

struct Sources {
  Ranked<std::mutex, LockRank::kTraceSources> mutex;
  std::vector<Source*> all;
  bool settles_at_exit = false;
  bool over = false;  // at exit, when drivers may be gone
};
Sources& sources() { return neverDestroyed<Sources>(); }

void settleAll() {
  if (!enabled()) return;
  Sources& known = sources();
  std::lock_guard lock(known.mutex);
  if (known.over) return;
  for (Source* each : known.all) each->settle();
}

void settleAtExit() {
  if (!enabled()) return;  // in a forked child, where a thread of the parent may have the lock
  settleAll();
  std::lock_guard lock(sources().mutex);
  sources().over = true;
}

}  // namespace

namespace internal {

std::atomic<uint32_t> on{0};

int64_t waitedSoFar() { return waited; }
void setWaited(int64_t nanoseconds) { waited = nanoseconds; }

}  // namespace internal

void start() {
  if (enabled()) return;
  uint32_t sinks = 0;
  if (timeline::start()) sinks |= kTimeline;
  if (profile::start()) sinks |= kProfile;
  internal::on.store(sinks, std::memory_order_relaxed);
}

void finish() {
  settleAll();
  if (const uint64_t lost = lost_spans.exchange(0, std::memory_order_relaxed); lost != 0 && tells(kTimeline))
    timeline::lost(lost);
  internal::on.store(0, std::memory_order_relaxed);
  timeline::finish();
  profile::finish();
}

void beforeFork() {
  profile::beforeFork();
  timeline::beforeFork();
}

void afterForkInParent() {
  timeline::afterForkInParent();
  profile::afterForkInParent();
}

void afterForkInChild() {
  internal::on.store(0, std::memory_order_relaxed);
  timeline::afterForkInChild();
  profile::afterForkInChild();
}

const char* keep(const char* text) {
  if (text[0] == '\0') return "";
  Texts& known = texts();
  std::lock_guard lock(known.mutex);
  try {
    return known.all.emplace(text).first->c_str();
  } catch (const std::bad_alloc&) {  // a trace fails no call
    return "?";
  }
}

// ---- Host ----

void call(const char* name, int64_t begin, int64_t end) {
  const int64_t waiting = std::min(waited, end - begin);
  waited = 0;
  if (tells(kTimeline)) timeline::span("call", name, "", begin, end);
  if (tells(kProfile)) profile::call(name, end - begin, waiting);
}

BuildStep::~BuildStep() {
  if (begin_ == 0) [[likely]]
    return;
  const int64_t end = nowNanoseconds();
  if (tells(kTimeline)) timeline::span("build", step_, what_, begin_, end);
  if (tells(kProfile)) profile::build(step_, end - begin_);
}

void improved(const char* module) {
  if (tells(kTimeline)) timeline::mark("build", "optimised code has arrived", module);
}

void part(const char* name, int64_t begin, int64_t end) {
  if (tells(kTimeline)) timeline::span("part", name, "", begin, end);
}

// ---- Streams ----

void renew(Track* track, const char* device, const char* label) {
  track->number = next_track.fetch_add(1, std::memory_order_relaxed);  // relaxed: tracks only have to differ
  track->device = device;
  copyLetters(track->label, sizeof track->label, label);
}

void submitted(uint64_t track, uint64_t serial, int64_t now) {
  if (tells(kTimeline)) timeline::submitted(track, serial, now);
}

void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end) {
  end = std::max(begin, end);
  if (tells(kTimeline)) timeline::work(track, serial, work, begin, end);
  if (tells(kProfile)) profile::work(track, work, end - begin);
}

void lost() {
  if (!enabled()) return;
  lost_spans.fetch_add(1, std::memory_order_relaxed);
  if (tells(kProfile)) profile::lost();
}

void clock(const char* device, int64_t error) {
  if (tells(kTimeline)) timeline::clock(device, error);
}

// The first source comes from a driver that is at work, so that its own functions for the exit were registered before this one
// and run after it: the last spans are asked for while the driver still answers.
void add(Source& source) {
  Sources& known = sources();
  bool first = false;
  {
    std::lock_guard lock(known.mutex);
    try {
      known.all.push_back(&source);
    } catch (const std::bad_alloc&) {  // a trace fails no call: its last spans may be lost
      return;
    }
    first = enabled() && !std::exchange(known.settles_at_exit, true);
  }
  if (first) (void)atexit(settleAtExit);
}

void remove(Source& source) {
  Sources& known = sources();
  std::lock_guard lock(known.mutex);
  std::erase(known.all, &source);
}

// ---- Memory ----

void liveBytes(uint64_t bytes) {
  if (tells(kTimeline)) timeline::liveBytes(bytes);
}

void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device,
            const char* kind) {
  if (tells(kTimeline)) timeline::memory(what, pool, address, bytes, track, device, kind);
}

}  // namespace manyrt::trace
