// Epochs. A retired object carries the epoch that was current when it became unreachable; it is reclaimed when the epoch
// has moved on and no thread is still inside a call that began in that epoch or before.
//
// A thread is at rest where it holds no guard and no lock. What it has to do there is noted in its record: reclaim a batch,
// finish objects whose last lease went inside a guard, call the program. Reclaiming comes first, since it queues calls. A
// thread without such a point ahead, such as a driver's, leaves all three to the host threads.
#include "base/epoch.h"

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
constexpr std::chrono::seconds kPatience(1);  // of drain() and synchronize(): a driver may free behind work of its device

std::atomic<Record*> records{nullptr};
Limbo limbo;  // constant-initialised, trivially destroyed
static_assert(std::is_trivially_destructible_v<Limbo>);

void rest(Record* record) noexcept;

// The thread's record goes back for another thread to use. A call made later still, from a destructor of the thread's
// own, takes a record that then stays with the dead thread: at most one per such thread.
struct Release {
  ~Release() {
    Record* record = internal::record;
    if (record != nullptr && record->slow != 0) rest(record);
    internal::record = nullptr;
    if (record != nullptr) record->used.store(false, std::memory_order_release);
  }
};
thread_local Release release_at_exit;

// The oldest epoch that a call still running may have begun in, at most `oldest`: what the caller's heavy barrier covered.
//
// Where that has `ordered` nothing, a thread whose guard is no fence yet may be in a call that cannot be seen: its store of the
// epoch waits in a buffer, and what it loads behind that is old. Such a thread counts as in a call for ever. With the first
// guard that is a fence it says so; this looks for that first, so that its earlier stores are seen, and its later guards meet
// the fence here. A record that an ended thread has left carries what that one knew, and all its stores, over to the next one.
uint64_t oldestActive(uint64_t oldest, bool ordered) {
  if (!ordered) [[unlikely]] {
    for (Record* record = records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
      if (record == internal::record || !record->used.load(std::memory_order_acquire)) continue;
      if (!record->fenced.load(std::memory_order_acquire)) return 0;
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  for (Record* record = records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
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
    if (record->used.compare_exchange_strong(used, true, std::memory_order_acq_rel)) return internal::record = record;
  }
  Record* record = new Record;
  record->used.store(true, std::memory_order_relaxed);
  Record* first = records.load(std::memory_order_relaxed);
  do {
    record->next = first;
  } while (!records.compare_exchange_weak(first, record, std::memory_order_acq_rel));
  return internal::record = record;
}

namespace {

// The thread's record if it comes to rest by itself; null: it does not, or has none.
Record* restsLater() {
  Record* record = internal::record;
  if (record == nullptr) return nullptr;
  const bool in_call = record->active.load(std::memory_order_relaxed) != 0;
  return in_call || record->away != 0 || record->resting ? record : nullptr;
}

// For threads that do not come to rest by themselves.
class Collector final : public host_threads::Job {
 public:
  void queue() {
    if (!queued_.exchange(true, std::memory_order_acq_rel)) host_threads::submit(this);
  }
  void run() override {
    queued_.store(false, std::memory_order_release);
    collect();
  }

 private:
  std::atomic<bool> queued_{false};
};
Collector* const collector = new Collector;  // never destroyed: threads may retire until the process ends

}  // namespace

void retire(Retired* object) {
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

// The caller may hold locks, and destructors may take them, call drivers and unload code of the program. What ends while
// something is reclaimed goes at once, as that does: who drains wants both gone.
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

void collectBehindCall() {
  if (Record* record = restsLater()) {
    record->collects = true;
    record->slow |= internal::kPending;
  }
}

// For a thread of the library, which has nobody to tell that there is no memory: null then.
static Record* recordOrNull() noexcept try {
  if (internal::record != nullptr) return internal::record;
  return fault::fails("epoch.record") ? nullptr : internal::acquireRecord();
} catch (const std::bad_alloc&) {
  return nullptr;
}

namespace {

// Without a record it reclaims all the same; only drain() does not wait for it then. True: something was reclaimed.
bool collectOnce() {
  lock_order::noneHeld("reclaiming");
  if (limbo.count.load(std::memory_order_relaxed) == 0) return false;
  uint64_t epoch = internal::current.fetch_add(1, std::memory_order_seq_cst) + 1;
  const bool ordered = barrier::heavy();
  uint64_t oldest = oldestActive(epoch, ordered);
  Record* record = recordOrNull();
  const uint64_t outer = record == nullptr ? 0 : record->reclaiming.load(std::memory_order_relaxed);  // reclaiming may collect
  limbo.lock.lock();
  if (outer == 0 && record != nullptr)
    record->reclaiming.store(epoch, std::memory_order_relaxed);  // seen by who has the lock next
  Retired* object = limbo.take(oldest);
  limbo.lock.unlock();
  const bool any = object != nullptr;
  while (object != nullptr) {
    Retired* next = Limbo::next(object);
    object->reclaim();
    object = next;
  }
  if (record != nullptr) record->reclaiming.store(outer, std::memory_order_release);
  return any;
}

// What objects let go of as they are reclaimed comes with them.
void collectAll() {
  for (int generation = 0; generation < kGenerations && collectOnce(); ++generation) {
  }
}

// At rest. Calls into the program come last and one at a time: each may make rt calls, at whose end this thread is at rest too.
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
    if (record->slow != 0 || record->calls == nullptr) continue;  // that comes first
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
  if ((state & kAway) != 0) --record->away;  // an exception came while the call was away
  if ((state & kNested) != 0) return;
  const bool rests = record->away == 0 && !record->resting;
  // What waits for the end of this call counts as being reclaimed before the guard is seen to be gone: a drain waits for it.
  if (rests) record->reclaiming.store(current.load(std::memory_order_relaxed), std::memory_order_relaxed);
  record->active.store(0, std::memory_order_release);
  if (!rests) return;
  if (record->slow != 0) rest(record);
  record->reclaiming.store(0, std::memory_order_release);
}

Scope::Scope() : record_(recordOrNull()) {
  if (record_ == nullptr) return;
  ++record_->away;
  if (!barrier::light()) record_->fenced.store(true, std::memory_order_release);  // of threads that make no calls, too
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
  if (record != nullptr) record->used.store(false, std::memory_order_release);
}

bool synchronize() {
  lock_order::mayWait("a wait for calls");
  uint64_t target = internal::current.fetch_add(1, std::memory_order_seq_cst) + 1;
  const bool ordered = barrier::heavy();
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
    limbo.lock.lock();  // whoever took something before has said so
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
  for (Record* record = records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
    if (record == internal::record) continue;
    record->active.store(0, std::memory_order_relaxed);
    record->reclaiming.store(0, std::memory_order_relaxed);
    // What a thread of the parent had yet to reclaim and to call is the parent's: the record's next thread begins with nothing.
    record->slow = record->away = 0;
    record->resting = record->collects = false;
    record->finished = nullptr;
    record->calls = nullptr;
    record->last_call = &record->calls;
    record->used.store(false, std::memory_order_relaxed);
  }
  // What waits to be reclaimed stays: threads that are gone may have left its locks taken.
  limbo.count.store(0, std::memory_order_relaxed);
}

// The queue is here, beside its record.
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
