// Telling the program, and the queue. The thread that queues the first record also schedules its delivery for the time when it
// is at rest. That may be late. So every call of the program delivers the records that it finds at its end. A queue that is
// half full gets a thread of the library. One thread at a time delivers, which keeps the order.
#include "base/trace/callback.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/callbacks.h"
#include "base/lock_order.h"
#include "base/never_destroyed.h"
#include "base/text.h"
#include "base/trace/words.h"

namespace manyrt::trace::callback {

struct Queued {
  rtTraceRecord_t record;
  char label[sizeof Track::label];
};

struct Registration {
  Registration(rtTraceCallback_t called, void* with, uint32_t asked) : function(called), user(with), sinks(asked) {}
  const rtTraceCallback_t function;
  void* const user;
  const uint32_t sinks;
  uint64_t number = 0;
  // A callback that has replaced itself gets no more of the batch that is being delivered. Relaxed: its own thread set it, or
  // another one, which the delivery need not notice at once.
  std::atomic<bool> is_over{false};
  // Under the lock of the state.
  uint64_t inside = 0;  // calls that run
  bool delivers = false;
  std::vector<Queued> queue;
  uint64_t lost = 0;
};

namespace {

constexpr size_t kMost = 1 << 14;  // records in a queue, of 250 bytes each

struct State {
  Ranked<std::mutex, LockRank::kTraceCallback> mutex;
  ConditionVariable left;
  Handle current;
  uint64_t registrations = 0;
  bool scheduled = false, helped = false;  // whether each of the jobs is in a queue
};
State& state() { return neverDestroyed<State>(); }

std::atomic<uint64_t> next_call{1};  // relaxed: numbers only have to differ

thread_local const Registration* telling = nullptr;  // whose function runs on this thread

bool isAtRest() {
  const epoch::Record* record = epoch::internal::record;
  // Relaxed: the record of this thread, which it alone writes.
  return telling == nullptr && (record == nullptr || record->active.load(std::memory_order_relaxed) == 0);
}

rtTraceRecord_t recordOf(int32_t type, const char* name, int64_t begin, int64_t end) {
  rtTraceRecord_t record = RT_TRACE_RECORD_INIT;
  record.type = type;
  record.thread = threadNumber();
  record.begin_ns = begin;
  record.end_ns = end;
  record.name = name;
  record.module = record.tier = record.device = record.label = "";
  return record;
}

void tell(Registration& to, const rtTraceRecord_t& record) {
  callbacks::Running running("trace callback");
  const Registration* const outer = std::exchange(telling, &to);
  try {
    to.function(&record, to.user);
  } catch (...) {  // no call is left that could report it
  }
  telling = outer;
}

// ---- On the calling thread ----

// The callback, held, if it asks for one of these.
Handle hold(uint32_t sinks) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  if (all.current == nullptr || (all.current->sinks & sinks) == 0) return nullptr;
  ++all.current->inside;
  return all.current;
}

void letGo(Registration& held) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  if (--held.inside == 0) all.left.notify_all();
}

}  // namespace

void enter(Call* call, const char* name) {
  if (!isAtRest()) return;  // a call of the callback's own, or one inside a call
  const Handle to = hold(internal::kCalls | internal::kSubmissions);
  if (to == nullptr) return;
  call->number = next_call.fetch_add(1, std::memory_order_relaxed);
  call->registration = to->number;
  if ((to->sinks & internal::kCalls) != 0) {
    rtTraceRecord_t record = recordOf(RT_TRACE_RECORD_ENTER, name, call->begin, call->begin);
    record.call = call->number;
    tell(*to, record);
  }
  letGo(*to);
}

void exit(const Call& call, const char* name, rtStatus_t status) {
  const Handle to = hold(internal::kCalls);
  if (to == nullptr) return;
  if (to->number == call.registration) {
    rtTraceRecord_t record = recordOf(RT_TRACE_RECORD_EXIT, name, call.begin, call.end);
    record.call = call.number;
    record.waited_ns = call.waited;
    record.status = status;
    tell(*to, record);
  }
  letGo(*to);
}

