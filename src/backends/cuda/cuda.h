// The CUDA backend, for the registry.
#pragma once

#include "backends/backend.h"

namespace manyrt::cuda {

backend::Backend* backend();

}  // namespace manyrt::cuda
