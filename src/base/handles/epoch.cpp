// Epochs. A retired object carries the epoch that was current when it became unreachable. It is reclaimed when the epoch has
// moved on and no thread is in a call that began in that epoch or before.
//
// A thread is at rest where it holds no guard and no lock. Its record lists what it does there: reclaim a batch, finish objects
// whose last lease ended inside a guard, call the program. Reclaiming comes first, since it queues calls. A thread that will
// not be at rest, such as a driver's, leaves all three to the host threads.
#include "base/handles/epoch.h"

#include <sched.h>

#include <chrono>
#include <new>
#include <type_traits>
#include <utility>

#include "base/callbacks.h"
#include "base/fault.h"
#include "base/lock_order.h"
#include "base/spin_lock.h"

namespace manyrt::epoch {

namespace internal {
constinit thread_local Record* record = nullptr;
std::atomic<uint64_t> current{1};
}  // namespace internal

struct Limbo {
  Ranked<SpinLock, LockRank::kEpoch> lock;
  Retired* first = nullptr;  // oldest
  Retired** last = &first;
  // Changed under the lock. Read without it as a hint when a batch is full: relaxed.
  std::atomic<uint64_t> count{0};

  void push(Retired* object, uint64_t stamp) {
    object->next_ = nullptr;
    object->stamp_ = stamp;
    *last = object;
    last = &object->next_;
    count.fetch_add(1, std::memory_order_relaxed);
  }
  // Unlinks what was stamped before `oldest`.
  Retired* take(uint64_t oldest) {
    Retired* taken = nullptr;
    Retired** tail = &taken;
    uint64_t number = 0;
    while (first != nullptr && first->stamp_ < oldest) {
      Retired* object = first;
      first = object->next_;
      object->next_ = nullptr;
      *tail = object;
      tail = &object->next_;
      ++number;
    }
    if (first == nullptr) last = &first;
    count.fetch_sub(number, std::memory_order_relaxed);
    return taken;
  }
  static Retired*& next(Retired* object) { return object->next_; }
};

namespace {

constexpr uint64_t kBatch = 64;
constexpr int kGenerations = 3;               // a handle, its pool, the pool's memory
constexpr std::chrono::seconds kPatience(1);  // of drain() and synchronize(): a driver may free after work of its device

// Acquire loads pair with the release that adds a record: its `next` and its fields are there.
std::atomic<Record*> records{nullptr};
Limbo limbo;  // constant-initialised, trivially destroyed
static_assert(std::is_trivially_destructible_v<Limbo>);

void rest(Record* record) noexcept;

// Gives the record of an ending thread back for another thread. A destructor of the thread may make a call later still. That
// call takes a record which stays with the dead thread: at most one for each such thread.
struct Release {
  ~Release() {
    Record* record = internal::record;
    if (record != nullptr && record->slow != 0) rest(record);
    internal::record = nullptr;
    // Release: pairs with acquireRecord, whose thread then sees the fields that this one has left.
    if (record != nullptr) record->used.store(false, std::memory_order_release);
  }
};
thread_local Release release_at_exit;

// The oldest epoch that a running call may have begun in, at most `oldest`, the epoch that the caller's heavy barrier covered.
//
// Where that barrier has not `ordered` anything, a thread whose guard is no fence yet may be in an invisible call. Its store of
// the epoch may still be in a store buffer, and its later loads may be old. Such a thread counts as in a call for ever (0).
// With its first guard that is a fence it sets `fenced`. This function reads that first, with acquire, so that the thread's
// earlier stores are visible. Its later guards are fences that pair with the fence here. `used` carries the stores of an ended
// thread over to the next owner of its record.
uint64_t oldestActive(uint64_t oldest, bool ordered) {
  if (!ordered) [[unlikely]] {
    for (Record* record = records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
      if (record == internal::record || !record->used.load(std::memory_order_acquire)) continue;
      if (!record->fenced.load(std::memory_order_acquire)) return 0;
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the fence in light()
  }
  for (Record* record = records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
    // Acquire: 0 pairs with the release at the end of a guard, so that reclaiming comes after the call.
    uint64_t active = record->active.load(std::memory_order_acquire);
    if (active != 0 && active < oldest) oldest = active;
  }
  return oldest;
}

}  // namespace

Record* internal::acquireRecord() {
  (void)&release_at_exit;  // makes the destructor run
  for (Record* record = records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
    bool used = false;
    // Acquire: this thread goes on from the fields that the record's last thread released (park, Release).
    if (record->used.compare_exchange_strong(used, true, std::memory_order_acq_rel)) return internal::record = record;
  }
  Record* record = new Record;
  record->used.store(true, std::memory_order_relaxed);
  Record* first = records.load(std::memory_order_relaxed);
  // Records are added at the front and never removed, so that a walk needs no lock. Release publishes `next` and the fields.
  do {
    record->next = first;
  } while (!records.compare_exchange_weak(first, record, std::memory_order_acq_rel));
  return internal::record = record;
}

namespace {

// The record of this thread if the thread comes to rest by itself. Null: it does not, or it has no record.
Record* restsLater() {
  Record* record = internal::record;
  if (record == nullptr) return nullptr;
  // Relaxed: a thread reads its own record's `active` and `reclaiming` here and below, which it alone writes.
  const bool in_call = record->active.load(std::memory_order_relaxed) != 0;
  return in_call || record->away != 0 || record->resting ? record : nullptr;
}

// Collects on a host thread for threads that do not come to rest by themselves.
class Collector final : public host_threads::Job {
 public:
  void queue() {
    // One job is queued at a time. run() clears the flag before it collects, so what is retired later queues the next one.
    if (!queued_.exchange(true, std::memory_order_acq_rel)) host_threads::submit(this);
  }
  void run() override {
    queued_.store(false, std::memory_order_release);  // first: what is retired from here on queues the job again
    collect();
  }

