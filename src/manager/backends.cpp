// The only file outside src/backends that names the backends. A backend that this version lacks has a reason.
#include "manager/backends.h"

#include <atomic>
#include <cstring>
#include <string_view>

#include "backends/cpu/cpu.h"
#include "backends/cuda/cuda.h"
#include "backends/null/null.h"
#ifdef MANYRT_OPENCL
#include "backends/opencl/opencl.h"
#endif
#include "base/config.h"
#include "base/log.h"
#include "base/text.h"

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

namespace {

// RT_DISABLE may name it beside backends. It times the work of CUDA while a trace is on.
constexpr const char* kCupti = "cupti";

std::string_view nearestWord(std::string_view word) {
  std::string_view nearest = kCupti;
  for (const int32_t each : kBackendOrder) {
    if (lettersApart(word, backendWord(each)) < lettersApart(word, nearest)) nearest = backendWord(each);
  }
  return nearest;
}

// A word of RT_DISABLE that is unknown: told once, since the backend that was meant is looked at.
void tellUnknownWords() {
  static std::atomic<bool> said{false};
  // Relaxed: it only lets one thread write the lines.
  if (said.exchange(true, std::memory_order_relaxed)) return;
  const char* at = config::get(config::Variable::kDisable);
  while (at != nullptr && *at != '\0') {
    const size_t length = strcspn(at, ",");
    const std::string_view word(at, length), nearest = nearestWord(word);
    if (length != 0 && word != nearest) {
      log::write(RT_LOG_WARNING,
                 "RT_DISABLE names \"%.*s\", which is unknown; \"%.*s\" is near. cpu, cuda, opencl, null and "
                 "cupti are known.",
                 static_cast<int>(length), at, static_cast<int>(nearest.size()), nearest.data());
    }
    at += length;
    if (*at == ',') ++at;
  }
}

}  // namespace

backend::Backend* backendOf(int32_t backend) {
  const char* word = backendWord(backend);
  tellUnknownWords();
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
