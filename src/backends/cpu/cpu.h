// The CPU as a backend: one device, its properties read at the first question. The registry of backends calls
// backend(); nothing else outside this folder includes it.
#pragma once

#include "backends/backend.h"

namespace manyrt::cpu {

backend::Backend* backend();  // made at the first call, never destroyed

}  // namespace manyrt::cpu
