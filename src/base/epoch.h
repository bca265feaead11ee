// The guard that protects a call: while it stands, nothing that a handle named is freed. Entering is two plain stores on
// a record of the thread; the thread that retires an object pays instead, with one heavy barrier for a batch. A call that
// blocks takes leases first and leaves its guard. Callers: src/api, and library threads that follow handles.
//
// Retiring only queues. Objects are reclaimed, and the program's functions that wait for it are called (base/callbacks.h), at
// rest: at the end of the outermost call of a thread, behind its guard, and where a thread of the library says that it holds
// no lock. So neither happens inside a guard or under a lock, however deep in a call the last use of something ends.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/host_threads.h"
#include "base/os/barrier.h"

namespace manyrt::epoch {

// Something that is to be reclaimed once every call that may have seen it has ended. Intrusive.
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
  std::atomic<bool> fenced{false};  // where membarrier was refused: the thread has seen it, and its guards are fences
  Record* next = nullptr;

  // Read and written by the thread alone.
  uint32_t slow = 0;  // kPending
  uint32_t away = 0;  // calls that have left their guard for a while, and other scopes that end at rest
  bool resting = false;
  bool collects = false;               // at rest, however little there is
  Retired* finished = nullptr;         // nothing can see these any more
  host_threads::Job* calls = nullptr;  // into the program, oldest first
  host_threads::Job** last_call = &calls;
};

namespace internal {
constexpr uint32_t kPending = 1;  // of a record: something waits for the end of the call
constexpr uint32_t kNested = 2;   // of a guard: it is inside another one, which protects both
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
      record_->active.store(0, std::memory_order_release);
    }
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // For a while, in which the call waits. It is not over: nothing that waits for its end happens here.
  void leave() {
    state_ |= internal::kAway;
    ++record_->away;
    if ((state_ & internal::kNested) == 0) record_->active.store(0, std::memory_order_release);
  }
  void enter() {
    --record_->away;
    state_ &= ~internal::kAway;
    if ((state_ & internal::kNested) == 0) begin();
  }

 private:
  void begin() {
    record_->active.store(internal::current.load(std::memory_order_acquire), std::memory_order_relaxed);
    if (!barrier::light()) [[unlikely]]
      record_->fenced.store(true, std::memory_order_release);
  }

  Record* record_;
  uint32_t state_ = 0;
};

// A stretch without a guard whose end is a safe point as the end of a call is.
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
void finish(Retired* object);  // what nothing can see any more: reclaimed when this thread is at rest, or at once
void collectBehindCall();      // what can be reclaimed is, when the thread's call has ended, however little it is
void collect();                // the same at once: at rest. Cheap when there is nothing
void park();                   // an idle thread of the library is in no call: its record goes back until it works again
void safePoint();              // a thread of the library is at rest, inside one Scope: reclaims, and makes its calls
// Returns when every call that had begun has ended; never inside a guard. False where membarrier was refused and a thread has
// not called the library since, for a second: nothing is known of that one.
bool synchronize();
void drain();             // what was retired before is reclaimed by all threads, and what that retires; 1 s at most
void abandon();           // in a forked child: the calls of other threads are gone
uint64_t retiredCount();  // waiting to be reclaimed

}  // namespace manyrt::epoch
