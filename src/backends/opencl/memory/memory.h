// Memory of OpenCL devices in each tier: unified shared memory, shared virtual memory, or roots with addresses of the window.
// Also pinned memory of the host, which kernels reach where it is the device's own memory, too.
#pragma once

#include "backends/backend.h"

namespace manyrt::opencl {

class Device;

Status allocateBuffer(backend::Memory* memory, Device& device, int32_t kind, uint64_t size, uint64_t alignment);
void releaseBuffer(const backend::Memory& memory, Device& device);
// A cl_mem of this device's cl_context, from `offset` on.
Status importBuffer(backend::Memory* memory, Device& device, const uint64_t native[2], uint64_t size);

}  // namespace manyrt::opencl
