// The only file outside src/backends that names the backends. A backend that this version lacks has a reason.
#include "manager/backends.h"

#include "backends/cpu/cpu.h"
#include "backends/cuda/cuda.h"
#include "backends/null/null.h"
#ifdef MANYRT_OPENCL
#include "backends/opencl/opencl.h"
#endif
#include "base/config.h"

namespace manyrt::manager {

const char* backendWord(int32_t backend) {
  switch (backend) {
    case RT_BACKEND_CPU:
      return "cpu";
    case RT_BACKEND_CUDA:
      return "cuda";
    case RT_BACKEND_OPENCL:
      return "opencl";
    case RT_BACKEND_NULL:
      return "null";
    default:
      return nullptr;
  }
}

backend::Backend* backendOf(int32_t backend) {
  const char* word = backendWord(backend);
  if (word == nullptr || config::listed(config::Variable::kDisable, word)) return nullptr;
  switch (backend) {
    case RT_BACKEND_CPU:
      return cpu::backend();
    case RT_BACKEND_CUDA:
      return cuda::backend();
#ifdef MANYRT_OPENCL
    case RT_BACKEND_OPENCL:
      return opencl::backend();
#endif
    case RT_BACKEND_NULL:
      return null::backend();
    default:
      return nullptr;
  }
}

const char* unavailableReason(int32_t backend) {
  const char* word = backendWord(backend);
  if (word != nullptr && config::listed(config::Variable::kDisable, word)) return "RT_DISABLE names this backend.";
  return "This version of the library was built without this backend.";
}

}  // namespace manyrt::manager
