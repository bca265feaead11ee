// Counters and failures on demand. Functions register at their first call; a name that was never called has count 0.
#include "call.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "objects.h"
#include "report.h"
#include "settings.h"

namespace manyrt::simulated {
namespace {

struct Failure {
  int left;  // calls until it strikes; 0: every call
  Error code;
};

struct Registry {
  std::mutex mutex;
  std::vector<Function*> functions;
  std::map<std::string, Failure> failures;
};

Registry& registry() {
  static auto* made = new Registry;
  return *made;
}

std::atomic<bool> any_failure{false};
std::atomic<bool> forked{false};
std::atomic<bool> unloaded{false};
thread_local Error last_error = kSuccess;
thread_local bool in_host_function = false;
enum class Capture { kNone, kWhole, kBroken };
std::atomic<Capture> capture{Capture::kNone};
thread_local int capture_mode = 0;  // global, of the thread, relaxed

void start() {
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
  const char* failures = getenv("SIMULATED_CUDA_FAIL");
  if (failures != nullptr) readFailures(failures);
}

void startOnce() {
  static std::once_flag once;
  std::call_once(once, start);
}

bool strikes(const Function& function, Error* code) {
  if (!any_failure.load(std::memory_order_relaxed)) return false;
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  auto found = all.failures.find(function.name);
  if (found == all.failures.end()) return false;
  Failure& failure = found->second;
  if (failure.left > 1) {
    --failure.left;
    return false;
  }
  *code = failure.code;
  if (failure.left == 1) all.failures.erase(found);
  return true;
}

// The calls that CUDA names potentially unsafe, as far as they are simulated here.
bool breaksCapture(const Function& function) {
  if (capture == Capture::kNone || capture_mode == kCaptureRelaxed) return false;
  for (const char* unsafe : {"cuStreamQuery", "cuEventQuery", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMalloc",
                             "cudaFree", "cudaHostAlloc", "cudaFreeHost", "cuModuleUnload", "cuMemCreate", "cuMemMap",
                             "cuMemUnmap", "cuMemSetAccess", "cuMemAddressReserve"}) {
    if (strcmp(function.name, unsafe) == 0) return true;
  }
  return false;
}

// As cudart does when the process ends: what is called later finds the library gone.
__attribute__((destructor)) void unload() {
  if (forked) return;
  if (settings().leaks) reportLive();
  unloaded = true;
}

}  // namespace

Function::Function(const char* its_name, bool of_runtime) : name(its_name), runtime(of_runtime) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  all.functions.push_back(this);
}

bool refused(Function& function, Error* code) {
  startOnce();
  function.calls.fetch_add(1, std::memory_order_relaxed);
  if (unloaded) {
    *code = kUnloading;
    return true;
  }
  if (forked) {
    *code = kNotInitialized;
    return true;
  }
  if (in_host_function) {
    violation("%s is called inside a host function", function.name);
    *code = kNotPermitted;
    return true;
  }
  if (breaksCapture(function)) {
    capture = Capture::kBroken;
    *code = kCaptureUnsafe;
    return true;
  }
  return strikes(function, code);
}

Error finished(Function& function, Error code) {
  if (code == kSuccess || code == kNotReady) return code;
  if (defect(Defect::ignored_error)) return kSuccess;
  if (function.runtime) last_error = code;
  return code;
}

Error takeLastError() { return std::exchange(last_error, kSuccess); }

int countOf(const char* function) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  int calls = 0;
  for (const Function* known : all.functions) {
    if (strcmp(known->name, function) == 0) calls += known->calls.load();
  }
  return calls;
}

void readFailures(const char* text) {
  std::string rest = text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string one = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    char name[64];
    int number = 0, code = 0, used = 0;
    if (sscanf(one.c_str(), "%63[A-Za-z0-9]:%d:%d%n", name, &number, &code, &used) != 3 ||
        one[static_cast<size_t>(used)] != 0) {
      note("SIMULATED_CUDA_FAIL: '%s' is not name:N:code", one.c_str());
      abort();
    }
    simulatedCudaFail(name, number, code);
  }
}

void forgetCalls() {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  for (Function* known : all.functions) known->calls = 0;
  all.failures.clear();
  any_failure = false;
}

void runHostFunction(HostFunction function, void* user) {
  in_host_function = true;
  function(user);
  in_host_function = false;
}

Error driver::ThreadExchangeStreamCaptureMode(int* mode) {
  return DRIVER_CALL(ThreadExchangeStreamCaptureMode, {
    if (mode == nullptr || *mode < 0 || *mode > kCaptureRelaxed) return kInvalidValue;
    std::swap(*mode, capture_mode);
    return kSuccess;
  });
}

}  // namespace manyrt::simulated

extern "C" {

int simulatedCudaCount(const char* function) { return manyrt::simulated::countOf(function); }

void simulatedCudaFail(const char* function, int number, int code) {
  auto& all = manyrt::simulated::registry();
  std::lock_guard lock(all.mutex);
  if (code == manyrt::simulated::kSuccess) {
    all.failures.erase(function);
  } else {
    all.failures[function] = {number < 0 ? 0 : number, code};
  }
  manyrt::simulated::any_failure = !all.failures.empty();
}

int simulatedCudaCapture(int on) {
  using manyrt::simulated::Capture;
  return manyrt::simulated::capture.exchange(on != 0 ? Capture::kWhole : Capture::kNone) == Capture::kWhole;
}

int simulatedCudaViolations(void) { return manyrt::simulated::violations(); }

void simulatedCudaReset(void) {
  manyrt::simulated::forgetCalls();
  manyrt::simulated::forgetViolations();
  simulatedCudaDefect(nullptr);
}
}
