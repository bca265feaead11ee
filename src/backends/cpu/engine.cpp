// Workers and lists: starting, napping, parking, waking, and handing streams to workers.
#include "backends/cpu/engine.h"

#include <climits>
#include <cstdlib>

#include "backends/cpu/kernel.h"
#include "backends/cpu/stream.h"
#include "backends/cpu/topology.h"
#include "base/crash.h"
#include "base/fault.h"
#include "base/os/futex.h"
#include "base/os/sanitizer.h"
#include "base/os/this_thread.h"
#include "base/os/thread.h"
#include "base/text.h"
#include "base/trace.h"

namespace manyrt::cpu {
namespace {

constexpr int64_t kSpin = 50'000;  // after the last command
constexpr int64_t kNap = 50'000;
constexpr int64_t kNapOnOneCore = 250'000;   // a turn of the worker costs the program some microseconds
constexpr int64_t kNapWhenFull = 1'000'000;  // beside as many threads at work as may be: the first one done looks around
constexpr int64_t kNapsFor = 10'000'000;     // after the last sign of life, then workers park
constexpr int64_t kWatch = 20'000;           // between two looks at launches that one thread runs alone
constexpr int kLazyList = kPriorities;

thread_local uint32_t solo_hint = 0;  // the record that this thread had last
thread_local const Engine* current_engine = nullptr;

}  // namespace

const Engine* currentEngine() { return current_engine; }

Engine::Engine(uint32_t threads, backend::WaitPolicy policy)
    : threads_(threads), policy_(policy), spins_(processors() > 1), workers_(new Worker[threads]) {
  for (uint32_t i = 0; i < threads; ++i) {
    workers_[i].engine = this;
    workers_[i].member.index = i;
    // A thread of the program that waits does a worker's work. The last worker then leaves its place to it.
    workers_[i].member.last = threads > 1 && i == threads - 1;
  }
}

Engine::~Engine() {
  // No lock: the last reference is gone, and with it all threads that could take one.
  while (arenas_ != nullptr) {
    Arena* next = arenas_->next;
    free(arenas_);
    arenas_ = next;
  }
}

Status Engine::start(uint32_t count) {
  // Threads are started when they are first wanted, one or all at a time, and never end before stop().
  std::lock_guard lock(start_mutex_);
  Status status;
  // Relaxed: started_ is written under this mutex alone. The new thread counts as running and as watching before it exists, so
  // that stop() waits for it and enlist() relies on it. Its creation publishes both counters to it.
  uint32_t started = started_.load(std::memory_order_relaxed);
  while (started < count && !stopping_.load(std::memory_order_acquire)) {
    retain();  // the thread's
    running_.fetch_add(1, std::memory_order_relaxed);
    beginWatching();
    status = startThread("manyrt-cpu", body, &workers_[started]);
    // The counts for the thread are taken back. Workers that are there already serve alone.
    if (!status.ok()) {
      endWatching();
      running_.fetch_sub(1, std::memory_order_relaxed);
      drop();
      break;
    }
    started_.store(++started, std::memory_order_seq_cst);  // for the loops that wake workers, and for ready()
  }
  return status;
}

void Engine::stop() {
  // Under the mutex of start(): after it started_ is final. stopping_ is set before `sleep` of a worker is read in wake(). A
  // worker sets `sleep` before it reads stopping_. All four are sequentially consistent, so the worker wakes or does not sleep.
  start_mutex_.lock();
  stopping_.store(true, std::memory_order_seq_cst);
  start_mutex_.unlock();
  uint32_t started = started_.load(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < started; ++i) wake(workers_[i]);
  // The acquire pairs with the decrement at the end of body(): what the workers have written is visible after it. A worker
  // that stops its own engine cannot wait for itself. The sleep is bounded, since its length does not matter here.
  uint32_t alive;
  while (current_engine != this && (alive = running_.load(std::memory_order_acquire)) != 0) {
    futexWait(&running_, alive, Deadline::after(1'000'000));
  }
  // The lists hold references. Each is dropped outside the spin lock: it may be the last one, and then the stream is deleted.
  for (int list = 0; list <= kLazyList; ++list) {
    for (;;) {
      lock_.lock();
      Stream* stream = lists_[list].first;
      if (stream != nullptr) remove(stream);
      lock_.unlock();
      // The list is empty for good: enlist() has seen stopping_ since.
      if (stream == nullptr) break;
      stream->drop();
    }
  }
}

void Engine::body(void* user) {
  Worker& worker = *static_cast<Worker*>(user);
  Engine& engine = *worker.engine;
  current_engine = &engine;
  Team::setIndex(worker.member.index);
  crash::prepareThread();
  this_thread::napPunctually();  // naps end when they should
  engine.work(worker);
  current_engine = nullptr;
  engine.running_.fetch_sub(1, std::memory_order_acq_rel);  // the release half publishes this thread's work to stop()
  futexWake(&engine.running_, INT_MAX);                     // the engine is still there: this thread's reference goes last
  engine.drop();
}

void Engine::work(Worker& worker) {
  int64_t active = nowNanoseconds();
  // Nothing is read after this load; somethingFor() reads the flag in the one order before the worker sleeps.
  while (!stopping_.load(std::memory_order_acquire)) {
    if (step(worker, &active)) continue;
    bool found = false;
    for (int spins = 0; spins_ && spins < 256 && !found; ++spins) {
      found = somethingFor(worker);
      if ((spins & 31) == 31) relaxCpu();
    }
    if (found) continue;
    watchSolos();
    if (!spins_ || nowNanoseconds() - active > kSpin) {
      doze(worker, active);
      active = nowNanoseconds();
    }
  }
  endWatching();
}

bool Engine::somethingFor(Worker& worker) {
  return urgentWaits() || team_.wanted(worker.member) || stopping_.load(std::memory_order_seq_cst);
}

namespace {

// A worker's part of a job in the trace. The job's owner keeps what `user` points to until the worker has left.
class Part {
 public:
  void begin(const Team::Job& job) {
    if (!trace::tellsParts()) [[likely]]
      return;
    const bool launch = job.body == runGroups;
    copyLetters(
        name_, sizeof name_,
        launch ? static_cast<const GroupRun*>(job.user.load(std::memory_order_relaxed))->kernel->name() : "shared work");
    begin_ = nowNanoseconds();
  }
  void end() const {
    if (begin_ != 0) [[unlikely]]
      trace::part(name_, begin_, nowNanoseconds());
  }

