// Fault points: places where an allocation, a system call or a driver call can fail. A test arms the k-th point and the
// library takes the path that a real failure would take. Never armed outside the tests; then a point is one relaxed load.
#pragma once

#include <atomic>
#include <cstdint>

namespace manyrt::fault {

namespace internal {
extern std::atomic<bool> armed;
bool count(const char* what);
}  // namespace internal

// True where this point is to fail. `what` names it in the test's report.
inline bool fails(const char* what) { return internal::armed.load(std::memory_order_relaxed) && internal::count(what); }

// While one stands, its thread meets no point: code that is not this library's runs there, and allocates on its own.
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
