// The guard that protects a call: while it stands, nothing that a handle named is freed. Entering is two plain stores on
// a record of the thread; whoever retires an object pays instead, with one heavy barrier for a batch. A call that blocks
// takes leases first and leaves its guard. Callers: src/api, and library threads that follow handles.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/barrier.h"

namespace manyrt::epoch {

// Something that is to be reclaimed once every call that may have seen it has ended. Intrusive.
class Retired {
 public:
  virtual void reclaim() = 0;  // on whichever thread collects; outside any guard's protection

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
  Record* next = nullptr;
};

namespace internal {
extern constinit thread_local Record* record __attribute__((tls_model("initial-exec")));
extern std::atomic<uint64_t> current;
Record* acquireRecord();
}  // namespace internal

class Guard {
 public:
  Guard() { enter(); }
  ~Guard() {
    if (record_ != nullptr) leave();
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  void enter() {
    record_ = internal::record;
    if (record_ == nullptr) [[unlikely]]
      record_ = internal::acquireRecord();
    outer_ = record_->active.load(std::memory_order_relaxed) != 0;
    if (outer_) [[unlikely]]
      return;  // a call inside a call: the outer guard protects both
    record_->active.store(internal::current.load(std::memory_order_acquire), std::memory_order_relaxed);
    barrier::light();
  }
  void leave() {
    if (!outer_) record_->active.store(0, std::memory_order_release);
    record_ = nullptr;
  }

 private:
  Record* record_;
  bool outer_;
};

void retire(Retired* object);  // the caller has made it unreachable
void collect();                // reclaims what can be; cheap when there is nothing
void synchronize();            // returns when every call that had begun has ended; never inside a guard
void drain();                  // what was retired before is reclaimed by all threads, and what that retires; 1 s at most
void abandon();                // in a forked child: the calls of other threads are gone
uint64_t retiredCount();       // waiting to be reclaimed

}  // namespace manyrt::epoch
