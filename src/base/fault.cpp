// The counter behind the fault points. operator new is counted by the test program itself, which calls fails().
#include "base/fault.h"

namespace manyrt::fault {

namespace internal {
std::atomic<bool> armed{false};

namespace {
// Relaxed: each is a number by itself; `armed` says when tests change them.
std::atomic<uint64_t> passed{0};
std::atomic<uint64_t> target{0};
std::atomic<bool> from_then_on{false};
std::atomic<const char*> last{""};
thread_local int suspensions = 0;
}  // namespace

bool count(const char* what) {
  if (suspensions != 0) return false;
  uint64_t number = passed.fetch_add(1, std::memory_order_relaxed) + 1;
  uint64_t k = target.load(std::memory_order_relaxed);
  bool hit = number == k || (number > k && from_then_on.load(std::memory_order_relaxed));
  if (hit) last.store(what, std::memory_order_relaxed);
  return hit;
}
}  // namespace internal

Suspension::Suspension() { ++internal::suspensions; }
Suspension::~Suspension() { --internal::suspensions; }

void arm(uint64_t k, bool onwards) {
  internal::passed.store(0, std::memory_order_relaxed);
  internal::target.store(k, std::memory_order_relaxed);
  internal::from_then_on.store(onwards, std::memory_order_relaxed);
  internal::last.store("", std::memory_order_relaxed);
  internal::armed.store(true, std::memory_order_seq_cst);  // last; the test starts no thread before this returns
}

uint64_t disarm() {
  internal::armed.store(false, std::memory_order_seq_cst);
  return internal::passed.load(std::memory_order_relaxed);
}

const char* lastFault() { return internal::last.load(std::memory_order_relaxed); }

}  // namespace manyrt::fault
