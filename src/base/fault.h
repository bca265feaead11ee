// Fault points: places where an allocation, a system call or a driver call can fail. A test arms the k-th point, and the
// library takes the path of a real failure there. It throws bad_alloc before an allocation, and returns a Status before a call
// that returns one. Outside the tests no point is armed, and each costs one relaxed load.
#pragma once

#include <atomic>
#include <cstdint>

namespace manyrt::fault {

namespace internal {
// Relaxed loads: outside the tests it never changes, and a test starts no thread of its own before arm() returns.
extern std::atomic<bool> armed;
bool count(const char* what);
}  // namespace internal

// True: this point has to fail. `what` names it in the report of the test.
inline bool fails(const char* what) { return internal::armed.load(std::memory_order_relaxed) && internal::count(what); }

// While one stands, no point counts on its thread: foreign code runs there, which allocates memory for itself.
class Suspension {
 public:
  Suspension();
  ~Suspension();
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;
};

// The k-th point from now fails (k from 1), or with `onwards` every point from the k-th on.
void arm(uint64_t k, bool onwards);
uint64_t disarm();        // the number of points passed since arm()
const char* lastFault();  // the name of the point that failed last, or ""

}  // namespace manyrt::fault
