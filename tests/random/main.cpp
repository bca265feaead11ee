// The random driver: threads that use every kind of object of rt.h at random, beside a model of what memory holds. It looks for
// wrong contents, hangs, crashes, leaks and answers that rt.h does not give.
//
//   random [--seed N] [--seconds N] [--steps N] [--threads N] [--device NAME[,NAME...]] [--patience SECONDS]
//
// A failure prints the seed, the last calls of each thread and all stacks. With one thread a seed repeats exactly what it did:
// `random --seed N --threads 1 --steps M --device ...`. M is a little above the step that the failure names. With several
// threads a seed repeats what each thread does, not how they meet: run it again, with more --seconds. `gdb --args` and a break
// at rtrandom::fail show the objects. scripts/run-random-driver.sh runs it on every device of this machine.
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "random/actor.h"
#include "random/callbacks.h"
#include "random/settings.h"
#include "random/watchdog.h"

namespace rtrandom {

Settings& settings() {
  static Settings all;
  return all;
}

std::string Settings::repeat() const {
  std::string names;
  for (const std::string& name : devices) names += (names.empty() ? "" : ",") + name;
  return "random --seed " + std::to_string(seed) + " --threads " + std::to_string(threads) + " --device " + names;
}

namespace {

[[noreturn]] void usage() {
  fprintf(stderr, "random [--seed N] [--seconds N] [--steps N] [--threads N] [--device NAME[,NAME...]] [--patience SECONDS]\n");
  exit(2);
}

void readArguments(int argc, char** argv) {
  Settings& all = settings();
  std::random_device entropy;
  all.seed = entropy();
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) usage();
    const char* value = argv[i + 1];
    char* end = nullptr;
    const uint64_t number = strtoull(value, &end, 10);
    if (name == "--device") {
      all.devices.clear();
      for (const char* at = value; at != nullptr; at = strchr(at, ',') == nullptr ? nullptr : strchr(at, ',') + 1) {
        all.devices.emplace_back(at, strcspn(at, ","));
      }
      continue;
    }
    if (*end != '\0' || end == value) usage();
    if (name == "--seed") {
      all.seed = number;
    } else if (name == "--seconds") {
      all.seconds = number;
    } else if (name == "--steps") {
      all.steps = number;
    } else if (name == "--threads" && number > 0) {
      all.threads = static_cast<unsigned>(number);
    } else if (name == "--patience") {
      all.patience = static_cast<unsigned>(number);
    } else {
      usage();
    }
  }
}

// Everything was destroyed and every stream waited for: nothing may be left, and every function has been called.
void checkEnd(const std::vector<rtDevice_t>& devices) {
  OK(rtSetLogCallback, nullptr, nullptr, RT_LOG_WARNING);
  for (rtDevice_t device : devices) OK(rtDeviceSynchronize, device);
  for (int32_t kind = RT_HANDLE_CONTEXT; kind <= RT_HANDLE_GRAPH_VALUE; ++kind) {
    uint64_t count = 0;
    OK(rtGetLiveHandleCount, &count, kind);
    if (count != 0) fail("%llu handles of kind %d are left.", static_cast<unsigned long long>(count), kind);
  }
  if (counts().host_called != counts().host_submitted) {
    fail("%llu host functions were given, %llu called.", static_cast<unsigned long long>(counts().host_submitted),
         static_cast<unsigned long long>(counts().host_called));
  }
}

using Handler = void (*)(int);
Handler earlier_handler = SIG_DFL;  // of tests/support/crash_trace.cpp

// Tells what was called before the stacks are shown; on a stack of its own, since the thread's may be full.
void onCrash(int signal) {
  void* frames[48];
  backtrace_symbols_fd(frames, backtrace(frames, 48), STDERR_FILENO);
  printLogs();
  fprintf(stderr, "\nsignal %d in %s, step %llu\nrepeat: %s\n", signal, logOfThread().name().c_str(),
          static_cast<unsigned long long>(logOfThread().step()), settings().repeat().c_str());
  fflush(stderr);
  ::signal(signal, earlier_handler);
  raise(signal);  // comes when the handler returns
}

void catchCrashes() {
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  struct sigaction earlier = {};
  sigaction(SIGSEGV, &action, &earlier);
  earlier_handler = earlier.sa_handler;
}

int run() {
  std::vector<rtDevice_t> devices;
  for (const std::string& name : settings().devices) {
    rtDevice_t device = nullptr;
    if (rtDeviceGetByName(&device, name.c_str()) != RT_SUCCESS) {
      // A GPU or a driver of OpenCL may be absent; the CPU and the null device are always there.
      const bool optional = name.starts_with("cuda") || name.starts_with("opencl");
      printf("%s: %s\n", optional ? "SKIP" : "FAILED", lastMessage().c_str());
      return optional ? 77 : 1;
    }
    devices.push_back(device);
  }
  const int64_t begin = nowNanoseconds();
  uint64_t comparisons = 0;
  {
    const Watchdog watchdog(settings().patience);
    std::vector<std::unique_ptr<Actor>> actors;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < settings().threads; ++i) actors.push_back(std::make_unique<Actor>(i, devices));
    for (auto& actor : actors) threads.emplace_back([&actor] { actor->run(); });
    for (std::thread& thread : threads) thread.join();
    nameThread("main");
    logOfThread().setActive(true);
    checkEnd(devices);
    for (const auto& actor : actors) comparisons += actor->comparisons;
    OK(rtShutdown);
    if (counts().releases != counts().releases_due) {
      fail("%llu release functions were handed over, %llu called.", static_cast<unsigned long long>(counts().releases_due),
           static_cast<unsigned long long>(counts().releases));
    }
    logOfThread().setActive(false);
  }
  const auto seconds = static_cast<double>(nowNanoseconds() - begin) / 1e9;
  printf("%s: %llu calls, %llu comparisons, %llu host functions, %llu lines, %.1f s\n", settings().repeat().c_str(),
         static_cast<unsigned long long>(CallLog::callCount()), static_cast<unsigned long long>(comparisons),
         static_cast<unsigned long long>(counts().host_called), static_cast<unsigned long long>(counts().log_lines), seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  readArguments(argc, argv);
  catchCrashes();
  printf("seed %llu\n", static_cast<unsigned long long>(settings().seed));
  fflush(stdout);
  return run();
}

}  // namespace rtrandom

int main(int argc, char** argv) { return rtrandom::main(argc, argv); }