 private:
  std::atomic<bool> queued_{false};
};
Collector* const collector = new Collector;  // never destroyed: threads may retire until the process ends

}  // namespace

void retire(Retired* object) {
  // The caller has closed the object's handle before. So the stamp, read after that, is at least the epoch of every call that
  // may have found the object. Stamps ascend along the list, because they are read under its lock.
  limbo.lock.lock();
  limbo.push(object, internal::current.load(std::memory_order_seq_cst));
  limbo.lock.unlock();
  if (limbo.count.load(std::memory_order_relaxed) < kBatch) return;
  if (Record* record = restsLater()) {
    record->slow |= internal::kPending;
  } else {
    collector->queue();
  }
}

// The caller may hold locks, and destructors take locks, call drivers and unload code of the program. So the object waits until
// the thread is at rest. An object that ends while another one is reclaimed goes at once, since a drain waits for both.
void finish(Retired* object) {
  Record* record = restsLater();
  if (record == nullptr ||
      (record->active.load(std::memory_order_relaxed) == 0 && record->reclaiming.load(std::memory_order_relaxed) != 0)) {
    lock_order::noneHeld("reclaiming");
    return object->reclaim();
  }
  Limbo::next(object) = record->finished;
  record->finished = object;
  record->slow |= internal::kPending;
}

void collectAfterCall() {
  if (Record* record = restsLater()) {
    record->collects = true;
    record->slow |= internal::kPending;
  }
}

// The record of a library thread, which cannot report that memory is missing: null then.
static Record* recordOrNull() noexcept try {
  if (internal::record != nullptr) return internal::record;
  return fault::fails("epoch.record") ? nullptr : internal::acquireRecord();
} catch (const std::bad_alloc&) {  // on a thread of the library
  return nullptr;
}

namespace {

// A thread without a record reclaims too, but drain() does not wait for it. True: an object was reclaimed.
bool collectOnce() {
  lock_order::noneHeld("reclaiming");
  if (limbo.count.load(std::memory_order_relaxed) == 0) return false;
  // Calls that begin after heavy() cannot find an object that was retired before it. The ones before show their epoch in
  // `active` by then, so objects with older stamps than all of these are unreachable.
  uint64_t epoch = internal::current.fetch_add(1, std::memory_order_seq_cst) + 1;
  const bool ordered = barrier::heavy();
  uint64_t oldest = oldestActive(epoch, ordered);
  Record* record = recordOrNull();
  const uint64_t outer = record == nullptr ? 0 : record->reclaiming.load(std::memory_order_relaxed);  // reclaiming may collect
  limbo.lock.lock();
  if (outer == 0 && record != nullptr)
    record->reclaiming.store(epoch, std::memory_order_relaxed);  // the lock publishes it, and drain() takes the lock
  Retired* object = limbo.take(oldest);
  limbo.lock.unlock();
  const bool any = object != nullptr;
  while (object != nullptr) {
    Retired* next = Limbo::next(object);
    object->reclaim();
    object = next;
  }
  // Release: pairs with drain(), which comes after the destructors then.
  if (record != nullptr) record->reclaiming.store(outer, std::memory_order_release);
  return any;
}

// Also collects what reclaimed objects have retired in turn.
void collectAll() {
  for (int generation = 0; generation < kGenerations && collectOnce(); ++generation) {
  }
}

// Called at rest. Calls into the program come last and one at a time: each may make rt calls, which end at rest too.
void rest(Record* record) noexcept {
  lock_order::noneHeld("reclaiming");
  record->resting = true;
  while ((record->slow & internal::kPending) != 0) {
    record->slow &= ~internal::kPending;
    if (std::exchange(record->collects, false) || limbo.count.load(std::memory_order_relaxed) >= kBatch) collectAll();
    while (record->finished != nullptr) {
      Retired* object = record->finished;
      record->finished = Limbo::next(object);
      object->reclaim();
    }
    record->reclaiming.store(0, std::memory_order_release);
    if (record->slow != 0 || record->calls == nullptr) continue;  // a destructor has left more to reclaim: that comes first
    host_threads::Job* call = record->calls;
    record->calls = call->next;
    if (record->calls == nullptr) record->last_call = &record->calls;
    record->slow |= record->calls != nullptr ? internal::kPending : 0;
    call->run();
  }
  record->resting = false;
}

}  // namespace

void internal::endSlowly(Record* record, uint32_t state) noexcept {
  if ((state & kAway) != 0) --record->away;  // an exception passed between leave() and enter()
  if ((state & kNested) != 0) return;
  const bool rests = record->away == 0 && !record->resting;
  // Retired objects that wait for the end of this call are marked as being reclaimed before the guard ends. The release of
  // `active` orders the two stores, so that a drain which sees no guard sees the mark and waits.
  if (rests) record->reclaiming.store(current.load(std::memory_order_relaxed), std::memory_order_relaxed);
  record->active.store(0, std::memory_order_release);
  if (!rests) return;
  if (record->slow != 0) rest(record);
  record->reclaiming.store(0, std::memory_order_release);
}

Scope::Scope() : record_(recordOrNull()) {
  if (record_ == nullptr) return;
  ++record_->away;
  if (!barrier::light()) record_->fenced.store(true, std::memory_order_release);  // so that threads without calls say it too
}

Scope::~Scope() {
  if (record_ != nullptr && --record_->away == 0 && record_->slow != 0 && !record_->resting) rest(record_);
}

void safePoint() {
  collectAll();
  Record* record = internal::record;
  if (record != nullptr && record->away == 1 && record->slow != 0 && !record->resting) rest(record);
}

void collect() { (void)collectOnce(); }

void park() {
  Record* record = std::exchange(internal::record, nullptr);
  // Release: as in Release, the next thread of the record goes on from these fields.
  if (record != nullptr) record->used.store(false, std::memory_order_release);
}

bool synchronize() {
  lock_order::mayWait("a wait for calls");
  // Calls that begin from here on have this epoch or a later one, and are not waited for.
  uint64_t target = internal::current.fetch_add(1, std::memory_order_seq_cst) + 1;
  const bool ordered = barrier::heavy();  // pairs with the light() of guards: see Guard::begin
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (int spins = 0; oldestActive(target, ordered) < target; ++spins) {
    if (spins < 100) {
      relaxCpu();
      continue;
    }
    if (!ordered && std::chrono::steady_clock::now() > deadline) return false;
    sched_yield();
  }
  return true;
}

void drain() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (int generation = 0; generation < kGenerations; ++generation) {
    if (!synchronize()) return;
    collect();
    // A thread takes objects from the list and sets `reclaiming` under this lock: after it the marks of all earlier takers
    // are visible. A mark of a later epoch belongs to objects that this drain need not wait for.
    limbo.lock.lock();
    const uint64_t now = internal::current.load(std::memory_order_relaxed);
    limbo.lock.unlock();
    for (Record* record = records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
      if (record == internal::record) continue;
      for (;;) {
        const uint64_t since = record->reclaiming.load(std::memory_order_acquire);
        if (since == 0 || since > now) break;
        if (std::chrono::steady_clock::now() > deadline) return;
        sched_yield();
      }
    }
  }
}

void abandon() {
  // The child of a fork has one thread: relaxed stores are enough.
  for (Record* record = records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
    if (record == internal::record) continue;
    record->active.store(0, std::memory_order_relaxed);
    record->reclaiming.store(0, std::memory_order_relaxed);
    // Objects that a thread of the parent still had to reclaim, and calls, stay with the parent. The record's next thread
    // starts empty.
    record->slow = record->away = 0;
    record->resting = record->collects = false;
    record->finished = nullptr;
    record->calls = nullptr;
    record->last_call = &record->calls;
    record->used.store(false, std::memory_order_relaxed);
  }
  // Retired objects stay unreclaimed: threads that the child does not have may hold locks that their destructors take.
  limbo.count.store(0, std::memory_order_relaxed);
}

// The queue of calls is part of the record, so the function that fills it is here.
}  // namespace manyrt::epoch

namespace manyrt::callbacks {

void later(host_threads::Job* call) {
  epoch::Record* record = epoch::restsLater();
  if (record == nullptr) return host_threads::submit(call);
  call->next = nullptr;
  *record->last_call = call;
  record->last_call = &call->next;
  record->slow |= epoch::internal::kPending;
}

}  // namespace manyrt::callbacks

namespace manyrt::epoch {

uint64_t retiredCount() { return limbo.count.load(std::memory_order_relaxed); }

}  // namespace manyrt::epoch