void range(int32_t type, const char* name, int64_t begin, int64_t end) {
  if (!isAtRest()) return;
  const Handle to = hold(internal::kRanges);
  if (to == nullptr) return;
  tell(*to, recordOf(type, name, begin, end));
  letGo(*to);
}

// ---- The queue ----

namespace {

// The two jobs, of which each is queued once at a time.
struct WhenAtRest final : host_threads::Job {
  void run() override;
};
struct OnLibraryThread final : host_threads::Job {
  void run() override;
};

// Under the lock, which it gives back while it calls. Batches that are queued meanwhile follow while `goes_on`.
void deliver(std::unique_lock<Ranked<std::mutex, LockRank::kTraceCallback>>& lock, Registration& to, bool goes_on) {
  to.delivers = true;
  ++to.inside;
  do {
    std::vector<Queued> batch = std::exchange(to.queue, {});
    const uint64_t lost = std::exchange(to.lost, 0);
    lock.unlock();
    for (Queued& each : batch) {
      if (to.is_over.load(std::memory_order_relaxed)) break;
      each.record.label = each.label;
      tell(to, each.record);
    }
    if (lost != 0 && !to.is_over.load(std::memory_order_relaxed)) {
      const int64_t now = nowNanoseconds();
      rtTraceRecord_t record = recordOf(RT_TRACE_RECORD_LOST, "lost", now, now);
      record.lost = lost;
      tell(to, record);
    }
    batch.clear();
    lock.lock();
    if (to.queue.empty()) to.queue.swap(batch);  // its memory is used again
  } while (goes_on && !to.is_over.load(std::memory_order_relaxed) && (!to.queue.empty() || to.lost != 0));
  to.delivers = false;
  --to.inside;
  state().left.notify_all();
}

// True: more is in the queue than this thread has delivered, and nothing is scheduled for it.
bool deliverSome(bool goes_on) {
  State& all = state();
  std::unique_lock lock(all.mutex);
  const Handle to = all.current;
  if (to == nullptr || to->delivers || (to->queue.empty() && to->lost == 0)) return false;
  deliver(lock, *to, goes_on);
  return !goes_on && to == all.current && (!to->queue.empty() || to->lost != 0) && !std::exchange(all.helped, true);
}

void deliverOnLibraryThread() { host_threads::submit(&neverDestroyed<OnLibraryThread>()); }

// A thread that is inside the callback leaves the work to one of the library.
void WhenAtRest::run() {
  const bool may = isAtRest();
  bool more = !may;
  {
    State& all = state();
    std::lock_guard lock(all.mutex);
    all.scheduled = false;
    more = more && !std::exchange(all.helped, true);
  }
  if (may) more = deliverSome(false);
  if (more) deliverOnLibraryThread();
}

void OnLibraryThread::run() {
  {
    std::lock_guard lock(state().mutex);
    state().helped = false;
  }
  (void)deliverSome(true);
}

template <class Fill>
void push(uint32_t sink, Fill fill) {
  State& all = state();
  bool schedules = false, helps = false;
  {
    std::lock_guard lock(all.mutex);
    Registration* const to = all.current.get();
    if (to == nullptr || (to->sinks & sink) == 0) return;
    if (to->queue.size() < kMost) {
      try {
        fill(&to->queue.emplace_back());
      } catch (const std::bad_alloc&) {  // a trace fails no call
        ++to->lost;
      }
    } else {
      ++to->lost;
    }
    schedules = !std::exchange(all.scheduled, true);
    if (to->queue.size() == kMost / 2) helps = !std::exchange(all.helped, true);
  }
  if (schedules) callbacks::later(&neverDestroyed<WhenAtRest>());
  if (helps) deliverOnLibraryThread();
}

void putTrack(Queued* out, const Track& track, uint64_t serial) {
  out->record.stream = track.number;
  out->record.serial = serial;
  out->record.device = track.device;
  copyLetters(out->label, sizeof out->label, track.label);
}

}  // namespace

