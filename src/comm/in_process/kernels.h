// Reductions on the device of one rank: kernels from source, built at the first operation of a type. Used where the memory of a
// context is not the host's. The rank's own stream runs them.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "comm/types.h"

namespace manyrt::comm {

class Kernels {
 public:
  explicit Kernels(rtContext_t context) : context_(context) {}
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  // Once for each type; later calls find what is there. May run a compiler.
  Status build(int32_t type);
  // As combineOnHost and divideOnHost, submitted to `stream`. The type was built.
  Status combine(int32_t type, int32_t reduction, void* out, const void* a, const void* b, uint64_t count, rtStream_t stream);
  Status divide(int32_t type, void* data, uint64_t count, uint32_t divisor, rtStream_t stream);

 private:
  struct Module {
    rtModule_t module = nullptr;
    std::array<rtKernel_t, kReductionCount> combine{};
    rtKernel_t divide = nullptr;
  };
  const rtContext_t context_;
  std::mutex mutex_;  // of building; after build() the entry stays as it is
  std::array<Module, kTypeCount> modules_;
};

}  // namespace manyrt::comm
