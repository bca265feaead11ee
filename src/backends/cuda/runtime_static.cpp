// The CUDA runtime that is linked into the library, where the build found a toolkit. Compiled only then.
#include <cuda_runtime_api.h>

#include "backends/cuda/table.h"

namespace manyrt::cuda {
namespace {

void* entryPoint(const char* name, int version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult outcome = cudaDriverEntryPointSymbolNotFound;
// Earlier runtimes have the function without a version, and give the form of their own release.
#if CUDART_VERSION >= 12050
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &found, static_cast<unsigned>(version), cudaEnableDefault, &outcome);
#else
  (void)version;
  const cudaError_t error = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &outcome);
#endif
  return error == cudaSuccess && outcome == cudaDriverEntryPointSuccess ? found : nullptr;
}

}  // namespace

bool staticRuntime(Table* out, void* (**entry_point)(const char* name, int version)) {
#define X(name, ...) out->cuda##name = reinterpret_cast<decltype(out->cuda##name)>(&::cuda##name);
  RT_CUDA_RUNTIME_TABLE(X)
#undef X
  *entry_point = entryPoint;
  return true;
}

}  // namespace manyrt::cuda
