// The simulated CUDA runtime as a test sees it beside the library: nothing is linked, its functions are looked up in what
// RT_CUDART names. On a real device none of them is there, and what depends on them is left out.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "rt.h"

namespace rttest {

// The runtime that the library has opened already: what RT_CUDART names, or one of the usual ones.
inline void* cudaLibrary() {
  if (const char* path = std::getenv("RT_CUDART")) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  for (const char* name : {"libcudart.so.13", "libcudart.so.12"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return library;
  }
  return nullptr;
}

template <typename Function>
Function* cudaFunction(const char* name) {
  void* library = cudaLibrary();
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

struct SimulatedCuda {
  int (*live)(const char* kind) = cudaFunction<int(const char*)>("simulatedCudaLive");
  int (*count)(const char* function) = cudaFunction<int(const char*)>("simulatedCudaCount");
  int (*violations)() = cudaFunction<int()>("simulatedCudaViolations");
  void (*fail)(const char* function, int call, int code) = cudaFunction<void(const char*, int, int)>("simulatedCudaFail");
  void (*lose)(int device, int code) = cudaFunction<void(int, int)>("simulatedCudaLoseDevice");
  void (*insist_on_current)(int on) = cudaFunction<void(int)>("simulatedCudaInsistOnCurrent");
  int (*capture)(int on) = cudaFunction<int(int)>("simulatedCudaCapture");
  void (*mend)(int device) = cudaFunction<void(int)>("simulatedCudaMendDevice");

  bool here() const { return live != nullptr; }
};

inline const SimulatedCuda& simulatedCuda() {
  static const SimulatedCuda functions;
  return functions;
}

// The kinds of native objects that simulatedCudaLive() counts; contexts stay until the process ends.
inline constexpr const char* kNativeKinds[] = {"stream",      "event",  "device memory", "reservation",
                                               "host memory", "module", "graph",         "executable graph"};

inline int32_t cudaDeviceCount() {
  int32_t count = 0;
  return rtDeviceGetCount(&count, RT_BACKEND_CUDA) == RT_SUCCESS ? count : 0;
}

// "cuda:0", ...; none where there is no device.
inline std::vector<std::string> cudaDevices(int32_t most = INT32_MAX) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < std::min(cudaDeviceCount(), most); ++i) names.push_back("cuda:" + std::to_string(i));
  return names;
}

}  // namespace rttest
