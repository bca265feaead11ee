// The registry of backends. All other code asks it for a backend by its number.
#pragma once

#include "backends/backend.h"

namespace manyrt::manager {

// The backends in the order in which a default device is looked for; the null backend is last and never a default.
inline constexpr int32_t kBackendOrder[] = {RT_BACKEND_CUDA, RT_BACKEND_OPENCL, RT_BACKEND_CPU, RT_BACKEND_NULL};

const char* backendWord(int32_t backend);        // "cpu"; null: there is no such backend
backend::Backend* backendOf(int32_t backend);    // null: not in this version, or disabled
const char* unavailableReason(int32_t backend);  // a sentence, if backendOf is null

}  // namespace manyrt::manager
