// The frame of every function that a program calls. It covers counting, failures on demand, the end of the process, fork, calls
// from host functions, and the thread's last error.
#pragma once

#include <atomic>
#include <exception>
#include <new>

#include "interface.h"

namespace manyrt::simulated {

class Function {
 public:
  Function(const char* name, bool runtime);  // registers itself; made once, static

  const char* const name;
  const bool runtime;  // sets the thread's last error
  std::atomic<int> calls{0};
};

bool refused(Function& function, Error* code);   // before the body: true if it must not run
Error finished(Function& function, Error code);  // after it: last error, and what a defect makes of the code
Error takeLastError();                           // of the thread; success afterwards
int countOf(const char* function);
void readFailures(const char* text);  // as in SIMULATED_CUDA_FAIL
void forgetCalls();

// A thread runs host functions of streams through this: CUDA calls inside are not permitted.
void runHostFunction(HostFunction function, void* user);

template <class Body>
Error call(Function& function, Body&& body) {
  Error code = kSuccess;
  if (!refused(function, &code)) {
    try {
      code = body();
    } catch (const std::bad_alloc&) {
      code = kMemoryAllocation;
    } catch (const std::exception&) {  // a thread that could not be started
      code = kUnknown;
    }
  }
  return finished(function, code);
}

// Error cudaMalloc(...) { return SIMULATED_CALL("cudaMalloc", true, { ...; return kSuccess; }); }
#define SIMULATED_CALL(name, runtime, ...)                                                                 \
  [&] {                                                                                                    \
    static auto& simulated_function = *new ::manyrt::simulated::Function(name, runtime);                   \
    return ::manyrt::simulated::call(simulated_function, [&]() -> ::manyrt::simulated::Error __VA_ARGS__); \
  }()
#define RUNTIME_CALL(name, ...) SIMULATED_CALL("cuda" #name, true, __VA_ARGS__)
#define DRIVER_CALL(name, ...) SIMULATED_CALL("cu" #name, false, __VA_ARGS__)

#define SIMULATED_TRY(expression)                                               \
  do {                                                                          \
    const ::manyrt::simulated::Error simulated_code = (expression);             \
    if (simulated_code != ::manyrt::simulated::kSuccess) return simulated_code; \
  } while (false)

}  // namespace manyrt::simulated
