// Filling device memory with patterns of 1 to 16 bytes, without a kernel.
#pragma once

#include "backends/backend.h"
#include "backends/cuda/declarations.h"

namespace manyrt::cuda {

// Submits the fill; the context is current. On failure `call` names what failed.
Error fillOnDevice(const backend::Fill& fill, NativeStream stream, const char** call);

}  // namespace manyrt::cuda
