// Ranks on CUDA devices that all differ, as the engine of NCCL has them: as many as there are, at most four.
#pragma once

#include <dlfcn.h>

#include "comm/ranks.h"
#include "support/simulated_cuda.h"

namespace commtest {

inline std::vector<int> rankCounts() {
  std::vector<int> counts;
  for (int count = 1; count <= std::min(4, rttest::cudaDeviceCount()); ++count) counts.push_back(count);
  return counts;
}

// As many devices as there are, in turn: every rank of `make(everyDevice(n), n)` has its own.
inline std::string everyDevice(int count) {
  std::string layout;
  for (int i = 0; i < count; ++i) layout += "cuda:" + std::to_string(i) + " ";
  return layout;
}

// The simulation's own functions; null where NCCL itself runs.
struct SimulatedNccl {
  template <typename Function>
  static Function* find(const char* name) {
    const char* const path = std::getenv("RT_NCCL");
    void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  }
  int (*live)() = find<int()>("simulatedNcclLive");
  int (*count)(const char*) = find<int(const char*)>("simulatedNcclCount");
  int (*caller)() = find<int()>("simulatedNcclCaller");
  void (*fail)(const char*, int) = find<void(const char*, int)>("simulatedNcclFail");
  void (*async_error)(int) = find<void(int)>("simulatedNcclAsyncError");
  void (*hold)(int, int) = find<void(int, int)>("simulatedNcclHold");
  bool here() const { return live != nullptr; }
};
inline const SimulatedNccl& simulatedNccl() {
  static const SimulatedNccl functions;
  return functions;
}

// Work of a rank waits on the simulated device while this lives.
class Held {
 public:
  explicit Held(int rank) : rank_(rank) { simulatedNccl().hold(rank, 1); }
  ~Held() { simulatedNccl().hold(rank_, 0); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  const int rank_;
};

}  // namespace commtest
