// Epochs. A retired object carries the epoch that was current when it became unreachable; it is reclaimed when the epoch
// has moved on and no thread is still inside a call that began in that epoch or before. Objects are reclaimed outside
// the lock: reclaiming one may retire others.
#include "base/epoch.h"

#include <sched.h>

#include <chrono>
#include <new>
#include <type_traits>

#include "base/fault.h"
#include "base/spin_lock.h"

namespace manyrt::epoch {

namespace internal {
constinit thread_local Record* record = nullptr;
std::atomic<uint64_t> current{1};
}  // namespace internal

struct Limbo {
  SpinLock lock;
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
  static Retired* next(Retired* object) { return object->next_; }
};

namespace {

constexpr uint64_t kBatch = 64;
constexpr int kGenerations = 3;               // a handle, its pool, the pool's memory
constexpr std::chrono::seconds kPatience(1);  // of drain(): a driver may free behind work of its device

std::atomic<Record*> records{nullptr};
Limbo limbo;  // constant-initialised, trivially destroyed
static_assert(std::is_trivially_destructible_v<Limbo>);

// The thread's record goes back for another thread to use. A call made later still, from a destructor of the thread's
// own, takes a record that then stays with the dead thread: at most one per such thread.
struct Release {
  ~Release() {
    Record* record = internal::record;
    internal::record = nullptr;
    if (record != nullptr) record->used.store(false, std::memory_order_release);
  }
};
thread_local Release release_at_exit;

// The oldest epoch that a call still running may have begun in, at most `oldest`: what the caller's heavy barrier covered.
uint64_t oldestActive(uint64_t oldest) {
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

void retire(Retired* object) {
  limbo.lock.lock();
  limbo.push(object, internal::current.load(std::memory_order_seq_cst));
  limbo.lock.unlock();
  if (limbo.count.load(std::memory_order_relaxed) >= kBatch) collect();
}

// For a thread of the library, which has nobody to tell that there is no memory: null then.
static Record* recordOrNull() noexcept try {
  if (internal::record != nullptr) return internal::record;
  return fault::fails("epoch.record") ? nullptr : internal::acquireRecord();
} catch (const std::bad_alloc&) {
  return nullptr;
}

// Without a record it reclaims all the same; only drain() does not wait for it then.
void collect() {
  if (limbo.count.load(std::memory_order_relaxed) == 0) return;
  uint64_t epoch = internal::current.fetch_add(1, std::memory_order_seq_cst) + 1;
  barrier::heavy();
  uint64_t oldest = oldestActive(epoch);
  Record* record = recordOrNull();
  const uint64_t outer = record == nullptr ? 0 : record->reclaiming.load(std::memory_order_relaxed);  // reclaiming may collect
  limbo.lock.lock();
  if (outer == 0 && record != nullptr)
    record->reclaiming.store(epoch, std::memory_order_relaxed);  // seen by who has the lock next
  Retired* object = limbo.take(oldest);
  limbo.lock.unlock();
  while (object != nullptr) {
    Retired* next = Limbo::next(object);
    object->reclaim();
    object = next;
  }
  if (record != nullptr) record->reclaiming.store(outer, std::memory_order_release);
}

void synchronize() {
  uint64_t target = internal::current.fetch_add(1, std::memory_order_seq_cst) + 1;
  barrier::heavy();
  for (int spins = 0; oldestActive(target) < target; ++spins) {
    if (spins < 100) {
      relaxCpu();
    } else {
      sched_yield();
    }
  }
}

void drain() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (int generation = 0; generation < kGenerations; ++generation) {
    synchronize();
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
    record->used.store(false, std::memory_order_relaxed);
  }
  // What waits to be reclaimed stays: threads that are gone may have left its locks taken.
  limbo.count.store(0, std::memory_order_relaxed);
}

uint64_t retiredCount() { return limbo.count.load(std::memory_order_relaxed); }

}  // namespace manyrt::epoch
