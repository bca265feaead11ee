// Opening OpenCL's loader and taking functions from it: those of 1.2, which all have to be there, and the others by platform.
#include "backends/opencl/table.h"

#include <dlfcn.h>

#include <mutex>

#include "base/config.h"
#include "base/os/dynamic_library.h"

namespace manyrt::opencl {
namespace internal {
std::atomic<const Table*> current{nullptr};
}
namespace {

struct State {
  std::once_flag once;
  bool good = false;
  void* library = nullptr;
  std::string reason;
};
State& state() {
  static State* instance = new State;  // never destroyed
  return *instance;
}

void open(State& at) {
  const char* named = config::get(config::Variable::kOpenCl);
  std::string reason;
  // Never closed: drivers have threads of their own, which run until the process ends.
  at.library = openLibrary(named != nullptr ? named : "libOpenCL.so.1", &reason);
  if (at.library == nullptr) {
    at.reason = named != nullptr ? "RT_OPENCL=" + std::string(named) +
                                       " cannot be opened: " + (reason.empty() ? "there is no such file." : reason + ".")
                : reason.empty() ? "OpenCL's loader, libOpenCL.so.1, is not installed; RT_OPENCL may name one."
                                 : "OpenCL's loader, libOpenCL.so.1, cannot be opened: " + reason + ".";
    return;
  }
  // Filled aside: other threads see the table when it is whole.
  auto* fresh = new Table;
  std::string missing;
#define X(name)                                                                \
  fresh->name = reinterpret_cast<decltype(&::name)>(dlsym(at.library, #name)); \
  if (fresh->name == nullptr) missing = #name;
  RT_OPENCL_TABLE(X)
#undef X
  if (!missing.empty()) {
    delete fresh;
    at.reason = std::string(named != nullptr ? named : "libOpenCL.so.1") + " has no " + missing +
                ": it is older than OpenCL 1.2, or no OpenCL.";
    return;
  }
  // Calls may come until the process ends.
  internal::current.store(fresh, std::memory_order_release);  // never deleted
  at.good = true;
}

// A function that the loader exports, or that the platform's driver gives for its name.
void* find(cl_platform_id platform, const char* name) {
  // The loader's function first: it finds the platform by the object that it is called with.
  if (void* exported = dlsym(state().library, name)) return exported;
  return table().clGetExtensionFunctionAddressForPlatform(platform, name);
}

}  // namespace

bool openTable(std::string* reason) {
  State& at = state();
  std::call_once(at.once, [&] { open(at); });
  if (!at.good) *reason = at.reason;
  return at.good;
}

bool findSvm(Extensions* out, cl_platform_id platform) {
  bool whole = true;
#define X(member, svm, ...)                                                    \
  out->member = reinterpret_cast<decltype(out->member)>(find(platform, #svm)); \
  whole = whole && out->member != nullptr;
  RT_OPENCL_POINTER_TABLE(X)
#undef X
#define X(name, ...)                                                        \
  out->name = reinterpret_cast<decltype(out->name)>(find(platform, #name)); \
  whole = whole && out->name != nullptr;
  RT_OPENCL_SVM_TABLE(X)
#undef X
  return whole;
}

bool findUsm(Extensions* out, cl_platform_id platform) {
  bool whole = true;
#define X(member, svm, usm, ...)                                               \
  out->member = reinterpret_cast<decltype(out->member)>(find(platform, #usm)); \
  whole = whole && out->member != nullptr;
  RT_OPENCL_POINTER_TABLE(X)
#undef X
#define X(name, ...)                                                        \
  out->name = reinterpret_cast<decltype(out->name)>(find(platform, #name)); \
  whole = whole && out->name != nullptr;
  RT_OPENCL_USM_TABLE(X)
#undef X
  // Not of the extension, but drivers with it have it: kernels may follow addresses that no argument names.
  out->clSetKernelExecInfo = reinterpret_cast<decltype(out->clSetKernelExecInfo)>(find(platform, "clSetKernelExecInfo"));
  // All of the tier's functions or none of it, so that a device never changes its way of addressing memory halfway.
  return whole && out->clSetKernelExecInfo != nullptr;
}

bool findIl(Extensions* out, cl_platform_id platform) {
  // The core function first, and that of the extension for drivers of OpenCL 1.2 and 2.0.
  for (const char* name : {"clCreateProgramWithIL", "clCreateProgramWithILKHR"}) {
    out->clCreateProgramWithIL = reinterpret_cast<decltype(out->clCreateProgramWithIL)>(find(platform, name));
    if (out->clCreateProgramWithIL != nullptr) return true;
  }
  return false;
}

}  // namespace manyrt::opencl
