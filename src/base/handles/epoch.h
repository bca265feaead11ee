// Epoch-based reclamation. A guard protects a call: while it stands, no object that a handle named is freed. Entering is two
// plain stores on a record of the thread. The thread that retires an object pays instead, with one heavy barrier for a batch. A
// call that blocks takes leases first and leaves its guard. Callers: src/api, and library threads that follow handles.
//
// Retiring only queues. Objects are reclaimed, and queued calls into the program are made (base/callbacks.h), when a thread is
// at rest. A thread is at rest after the guard of its outermost call, and where a thread of the library says that it holds no
// lock. So neither happens inside a guard or under a lock, however deep in a call the last use of an object ends.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/host_threads.h"
#include "base/os/barrier.h"

namespace manyrt::epoch {

// An object that is reclaimed once every call that may have found it has ended. Intrusive.
class Retired {
 public:
  virtual void reclaim() = 0;  // at rest: outside any guard, with no lock held

 protected:
  ~Retired() = default;

 private:
  friend struct Limbo;
  Retired* next_ = nullptr;
  uint64_t stamp_ = 0;
};

struct alignas(64) Record {
  std::atomic<uint64_t> active{0};      // the epoch in which the thread's call began; 0 outside
  std::atomic<uint64_t> reclaiming{0};  // the epoch in which the thread took what it reclaims; 0 outside
  std::atomic<bool> used{false};
  std::atomic<bool> fenced{false};  // the thread has seen that membarrier was refused: its guards are fences from now on
  Record* next = nullptr;

  // Read and written by the thread alone.
  uint32_t slow = 0;  // kPending
  uint32_t away = 0;  // calls that have left their guard for a while, and other scopes that end at rest
  bool resting = false;
  bool collects = false;               // collect at rest, also when there is less than a batch
  Retired* finished = nullptr;         // objects that no call can find any more
  host_threads::Job* calls = nullptr;  // queued calls into the program, oldest first
  host_threads::Job** last_call = &calls;
};

namespace internal {
constexpr uint32_t kPending = 1;  // of a record: something waits for the end of the call
constexpr uint32_t kNested = 2;   // of a guard: an outer guard of the same thread protects both
constexpr uint32_t kAway = 4;     // of a guard: the call has left it for a while
extern constinit thread_local Record* record __attribute__((tls_model("initial-exec")));
extern std::atomic<uint64_t> current;
Record* acquireRecord();
void endSlowly(Record* record, uint32_t state) noexcept;
}  // namespace internal

class Guard {
 public:
  Guard() : record_(internal::record) {
    if (record_ == nullptr) [[unlikely]]
      record_ = internal::acquireRecord();
    // Relaxed: this thread alone writes it.
    if (record_->active.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      state_ = internal::kNested;  // a call inside a call
      return;
    }
    begin();
  }
  ~Guard() {
    if ((record_->slow | state_) != 0) [[unlikely]] {
      internal::endSlowly(record_, state_);
    } else {
      // Release: a collector that reads 0 comes after all that the call did with what it found.
      record_->active.store(0, std::memory_order_release);
    }
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Between leave() and enter() the call waits without protection. It has not ended: the thread is not at rest.
  void leave() {
    state_ |= internal::kAway;
    ++record_->away;
    // Release, as in the destructor.
    if ((state_ & internal::kNested) == 0) record_->active.store(0, std::memory_order_release);
  }
  void enter() {
    --record_->away;
    state_ &= ~internal::kAway;
    if ((state_ & internal::kNested) == 0) begin();
  }

 private:
  // The store of the epoch has to be visible before any load of the call. light() orders the two against the heavy() of a
  // collector. Either the collector reads this store and spares what the call may find. Or the call's loads come after the
  // heavy(), and find the closed generation of a retired object (SlotTable::destroy).
  void begin() {
    record_->active.store(internal::current.load(std::memory_order_acquire), std::memory_order_relaxed);
    if (!barrier::light()) [[unlikely]]
      record_->fenced.store(true, std::memory_order_release);
  }

  Record* record_;
  uint32_t state_ = 0;
};

// The guard of a short call that is the outermost one of its thread: it cannot be left. False: there is no guard, and the call
// takes a Guard.
class ShortGuard {
 public:
  ShortGuard() : record_(internal::record) {
    // Relaxed, and the order of the two stores and loads: see Guard.
    if (record_ == nullptr || record_->active.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      record_ = nullptr;
      return;
    }
    record_->active.store(internal::current.load(std::memory_order_acquire), std::memory_order_relaxed);
    if (!barrier::light()) [[unlikely]]
      record_->fenced.store(true, std::memory_order_release);
  }
  ~ShortGuard() {
    if (record_ == nullptr) [[unlikely]]
      return;
    if (record_->slow != 0) [[unlikely]] {
      internal::endSlowly(record_, 0);
    } else {
      record_->active.store(0, std::memory_order_release);  // release: see Guard
    }
  }
  ShortGuard(const ShortGuard&) = delete;
  ShortGuard& operator=(const ShortGuard&) = delete;
  explicit operator bool() const { return record_ != nullptr; }

 private:
  Record* record_;
};

// The guard of the handler of a signal. It ends nothing slowly: what waits for the end of a call goes on waiting for the next
// one. A thread without a record has no protection here, since a record takes memory.
class SignalGuard {
 public:
  SignalGuard() : record_(internal::record) {
    // Relaxed, and the order of the two stores and loads: see Guard.
    if (record_ == nullptr || record_->active.load(std::memory_order_relaxed) != 0) {
      record_ = nullptr;
      return;
    }
    record_->active.store(internal::current.load(std::memory_order_acquire), std::memory_order_relaxed);
    if (!barrier::light()) record_->fenced.store(true, std::memory_order_release);
  }
  ~SignalGuard() {
    if (record_ != nullptr) record_->active.store(0, std::memory_order_release);  // release: see Guard
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  Record* record_;
};

// A stretch of a library thread without a guard. At its end the thread is at rest, as at the end of a call.
class Scope {
 public:
  Scope();  // without memory for the thread's record it does nothing
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Record* const record_;
};

void retire(Retired* object);  // the caller has made it unreachable
void finish(Retired* object);  // no call can find it any more: reclaims it when this thread is at rest, or at once
void collectAfterCall();       // asks this thread to collect when its call has ended, also less than a batch
void collect();                // reclaims what can be reclaimed; at rest. Cheap when there is nothing
void park();                   // gives the record of an idle library thread back until the thread works again
void safePoint();              // a thread of the library is at rest, inside one Scope: reclaims, and makes its queued calls
// Returns when every call that had begun has ended; never inside a guard. False after a second in which a thread has made no
// call since membarrier was refused: whether that thread is in a call is unknown.
bool synchronize();
void drain();             // waits until all threads have reclaimed what was retired before, and what that retires; 1 s at most
void abandon();           // in a forked child: ends the calls of the threads that the child does not have
uint64_t retiredCount();  // waiting to be reclaimed

}  // namespace manyrt::epoch
