// Names the machine, pins threads and measures floors.
#include "machine.h"

#include <dirent.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace bench {
namespace {

// Before any thread is pinned.
const std::vector<int>& cores() {
  static const std::vector<int> all = [] {
    cpu_set_t set;
    std::vector<int> found;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
      for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) found.push_back(i);
      }
    }
    if (found.empty()) found.push_back(0);
    return found;
  }();
  return all;
}

void pin(int thread, int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cores()[static_cast<size_t>(core) % cores().size()], &set);
  (void)sched_setaffinity(thread, sizeof set, &set);
}

std::vector<int> threads() {
  std::vector<int> found;
  if (DIR* folder = opendir("/proc/self/task"); folder != nullptr) {
    while (const dirent* entry = readdir(folder)) {
      if (entry->d_name[0] != '.') found.push_back(atoi(entry->d_name));
    }
    closedir(folder);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string cpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0 && line.rfind("Model", 0) != 0) continue;
    size_t at = line.find(": ");
    if (at != std::string::npos) return line.substr(at + 2);
  }
  return "unknown";
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

}  // namespace

void check(rtStatus_t status, const char* call) {
  if (status >= 0) return;
  char message[1024] = "";
  (void)rtGetLastErrorMessage(message, sizeof message, nullptr);
  fprintf(stderr, "%s\n  is %s: %s\n", call, rtGetErrorName(status), message);
  exit(EXIT_FAILURE);
}

int coreCount() { return static_cast<int>(cores().size()); }

void pinHere(int core) { pin(0, core); }

Pinning::Pinning() : before_(threads()) {}

void Pinning::done() {
  int next = 1;
  for (int thread : threads()) {
    if (std::binary_search(before_.begin(), before_.end(), thread)) continue;
    pin(thread, next);
    next = next + 1 < coreCount() ? next + 1 : std::min(1, coreCount() - 1);
  }
}

void describeMachine(const std::function<void(const char*, const std::string&)>& add) {
  utsname system;
  uname(&system);
  add("cpu", cpuModel());
  add("cores", std::to_string(coreCount()));
  add("kernel", std::string(system.sysname) + " " + system.release);
  add("libc", std::string("glibc ") + gnu_get_libc_version());
  add("compiler", BENCH_COMPILER);
  add("build", BENCH_BUILD_TYPE);
}

double pingPong(int64_t budget) {
  alignas(128) static std::atomic<uint64_t> ball;
  alignas(128) static std::atomic<bool> stop;
  if (coreCount() < 2) return 0;
  ball.store(0);
  stop.store(false);
  std::thread other([] {
    pinHere(1);
    uint64_t seen = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      uint64_t value = ball.load(std::memory_order_acquire);
      if (value == seen || (value & 1) == 0) continue;
      seen = value + 1;
      ball.store(seen, std::memory_order_release);
    }
  });
  uint64_t value = 0;
  Measure measure = hot([&value] {
    ball.store(value + 1, std::memory_order_release);
    const int64_t patience = 1 << 24;
    for (int64_t spins = 0; ball.load(std::memory_order_acquire) != value + 2; ++spins) {
      if (spins > patience) relax();
    }
    value += 2;
  });
  double result = measure(budget);
  stop.store(true);
  other.join();
  return result;
}

Measure exportedCall() {
  return hot([] {
    uint32_t version;
    (void)rtGetVersion(&version);
  });
}

rtContext_t createContext(const char* name, uint32_t cpu_threads) {
  rtDevice_t device;
  rtContext_t context;
  rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
  options.cpu_threads = cpu_threads;
  RT_CHECK(rtDeviceGetByName(&device, name));
  RT_CHECK(rtContextCreate(&context, &options, device));
  return context;
}

rtStream_t createStream(rtContext_t context) {
  rtStream_t stream;
  RT_CHECK(rtStreamCreate(&stream, nullptr, context));
  return stream;
}

rtKernel_t createKernel(rtContext_t context, rtHostKernelFunction_t function, const std::vector<rtHostArg_t>& args) {
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = function;
  host.args = args.data();
  host.arg_count = static_cast<uint32_t>(args.size());
  rtKernel_t kernel;
  RT_CHECK(rtKernelCreateFromHost(&kernel, &host, context));
  return kernel;
}

void emptyKernel(const rtHostGroup_t*, void* const*) {}

}  // namespace bench
