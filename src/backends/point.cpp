// Waiting for points, the same for every backend: a list of waiters under a spin lock, and a thread that sleeps is one
// of them.
#include "backends/point.h"

#include <sched.h>

#include "base/lock_order.h"
#include "base/os/futex.h"
#include "base/trace.h"

namespace manyrt::backend {
namespace {

constexpr int kSpins = 200;
constexpr int64_t kSpinNanoseconds = 20'000;

class Sleeper final : public Waiter {
 public:
  void passed(Point&) override {
    std::atomic<uint32_t>* word = &word_;
    word->store(1, std::memory_order_release);  // pairs with told(), after which the sleeper reads the point and returns
    futexWake(word, 1);                         // the sleeper may be gone by now: only its address is used
  }
  bool told() const { return word_.load(std::memory_order_acquire) != 0; }
  bool sleep(Deadline deadline) { return futexWait(&word_, 0, deadline); }

 private:
  std::atomic<uint32_t> word_{0};
};

}  // namespace

bool Point::wait(Deadline deadline, WaitPolicy policy) {
  lock_order::mayWait("a wait for an event");
  const trace::Wait waiting;
  if (poll()) return true;
  if (deadline.isPoll()) return false;
  int64_t began = nowNanoseconds();
  while (policy != WaitPolicy::kBlock) {
    for (int spins = 0; spins < kSpins; ++spins) {
      if (done()) return true;
      relaxCpu();
    }
    if (poll()) return true;
    if (deadline.passed()) return false;
    if (policy == WaitPolicy::kYield) sched_yield();
    // Short waits end while they spin. A sleep and its wake-up cost more than such a wait.
    if (policy == WaitPolicy::kDefault && nowNanoseconds() - began > kSpinNanoseconds) break;
  }
  // subscribe() returns false if the point was passed since poll().
  Sleeper sleeper;
  if (!subscribe(&sleeper)) return true;
  // The sleeper is on this stack, so the call may not return while the list or a thread that tells still has its address.
  while (!sleeper.told()) {
    if (!sleeper.sleep(deadline) && deadline.passed()) {
      // Not on the list any more: a thread in complete() has it in hand, and touches it once more.
      if (unsubscribe(&sleeper)) return done();
      while (!sleeper.told()) relaxCpu();  // it is being told at this moment
    }
  }
  return true;
}

bool Point::subscribe(Waiter* waiter) {
  lock_.lock();
  bool pending = !done_.load(std::memory_order_relaxed);  // written under the lock alone
  if (pending) {
    waiter->next_ = waiters_;
    waiters_ = waiter;
  }
  lock_.unlock();
  return pending;
}

bool Point::unsubscribe(Waiter* waiter) {
  lock_.lock();
  bool found = false;
  for (Waiter** at = &waiters_; *at != nullptr; at = &(*at)->next_) {
    if (*at == waiter) {
      *at = waiter->next_;
      found = true;
      break;
    }
  }
  lock_.unlock();
  return found;
}

void Point::complete(Status status, int64_t nanoseconds) {
  // The release publishes status_ and nanoseconds_ to done(), which takes no lock. Under the lock, so that a waiter is either
  // on the list that is told here, or finds the point done. Waiters are told outside it: they may take other locks.
  lock_.lock();
  status_ = std::move(status);
  nanoseconds_ = nanoseconds;
  Waiter* waiters = waiters_;
  waiters_ = nullptr;
  done_.store(true, std::memory_order_release);
  lock_.unlock();
  while (waiters != nullptr) {
    Waiter* next = waiters->next_;  // a told waiter may be gone
    waiters->passed(*this);
    waiters = next;
  }
}

void Point::reset() {
  status_ = Status();
  waiters_ = nullptr;
  nanoseconds_ = 0;
  done_.store(false, std::memory_order_relaxed);  // no other reference: handing the point out publishes this
}

}  // namespace manyrt::backend
