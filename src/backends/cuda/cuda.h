// The way into the CUDA backend: what the registry of backends asks for, and nothing else.
#pragma once

#include "backends/backend.h"

namespace manyrt::cuda {

backend::Backend* backend();

}  // namespace manyrt::cuda