 private:
  int64_t begin_ = 0;
  char name_[128];
};

}  // namespace

// One job or one stream. The worker counts as watching before and after.
bool Engine::step(Worker& worker, int64_t* active) {
  Part part;
  auto enter = [&](const Team::Job& job) {
    endWatching();
    relay();
    part.begin(job);
  };
  auto leave = [&] {
    part.end();
    beginWatching();
  };
  if (team_.join(worker.member, enter, leave)) {
    *active = nowNanoseconds();
    return true;
  }
  if (!urgentWaits()) return false;
  Stream* stream = takeUrgent();
  if (stream == nullptr) return false;
  run(worker, stream, active);
  return true;
}

void Engine::run(Worker& worker, Stream* stream, int64_t* active) {
  endWatching();
  relay();
  prepareThread();  // commands may have to do with other backends
  *active = stream->work(worker);
  stream->drop();
  beginWatching();
}

// Naps, then parks, until something is there to do.
void Engine::doze(Worker& worker, int64_t active) {
  // From here on an urgent enlist() that finds no searching worker has to wake one. It raises urgent_ before it reads
  // searching_. This worker lowers searching_ before it reads urgent_ in somethingFor(). So the worker sees the stream, or is
  // seen missing.
  searching_.fetch_sub(1, std::memory_order_seq_cst);
  while (!somethingFor(worker)) {
    watchSolos();
    bool lively = false;
    Stream* found = nullptr;
    const bool last = nowNanoseconds() - active >= kNapsFor;  // before parking, when no stream may rely on a look any more
    if (lookAround(!last, &lively, &found)) {
      searching_.fetch_add(1, std::memory_order_seq_cst);
      run(worker, found, &active);
      return;
    }
    int64_t now = nowNanoseconds();
    if (lively) active = now;
    if (now - active < kNapsFor || lazy_.load(std::memory_order_seq_cst) != 0) {
      const int64_t nap = team_.occupies(threads_) ? kNapWhenFull : spins_ ? kNap : kNapOnOneCore;
      sleepUntil(worker, kNapping, Deadline::after(nap));
      continue;
    }
    // The same with watching_, which lazy entries and launches run alone rely on. A lazy enlist() raises lazy_ before it reads
    // watching_, and beginSolo() claims its record before that. sleepUntil() reads lazy_ again, and anySolo() the records.
    watching_.fetch_sub(1, std::memory_order_seq_cst);
    if (!anySolo()) sleepUntil(worker, kParked, Deadline::never());
    watching_.fetch_add(1, std::memory_order_seq_cst);
    active = nowNanoseconds();
  }
  searching_.fetch_add(1, std::memory_order_seq_cst);
}

void Engine::sleepUntil(Worker& worker, uint32_t how, Deadline deadline) {
  // `sleep` is set before the reasons to stay awake are read. A thread with a reason publishes it before wake() reads `sleep`.
  // So one sees the other. A wake() between the two makes the futex return at once, since the word is no longer `how`.
  worker.sleep.store(how, std::memory_order_seq_cst);
  if (!somethingFor(worker) && (how == kNapping || lazy_.load(std::memory_order_seq_cst) == 0)) {
    futexWait(&worker.sleep, how, deadline);
  }
  worker.sleep.store(kAwake, std::memory_order_seq_cst);
}

// Looks at the streams that their waiters are expected to drain. One that has stood still since the last look is taken. Idle
// ones stay listed while workers nap, so that the next submission finds its entry. Only the number of submissions is read of an
// idle one. The submitting thread has to fetch back each line that is read here.
bool Engine::lookAround(bool keep_idle, bool* lively, Stream** found) {
  if (lazy_.load(std::memory_order_seq_cst) == 0) return false;
  constexpr int kMax = 64;
  Stream* idle[kMax];
  int count = 0;
  lock_.lock();
  for (Stream *next, *stream = lists_[kLazyList].first; stream != nullptr && count < kMax; stream = next) {
    next = stream->next_;
    // Progress since the last look means that some thread runs the stream. It is left alone, and this worker does not park yet.
    const uint64_t submitted = stream->submitted();
    if (keep_idle && stream->idle_at_ == submitted) continue;
    uint64_t done = stream->completed();
    if (keep_idle && done == submitted) {
      stream->idle_at_ = submitted;
      stream->seen_ = done;
      *lively = true;
      continue;
    }
    if (stream->seen_ != done) {
      stream->seen_ = done;
      *lively = true;
      continue;
    }
    bool pending = stream->isFree() && stream->hasWork();
    if (pending && *found != nullptr) continue;
    remove(stream);
    // A submission may have relied on the entry until now. It sets producing_ before it reads listed_. remove() has cleared
    // listed_, and hasWork() reads producing_ after it. So the submission sees no entry, or this look sees the submission.
    if (!pending && stream->isFree() && stream->hasWork()) {
      append(kLazyList, stream);
      *lively = true;
      continue;
    }
    if (pending) {
      *found = stream;
    } else {
      idle[count++] = stream;
    }
  }
  lock_.unlock();
  for (int i = 0; i < count; ++i) idle[i]->drop();
  return *found != nullptr;
}

void Engine::enlist(Stream* stream, bool urgent) {
  lock_.lock();
  // A host thread may come here after the last work of a context that has ended meanwhile. stop() sets stopping_ before it
  // empties the lists under this lock: what is listed before that it drops, what comes later sees it. Hence relaxed.
  if (stopping_.load(std::memory_order_relaxed)) {
    lock_.unlock();
    return;
  }
  uint32_t listed = stream->listed_.load(std::memory_order_relaxed);  // written under the lock alone
  if (listed == Stream::kUrgent || (listed == Stream::kLazy && !urgent)) {
    lock_.unlock();
    return;
  }
  if (listed == Stream::kLazy) {
    remove(stream);
  } else {
    stream->retain();
  }
  // No number that a look has seen: the first look only notes how far the stream is.
  stream->seen_ = UINT64_MAX;
  stream->idle_at_ = UINT64_MAX;
  append(urgent ? -stream->priority_ : kLazyList, stream);
  lock_.unlock();
  if (urgent) {
    // append() has raised urgent_ or lazy_ before this reads searching_ or watching_; the other half is in doze() and relay().
    // Workers inside a cooperative launch count as searching and watching, but may be there for long. cooperative_ is read
    // relaxed: a stale value can only miss a launch that starts at this moment, and together() then looks at the lists.
    if (searching_.load(std::memory_order_seq_cst) == 0 || cooperative_.load(std::memory_order_relaxed)) wakeOne();
  } else if (watching_.load(std::memory_order_seq_cst) == 0 || cooperative_.load(std::memory_order_relaxed)) {
    wakeOne();
  }
}

// Called after endWatching(): the counters are lowered before the lists are read, as in doze().
void Engine::relay() {
  if (watching_.load(std::memory_order_seq_cst) == 0 && (team_.wanted() || anySolo())) wakeWatcher();
  if (urgent_.load(std::memory_order_seq_cst) != 0
          ? searching_.load(std::memory_order_seq_cst) == 0
          : lazy_.load(std::memory_order_seq_cst) != 0 && watching_.load(std::memory_order_seq_cst) == 0) {
    wakeOne();
  }
}

void Engine::append(int list, Stream* stream) {
  List& at = lists_[list];
  stream->list_ = list;
  stream->next_ = nullptr;
  stream->previous_ = at.last;
  (at.last != nullptr ? at.last->next_ : at.first) = stream;
  at.last = stream;
  // Both are read without lock_: listed_ by publish(), the counters by doze() and relay(). Hence seq_cst, also in remove().
  stream->listed_.store(list == kLazyList ? Stream::kLazy : Stream::kUrgent, std::memory_order_seq_cst);
  (list == kLazyList ? lazy_ : urgent_).fetch_add(1, std::memory_order_seq_cst);
}

void Engine::remove(Stream* stream) {
  List& at = lists_[stream->list_];
  (stream->next_ != nullptr ? stream->next_->previous_ : at.last) = stream->previous_;
  (stream->previous_ != nullptr ? stream->previous_->next_ : at.first) = stream->next_;
  (stream->list_ == kLazyList ? lazy_ : urgent_).fetch_sub(1, std::memory_order_seq_cst);
  stream->listed_.store(Stream::kNotListed, std::memory_order_seq_cst);
}

Stream* Engine::takeUrgent() {
  lock_.lock();
  Stream* stream = nullptr;
  for (int list = kPriorities - 1; list >= 0 && stream == nullptr; --list) stream = lists_[list].first;
  // The list's reference goes to the caller.
  if (stream != nullptr) remove(stream);
  lock_.unlock();
  return stream;
}

bool Engine::wake(Worker& worker) {
  // The load comes first because it leaves the cache line of an awake worker shared. If several threads wake the same worker,
  // the exchange lets one count it.
  if (worker.sleep.load(std::memory_order_seq_cst) == kAwake) return false;
  if (worker.sleep.exchange(kAwake, std::memory_order_seq_cst) == kAwake) return false;
  futexWake(&worker.sleep, 1);
  return true;
}

// A worker that naps looks around by itself.
void Engine::wakeWatcher() {
  const uint32_t started = started_.load(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < started; ++i) {
    if (workers_[i].sleep.load(std::memory_order_seq_cst) == kNapping || wake(workers_[i])) return;
  }
  startAnother(started);
}

// For a thread that has found no sleeper among the first `started` workers. Another thread may have started one more meanwhile,
// and not counted it yet when this one looked. That worker may have found nothing and sleep by now: it is woken after the
// mutex of start(), where it is counted.
void Engine::startAnother(uint32_t started) {
  if (started == threads_) return;
  (void)start(started + 1);
  const uint32_t now = started_.load(std::memory_order_seq_cst);
  for (uint32_t i = started; i < now; ++i) {
    if (wake(workers_[i])) return;
  }
}

void Engine::wakeOne() {
  uint32_t started = started_.load(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < started; ++i) {
    if (wake(workers_[i])) return;
  }
  // All workers are busy: one more starts, if there may be one. Where it cannot start, a worker that becomes free takes the
  // work.
  startAnother(started);
}

// Where helpers are welcome: awake workers come by themselves, unless they are busy; the first ones that sleep are woken.
void Engine::wakeHelpers(uint32_t count) {
  uint32_t started = started_.load(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < started && count > 0; ++i) {
    wake(workers_[i]);
    --count;
  }
}

// Where all have to come: an awake worker may be busy for long, so only workers that were asleep count.
void Engine::wakeSleepers(uint32_t count) {
  const uint32_t started = started_.load(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < started && count > 0; ++i) {
    if (wake(workers_[i])) --count;
  }
}

void Engine::share(JobBody job, void* user, uint64_t total, Pieces pieces, int64_t nanoseconds, bool foreign) {
  constexpr int64_t kWorthWaking = 30'000;
  // Helpers are woken only for work that lasts longer than waking them. Shorter jobs are open to workers that spin; where none
  // watches, one is woken for the case that the estimate is wrong.
  const uint64_t count = total / pieces.least + (total % pieces.least != 0 ? 1 : 0);
  uint32_t helpers = count - 1 < threads_ - 1 ? static_cast<uint32_t>(count - 1) : threads_ - 1;
  auto announce = [&] {
    if (nanoseconds >= kWorthWaking) {
      if (started_.load(std::memory_order_relaxed) < threads_) (void)start(threads_);
      wakeHelpers(foreign ? helpers : helpers + 1);  // the owner is one of those that are awake
    }
    wantWatcher();
  };
  if (helpers == 0 || !team_.share(job, user, total, pieces, helpers, foreign, announce)) job(user, 0, total, 0);
}

Solo* Engine::beginSolo(JobBody job, void* user, uint64_t total, bool foreign) {
  for (uint32_t i = 0; i < kSolos; ++i) {
    const uint32_t at = (solo_hint + i) % kSolos;
    if (!solos_[at].begin(job, user, total, foreign)) continue;
    solo_hint = at;
    wantWatcher();
    return &solos_[at];
  }
  return nullptr;
}

bool Engine::anySolo() const {
  for (const Solo& solo : solos_) {
    if (solo.running() != 0) return true;
  }
  return false;
}

// Each look takes a cache line away from a running launch: one worker looks, and seldom.
void Engine::watchSolos() {
  // watches_ is a try-lock of seen_solos_: acquire here, release below. next_watch_ read outside it is only a hint, so it is
  // read again inside; relaxed order is enough there, since the lock orders it.
  const int64_t now = nowNanoseconds();
  if (now < next_watch_.load(std::memory_order_relaxed) || watches_.exchange(true, std::memory_order_acquire)) return;
  uint32_t helpers = 0;
  if (now >= next_watch_.load(std::memory_order_relaxed)) {
    next_watch_.store(now + kWatch, std::memory_order_relaxed);
    for (uint32_t i = 0; i < kSolos; ++i) {
      const uint64_t running = solos_[i].running();
      // The same launch as at the last look: it has run for kWatch at least, so help is worth a steal.
      if (running != 0 && running == seen_solos_[i]) helpers += solos_[i].steal(running, threads_, team_);
      seen_solos_[i] = running;
    }
  }
  watches_.store(false, std::memory_order_release);
  if (helpers <= 1) return;  // this worker
  if (started_.load(std::memory_order_relaxed) < threads_) (void)start(threads_);
  wakeSleepers(helpers - 1);
}

bool Engine::claimCooperative(Stream* stream) {
  if (!cooperative_.exchange(true, std::memory_order_seq_cst)) return true;
  // The stream waits without a thread. It is blocked before it is listed: from then on another thread may unblock it, and it
  // is not touched here. The count rises before cooperative_ is read again, and together() lowers cooperative_ before it
  // reads the count. So the holder sees the stream, or this thread sees the right free.
  stream->retain();
  stream->state_.store(Stream::kBlocked, std::memory_order_seq_cst);
  lock_.lock();
  stream->next_waiting_ = nullptr;
  (waiting_.last != nullptr ? waiting_.last->next_waiting_ : waiting_.first) = stream;
  waiting_.last = stream;
  cooperative_waiting_.fetch_add(1, std::memory_order_seq_cst);
  lock_.unlock();
  if (!cooperative_.load(std::memory_order_seq_cst)) releaseCooperative();
  return false;
}

void Engine::releaseCooperative() {
  lock_.lock();
  Stream* stream = waiting_.first;
  if (stream != nullptr) {
    waiting_.first = stream->next_waiting_;
    if (waiting_.first == nullptr) waiting_.last = nullptr;
    cooperative_waiting_.fetch_sub(1, std::memory_order_seq_cst);
  }
  lock_.unlock();
  if (stream != nullptr) stream->unblock();
}

void Engine::together(JobBody job, void* user, uint32_t total, bool foreign) {
  // The caller has claimed cooperative_, so there is one such job at a time and the team's cooperative slot is its own.
  team_.together(job, user, total, foreign, [&] {
    wakeSleepers(total - 1);
    // A worker that joins may be the one that an earlier enlist() relied on. So one more wakes where a stream is listed.
    if (total < threads_ && (urgent_.load(std::memory_order_seq_cst) != 0 || lazy_.load(std::memory_order_seq_cst) != 0))
      wakeOne();
  });
  cooperative_.store(false, std::memory_order_seq_cst);  // then the count is read, as claimCooperative() says
  if (cooperative_waiting_.load(std::memory_order_seq_cst) != 0) releaseCooperative();
}

Arena* Engine::takeArena(uint64_t size) {
  arena_lock_.lock();
  Arena* arena = arenas_;
  if (arena != nullptr) arenas_ = arena->next;
  arena_lock_.unlock();
  // A smaller one is freed: the list has no order, and sizes of launches repeat.
  if (arena != nullptr && arena->size >= size) return arena;
  free(arena);
  const uint64_t bytes = sanitizer::hasAddress() ? size + 64 : (size + 64 + 4095) & ~uint64_t{4095};
  // A head of 64 bytes keeps the group's memory aligned to cache lines. Whole pages are kept and given out again.
  void* memory;
  if (fault::fails("cpu.arena") || posix_memalign(&memory, 64, bytes) != 0) return nullptr;
  arena = static_cast<Arena*>(memory);
  arena->size = bytes - 64;
  return arena;
}

void Engine::giveArena(Arena* arena) {
  // AddressSanitizer sees what runs over the end of an arena if that is as large as the group's memory.
  if (arena->size > Arena::kMaxKept || sanitizer::hasAddress()) return free(arena);
  arena_lock_.lock();
  arena->next = arenas_;
  arenas_ = arena;
  arena_lock_.unlock();
}

void Engine::enter(Stream* stream) {
  std::lock_guard lock(streams_mutex_);
  streams_.push_back(stream);
}

void Engine::forget(Stream* stream) {
  std::lock_guard lock(streams_mutex_);
  // From here on find() gives no reference to it: this is called by the stream's destructor.
  std::erase(streams_, stream);
}

Ref<Stream> Engine::find(uint64_t address) {
  std::lock_guard lock(streams_mutex_);
  for (Stream* stream : streams_) {
    if (reinterpret_cast<uintptr_t>(stream) == address && stream->tryRetain()) return Ref<Stream>::adopt(stream);
  }
  return nullptr;
}

}  // namespace manyrt::cpu
