// Opening the CUDA runtime: RT_CUDART, the one that was linked in, or a library of the usual names; and taking the driver's
// functions from it.
#include "backends/cuda/table.h"

#include <dlfcn.h>

#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/log.h"
#include "base/os/dynamic_library.h"
#include "base/os/site_packages.h"
#include "base/os/thread.h"

namespace manyrt::cuda {
namespace internal {
std::atomic<const Table*> current{nullptr};
}
namespace {

constexpr Error kCudartUnloading = 4;
constexpr const char* kUsualNames[] = {"libcudart.so.13", "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so.13",
                                       "/usr/local/cuda/lib64/libcudart.so.12"};

// The functions in the table after the runtime's end. Threads of the library may still call at exit. They get a status, not a
// jump into a library that has taken itself down.
template <class Function>
struct Closed;
template <class... Arguments>
struct Closed<Error (*)(Arguments...)> {
  static Error call(Arguments...) { return kCudartUnloading; }
};
template <class... Arguments>
struct Closed<const char* (*)(Arguments...)> {
  static const char* call(Arguments...) { return "the CUDA runtime has ended"; }
};

const Table& closedTable() {
  static const Table* const closed = [] {
    auto* made = new Table;
#define X(name, ...) made->cuda##name = Closed<decltype(made->cuda##name)>::call;
    RT_CUDA_RUNTIME_TABLE(X)
#undef X
#define X(name, ...) made->cu##name = Closed<decltype(made->cu##name)>::call;
    RT_CUDA_DRIVER_TABLE(X)
    RT_CUDA_DRIVER_OPTIONAL_TABLE(X)
#undef X
    return made;
  }();
  return *closed;
}

// At exit, before the runtime takes itself down: registered after it was loaded, so it runs first.
void closeTable() { internal::current.store(&closedTable(), std::memory_order_release); }

// While a program captures one of its streams, a query of any thread ends the capture. A thread that has said that it takes
// no part in captures does not.
void takeNoPartInCaptures() {
  int mode = kCaptureRelaxed;
  (void)table().cuThreadExchangeStreamCaptureMode(&mode);
}

// ---- A runtime that is opened ----

using EntryPointByVersion = Error (*)(const char*, void**, unsigned, unsigned long long, int*);
using EntryPoint = Error (*)(const char*, void**, unsigned long long, int*);

struct Opened {
  EntryPointByVersion by_version = nullptr;
  EntryPoint plain = nullptr;
};
Opened opened;

void* openedEntryPoint(const char* name, int version) {
  void* found = nullptr;
  int outcome = 0;
  // The version names the form of a function whose parameters have changed between releases.
  if (opened.by_version != nullptr) {
    const Error error = opened.by_version(name, &found, static_cast<unsigned>(version), kEntryPointDefault, &outcome);
    return error == 0 && outcome == 0 ? found : nullptr;
  }
  return opened.plain(name, &found, kEntryPointDefault, &outcome) == 0 && outcome == 0 ? found : nullptr;
}

bool fillFrom(Table* out, void* library, std::string* missing) {
#define X(name, ...)                                                                           \
  out->cuda##name = reinterpret_cast<decltype(out->cuda##name)>(dlsym(library, "cuda" #name)); \
  if (out->cuda##name == nullptr) *missing = "cuda" #name;
  RT_CUDA_RUNTIME_TABLE(X)
#undef X
  opened.by_version = reinterpret_cast<EntryPointByVersion>(dlsym(library, "cudaGetDriverEntryPointByVersion"));
  opened.plain = reinterpret_cast<EntryPoint>(dlsym(library, "cudaGetDriverEntryPoint"));
  if (opened.by_version == nullptr && opened.plain == nullptr) *missing = "cudaGetDriverEntryPoint";
  return missing->empty();
}

// Those that were installed with a wheel of this library come first: its user has asked for them.
std::vector<std::string> usualNames() {
  std::vector<std::string> names;
  for (const std::string& folder : nvidiaFolders()) {
    for (const char* name : {"/libcudart.so.13", "/libcudart.so.12"}) names.push_back(folder + name);
  }
  names.insert(names.end(), std::begin(kUsualNames), std::end(kUsualNames));
  return names;
}

void* openRuntime(std::string* name, std::string* reason) {
  if (const char* path = config::get(config::Variable::kCudart)) {
    *name = path;
    std::string why;
    void* library = openLibrary(path, &why);
    if (library == nullptr) {
      *reason = "RT_CUDART=" + std::string(path) + " cannot be opened: " + (why.empty() ? "there is no such file." : why + ".");
    }
    return library;
  }
  // A file that is there and cannot be opened says more than one that is missing.
  std::string first;  // the reason of the first one that is there and fails
  for (const std::string& usual : usualNames()) {
    *name = usual;
    std::string why;
    if (void* library = openLibrary(usual.c_str(), &why)) return library;
    if (first.empty()) first = why;
  }
  *reason = first.empty() ? "The CUDA runtime (libcudart.so.13 or .12) is not installed; RT_CUDART may name one."
                          : "The CUDA runtime cannot be opened: " + first + ".";
  return nullptr;
}

// ---- Both ----

bool fillDriver(Table* out, void* (*entry_point)(const char*, int), std::string* missing) {
#define X(name, version, ...)                                                                  \
  out->cu##name = reinterpret_cast<decltype(out->cu##name)>(entry_point("cu" #name, version)); \
  if (out->cu##name == nullptr) *missing = "cu" #name;
  RT_CUDA_DRIVER_TABLE(X)
#undef X
#define X(name, version, ...) out->cu##name = reinterpret_cast<decltype(out->cu##name)>(entry_point("cu" #name, version));
  RT_CUDA_DRIVER_OPTIONAL_TABLE(X)
#undef X
  return missing->empty();
}

struct State {
  std::once_flag once;
  bool good = false;
  std::unique_ptr<const Table> table;  // kept also when it is closed: calls may run until the process ends
  std::string reason;
  std::string name;
};
State& state() {
  static State* instance = new State;  // never destroyed
  return *instance;
}

void open(State& at) {
  auto fresh = std::make_unique<Table>();
  void* (*entry_point)(const char*, int) = nullptr;
  std::string missing;
  // A runtime that the user names goes ahead of the one that was linked in.
  if (config::get(config::Variable::kCudart) == nullptr && staticRuntime(fresh.get(), &entry_point)) {
    at.name = "the CUDA runtime that is part of this library";
  } else {
    void* library = openRuntime(&at.name, &at.reason);
    if (library == nullptr) return;
    if (!fillFrom(fresh.get(), library, &missing)) {
      at.reason = at.name + " has no " + missing + ": it is too old, or no CUDA runtime.";
      return;
    }
    entry_point = openedEntryPoint;
  }
  // A runtime without a driver says so here, before anything else is asked of it.
  int count = 0;
  if (const Error error = fresh->cudaGetDeviceCount(&count); error != 0) {
    at.reason = std::string("CUDA has no devices: ") + fresh->cudaGetErrorString(error) + ".";
    // The runtime stays in the process, and the program may use it.
    (void)fresh->cudaGetLastError();
    return;
  }
  // Through the runtime, which has loaded the driver that fits it.
  if (!fillDriver(fresh.get(), entry_point, &missing)) {
    at.reason = "The NVIDIA driver has no " + missing + ": it is too old.";
    return;
  }
  at.table = std::move(fresh);
  // Release; table() says why its load is relaxed.
  internal::current.store(at.table.get(), std::memory_order_release);
  // For threads of the library alone: those of the program keep their own mode.
  prepareThreadsWith(takeNoPartInCaptures);
  (void)closedTable();  // so that nothing is allocated at exit
  // After the runtime's own functions for the exit: registered later, this one runs first.
  (void)atexit(closeTable);
  at.good = true;
  log::write(RT_LOG_INFO, "CUDA: %d device%s, through %s.", count, count == 1 ? "" : "s", at.name.c_str());
}

}  // namespace

bool openTable(std::string* reason) {
  State& at = state();
  std::call_once(at.once, [&] { open(at); });
  if (!at.good) *reason = at.reason;
  return at.good;
}

const std::string& runtimeName() { return state().name; }

#ifndef MANYRT_CUDART_STATIC
bool staticRuntime(Table*, void* (**)(const char*, int)) { return false; }
#endif

}  // namespace manyrt::cuda
