// The collector: what is on, and which sinks are told. Knows the sinks and not how they write; knows of the backends no more
// than the sources that they add. Begins and ends of sinks hold `control`.
#include "base/trace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <forward_list>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/config.h"
#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/os/this_thread.h"
#include "base/text.h"
#include "base/trace/callback.h"
#include "base/trace/profile.h"
#include "base/trace/tally.h"
#include "base/trace/timeline.h"
#include "base/trace/words.h"

namespace manyrt::trace {
namespace {

using internal::kBuilds;
using internal::kCallback;
using internal::kCalls;
using internal::kProfile;
using internal::kSubmissions;
using internal::kTimeline;
using internal::kWork;
using internal::tells;

struct Control {
  Ranked<std::mutex, LockRank::kTraceControl> mutex;
  bool finishes_at_exit = false;
};
Control& control() { return neverDestroyed<Control>(); }

std::atomic<uint64_t> next_track{1};
std::atomic<uint64_t> lost_spans{0};  // since the timeline began. Relaxed: a count

// The innermost call on this thread: the time that it has waited, its number and its beginning. 0: not told. Its first arrow is
// told with its end, so that a launch is one record. `arrow.track` 0: there is none.
struct Arrow {
  uint64_t track = 0, serial = 0;
};
#define RT_IN_STATIC_BLOCK __attribute__((tls_model("initial-exec")))  // which takes no call to find
constinit thread_local int64_t waited RT_IN_STATIC_BLOCK = 0;
constinit thread_local uint64_t current_call RT_IN_STATIC_BLOCK = 0;
constinit thread_local int64_t current_begin RT_IN_STATIC_BLOCK = 0;
constinit thread_local Arrow arrow RT_IN_STATIC_BLOCK;
#undef RT_IN_STATIC_BLOCK

// At the beginning of a call inside of another one, whose arrow this is.
void tellArrow() {
  const Arrow told = std::exchange(arrow, Arrow());
  if (told.track != 0 && tells(kTimeline)) timeline::submitted(told.track, told.serial, nowNanoseconds());
}

// Makes this call the innermost one.
void begin(Call* call) {
  if (arrow.track != 0) [[unlikely]]
    tellArrow();
  call->begin = nowNanoseconds();
  call->waited_before = std::exchange(waited, 0);
  call->outer = current_call;
  call->outer_begin = std::exchange(current_begin, call->begin);
  call->number = 0;
}

void turnOn(uint32_t sinks) { internal::on.fetch_or(sinks, std::memory_order_relaxed); }
void turnOff(uint32_t sinks) { internal::on.fetch_and(~sinks, std::memory_order_relaxed); }

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

// Returns how many pieces of work are not over.
uint64_t settleAll(bool last) {
  if (!enabled()) return 0;  // also in a forked child, where a thread of the parent may have the lock
  Sources& known = sources();
  std::lock_guard lock(known.mutex);
  uint64_t running = 0;
  if (known.over) return 0;
  for (Source* each : known.all) running += each->settle(last);
  return running;
}

// For a sink that ends: what is over is told, and the rest is lost, for it alone where another one goes on. Returns how many
// are lost for it alone.
uint64_t settleFor(uint32_t sinks) {
  const bool last = !tells((kTimeline | kProfile | kWork) & ~sinks);
  const uint64_t running = settleAll(last);
  return last ? 0 : running;
}

void settleAtExit() {
  if (!enabled()) return;
  (void)settleAll(true);
  std::lock_guard lock(sources().mutex);
  sources().over = true;
}

// Functions of the program are not called any more: what they use may be gone. Log lines go out here, and not on a thread that
// ends with the process.
void finishAtExit() {
  const epoch::Scope scope;
  turnOff(kCallback);
  callback::abandon();
  finish();
}

// Under `control`.
void finishesAtExit() {
  if (!std::exchange(control().finishes_at_exit, true)) (void)atexit(finishAtExit);
}

}  // namespace

namespace internal {

std::atomic<uint32_t> on{0};

}  // namespace internal

uint64_t threadNumber() {
  thread_local const uint64_t number = this_thread::number();
  return number;
}

namespace {

// Under `control`.
Status beginTimeline(const char* file, bool from_start) {
  RT_TRY(timeline::start(file, from_start));
  lost_spans.store(0, std::memory_order_relaxed);
  finishesAtExit();
  turnOn(kTimeline);
  return Status();
}

Status endTimeline(uint64_t running) {
  const uint64_t lost = lost_spans.exchange(0, std::memory_order_relaxed) + running;
  if (lost != 0 && tells(kTimeline)) timeline::lost(lost);
  turnOff(kTimeline);
  return timeline::finish();
}

}  // namespace

void start() {
  std::lock_guard lock(control().mutex);
  if (enabled()) return;
  if (const char* file = config::get(config::Variable::kTrace); file != nullptr) {
    if (const Status status = beginTimeline(file, true); !status.ok()) log::write(RT_LOG_WARNING, "%s", status.message());
  }
  if (!profile::start()) return;
  finishesAtExit();
  turnOn(kProfile);
}

void finish() {
  callback::Handle ended;
  {
    std::lock_guard lock(control().mutex);
    (void)settleAll(true);
    const bool writes = tells(kTimeline);  // else it has ended early, and the log has said so
    const Status status = endTimeline(0);
    if (writes && !status.ok()) log::write(RT_LOG_WARNING, "%s", status.message());
    turnOff(kProfile | kCallback);
    profile::finish();
    ended = callback::replace(nullptr);
  }
  if (ended != nullptr) callback::deliverRest(*ended, callback::Patience::kOneSecond);
}

Status startTimeline(const char* file) {
  std::lock_guard lock(control().mutex);
  return beginTimeline(file, false);
}

Status stopTimeline() {
  std::lock_guard lock(control().mutex);
  return endTimeline(tells(kTimeline) ? settleFor(kTimeline) : 0);
}

Status setCallback(rtTraceCallback_t function, void* user, uint32_t kinds) {
  const uint32_t wanted = function != nullptr ? callback::sinksOf(kinds) : 0;
  callback::Handle fresh = function != nullptr ? callback::make(function, user, wanted) : nullptr;
  callback::Handle ended;
  {
    std::lock_guard lock(control().mutex);
    if (tells(kWork)) callback::lost((wanted & kWork) == 0 ? settleFor(kWork) : (settleAll(false), 0));
    finishesAtExit();
    ended = callback::replace(std::move(fresh));
    turnOff(kCallback & ~wanted);
    turnOn(wanted);
  }
  if (ended != nullptr) callback::deliverRest(*ended, callback::Patience::kForEver);
  return Status();
}

// In the order of the locks.
void beforeFork() {
  control().mutex.lock();
  profile::beforeFork();
  callback::beforeFork();
  timeline::beforeFork();
}

void afterForkInParent() {
  timeline::afterForkInParent();
  callback::afterForkInParent();
  profile::afterForkInParent();
  control().mutex.unlock();
}

void afterForkInChild() {
  internal::on.store(0, std::memory_order_relaxed);
  timeline::afterForkInChild();
  callback::afterForkInChild();
  profile::afterForkInChild();
  control().mutex.unlock();
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

// Forms are few, and each kernel asks once for each: a list is enough.
const KernelForm* keep(const KernelForm& form) {
  struct Forms {
    Ranked<std::mutex, LockRank::kTraceTexts> mutex;
    std::forward_list<KernelForm> all;
  };
  Forms& known = neverDestroyed<Forms>();
  std::lock_guard lock(known.mutex);
  const auto found = std::find(known.all.begin(), known.all.end(), form);
  if (found != known.all.end()) return &*found;
  try {
    return &known.all.emplace_front(form);
  } catch (const std::bad_alloc&) {  // a trace fails no call
    return nullptr;
  }
}

// Rows are looked up once for each kernel. The last one is in front.
const Row* keep(const Row& row) {
  struct Rows {
    Ranked<std::mutex, LockRank::kTraceTexts> mutex;
    std::forward_list<Row> all;
  };
  Rows& known = neverDestroyed<Rows>();
  std::lock_guard lock(known.mutex);
  const auto found = std::find(known.all.begin(), known.all.end(), row);
  if (found != known.all.end()) return &*found;
  try {
    return &known.all.emplace_front(row);
  } catch (const std::bad_alloc&) {  // a trace fails no call
    return nullptr;
  }
}

// ---- Host ----

namespace {

// Null: there is no memory for it.
Tally* tallyOf(const char* name, HotCall hot) {
  Tallies* const own = Tallies::ownOrNew();
  if (own == nullptr) return nullptr;
  return hot != HotCall::kOther ? &own->of(hot, name) : Tallies::find(name);
}

Parts partsSoFar() { return Tallies::own() != nullptr ? Tallies::own()->parts : Parts{}; }

}  // namespace

void enter(Call* call, const char* name, HotCall hot) {
  call->tally = tells(kProfile) ? tallyOf(name, hot) : nullptr;
  if (internal::on.load(std::memory_order_relaxed) == kProfile && call->tally != nullptr && call->tally->skips()) {
    call->begin = Call::kCounted;
    call->tallies = Tallies::own();
    call->parts = call->tallies->parts;
    return;
  }
  begin(call);
  if (!tells(kCalls | kSubmissions)) return;
  callback::enter(call, name);
  current_call = call->number;
  call->begin = current_begin = nowNanoseconds();
}

void enterLate(Call* call, const char* name) {
  if (!enabled() || call->begin != 0) return;
  begin(call);
  call->tally = tells(kProfile) ? tallyOf(name, HotCall::kOther) : nullptr;
}

// The long part of the call has told its time, and stands for the whole.
void endCounted(const Call& call, Tally& tally) {
  const Parts now = call.tallies->parts;
  const int64_t took = now.all - call.parts.all;
  if (took >= Tally::kShort) tally.promote(took, std::clamp<int64_t>(now.waited - call.parts.waited, 0, took));
}

void left(Call* call, const char* name) {
  if (call->begin == Call::kCounted) {
    if (call->tally != nullptr) endCounted(*call, *call->tally);  // else a hot call, which an exception has ended
    return;
  }
  call->end = nowNanoseconds();
  call->waited = std::min(waited, call->end - call->begin);
  waited = call->waited_before;
  current_call = call->outer;
  current_begin = call->outer_begin;
  const Arrow told = std::exchange(arrow, Arrow());
  if (tells(kTimeline)) timeline::call(name, call->begin, call->end, told.track, told.serial);
  if (tells(kProfile)) profile::call(call->tally, call->end - call->begin, call->waited);
}

void exit(const Call& call, const char* name, rtStatus_t status) {
  if (!tells(kCallback)) return;
  callback::deliver();
  if (call.number != 0) callback::exit(call, name, status);
}

// The innermost call is timed where there is a beginning.
void Wait::begin(bool is_short) {
  before_ = waited;
  parts_before_ = partsSoFar();
  begin_ = is_short && current_begin == 0 ? Call::kCounted : nowNanoseconds();
}

void Wait::end() const {
  Tallies* const own = Tallies::own();
  if (begin_ == Call::kCounted) {
    if (own != nullptr) own->parts.waited = parts_before_.waited + own->parts.all - parts_before_.all;
    return;
  }
  const int64_t took = nowNanoseconds() - begin_;
  waited = before_ + took;
  if (own != nullptr) own->parts = {parts_before_.all + took, parts_before_.waited + took};
}

BuildStep::BuildStep(const char* step, const char* what)
    : step_(step), what_(what), begin_(enabled() ? nowNanoseconds() : 0), before_(begin_ != 0 ? partsSoFar() : Parts{}) {}

BuildStep::~BuildStep() {
  if (begin_ == 0) [[likely]]
    return;
  const int64_t end = nowNanoseconds();
  if (Tallies* const own = Tallies::own(); own != nullptr) own->parts.all = before_.all + end - begin_;
  if (tells(kTimeline)) timeline::span("build", step_, what_, begin_, end);
  if (tells(kProfile)) profile::build(step_, end - begin_);
  if (tells(kBuilds)) callback::build(step_, what_, begin_, end);
}

void improved(const char* module) {
  if (tells(kTimeline)) timeline::mark("build", "optimised code has arrived", module);
}

void part(const char* name, int64_t begin, int64_t end) {
  if (tells(kTimeline)) timeline::part(name, begin, end);
}

// ---- Streams ----

void renew(Track* track, const char* device, const char* label) {
  track->number = next_track.fetch_add(1, std::memory_order_relaxed);  // relaxed: tracks only have to differ
  track->device = device;
  copyLetters(track->label, sizeof track->label, label);
  track->context[0] = '\0';
}

void submitted(const Track& track, uint64_t serial) {
  const bool with_call = current_begin != 0 && arrow.track == 0;
  if (with_call) arrow = {track.number, serial};
  if (!with_call && tells(kTimeline)) timeline::submitted(track.number, serial, nowNanoseconds());
  if (tells(kSubmissions)) callback::submitted(track, serial, current_call, nowNanoseconds());
}

void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end) {
  end = std::max(begin, end);
  if (tells(kTimeline)) timeline::work(track, serial, work, begin, end);
  if (tells(kProfile)) {
    if (work.row != nullptr && work.row->is_late)
      std::atomic_ref(work.row->latest).store(end - begin, std::memory_order_relaxed);
    profile::work(track, work, end - begin);
  }
  if (tells(kWork)) callback::work(track, serial, work, begin, end);
}

// Relaxed: a launch that is timed or counted without need costs little.
bool countsLate(bool* is_sample, const Row* row) {
  *is_sample = false;
  if (row == nullptr || internal::on.load(std::memory_order_relaxed) != kProfile) return false;
  if (std::atomic_ref(row->latest).load(std::memory_order_relaxed) >= Tally::kShortOnDevice) return false;
  Tally* const tally = Tallies::find(row);
  return tally != nullptr && tally->skipsLate(is_sample);
}

void ranHere(int64_t nanoseconds) {
  if (Tallies* const own = Tallies::own(); own != nullptr) own->parts.all += nanoseconds;
}

void lost() {
  if (!enabled()) return;
  lost_spans.fetch_add(1, std::memory_order_relaxed);
  if (tells(kProfile)) profile::lost();
  if (tells(kWork)) callback::lost(1);
}

void clock(const char* device, int64_t error) {
  if (tells(kTimeline)) timeline::clock(device, error);
}

namespace {

// The first source comes from a driver that is at work. So its own functions for the exit were registered before this one, and
// run after it. The last spans are asked for while the driver still answers.
void addAt(Source& source, bool ahead) {
  Sources& known = sources();
  bool first = false;
  {
    std::lock_guard lock(known.mutex);
    try {
      known.all.insert(ahead ? known.all.begin() : known.all.end(), &source);
    } catch (const std::bad_alloc&) {  // a trace fails no call: its last spans may be lost
      return;
    }
    first = enabled() && !std::exchange(known.settles_at_exit, true);
  }
  if (first) (void)atexit(settleAtExit);
}

}  // namespace

void add(Source& source) { addAt(source, false); }
void addAhead(Source& source) { addAt(source, true); }

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

void label(uint64_t address, const char* label) {
  if (tells(kTimeline)) timeline::label(address, label);
}

}  // namespace manyrt::trace
