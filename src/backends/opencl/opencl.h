// The way into the OpenCL backend: what the registry of backends asks for, and nothing else.
#pragma once

#include "backends/backend.h"

namespace manyrt::opencl {

backend::Backend* backend();

}  // namespace manyrt::opencl