void submitted(const Track& track, uint64_t serial, uint64_t call, int64_t now) {
  if (telling != nullptr) return;
  push(internal::kSubmissions, [&](Queued* out) {
    out->record = recordOf(RT_TRACE_RECORD_SUBMISSION, "submit", now, now);
    out->record.call = call;
    putTrack(out, track, serial);
  });
}

void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end) {
  push(internal::kWork, [&](Queued* out) {
    out->record = recordOf(RT_TRACE_RECORD_WORK, nameOf(work), begin, end);
    out->record.thread = 0;
    putTrack(out, track, serial);
    out->record.work = static_cast<int32_t>(work.kind) + RT_WORK_KERNEL;
    out->record.copy = work.copy;
    out->record.in_graph = work.in_graph ? 1 : 0;
    out->record.bytes = work.bytes;
    for (int d = 0; d < 3; ++d) {
      out->record.grid[d] = work.grid[d];
      out->record.group[d] = work.group[d];
    }
    out->record.module = work.module;
    out->record.tier = work.tier;
  });
}

void build(const char* step, const char* module, int64_t begin, int64_t end) {
  const char* const kept = keep(module);  // takes a lock of its own
  push(internal::kBuilds, [&](Queued* out) {
    out->record = recordOf(RT_TRACE_RECORD_BUILD, step, begin, end);
    out->record.module = kept;
    out->label[0] = '\0';
  });
}

void lost(uint64_t count) {
  if (count == 0) return;
  State& all = state();
  bool schedules = false;
  {
    std::lock_guard lock(all.mutex);
    if (all.current == nullptr) return;
    all.current->lost += count;
    schedules = !std::exchange(all.scheduled, true);
  }
  if (schedules) callbacks::later(&neverDestroyed<WhenAtRest>());
}

void deliver() {
  if (isAtRest() && deliverSome(false)) deliverOnLibraryThread();
}

// ---- Beginning and end ----

uint32_t sinksOf(uint32_t kinds) {
  static_assert(RT_TRACE_CALLS << 2 == internal::kCalls && RT_TRACE_RANGES << 2 == internal::kRanges);
  return kinds << 2 & internal::kCallback;
}

Handle make(rtTraceCallback_t function, void* user, uint32_t sinks) {
  return std::make_shared<Registration>(function, user, sinks);
}

Handle replace(Handle fresh) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  if (fresh != nullptr) fresh->number = ++all.registrations;
  return std::exchange(all.current, std::move(fresh));
}

void deliverRest(Registration& ended, Patience patience) {
  if (telling != nullptr) {
    ended.is_over.store(true, std::memory_order_relaxed);
    return;
  }
  State& all = state();
  std::unique_lock lock(all.mutex);
  lock_order::mayWait("a wait for a trace callback");
  const auto await = [&](auto condition) {
    if (patience == Patience::kOneSecond) return all.left.wait_for(lock, std::chrono::seconds(1), condition);
    all.left.wait(lock, condition);
    return true;
  };
  if (!await([&] { return !ended.delivers; })) return;
  if (!ended.queue.empty() || ended.lost != 0) deliver(lock, ended, true);
  (void)await([&] { return ended.inside == 0; });
}

void abandon() {
  if (const Handle ended = replace(nullptr)) ended->is_over.store(true, std::memory_order_relaxed);
}

void beforeFork() { state().mutex.lock(); }
void afterForkInParent() { state().mutex.unlock(); }
// Records that the parent has queued belong to it. Their memory stays, since a thread that the child does not have may be at
// it.
void afterForkInChild() {
  (void)new (std::nothrow) Handle(std::move(state().current));
  state().current = nullptr;
  state().mutex.unlock();
}

}  // namespace manyrt::trace::callback
