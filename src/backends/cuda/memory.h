// Memory from CUDA: device, pinned and managed; host ranges that are registered; ranges of others. The context is current.
#pragma once

#include "backends/backend.h"

namespace manyrt::cuda {

class Device;

// Memory::tag: not ours to free, a range, or else the address that the driver gave.
inline constexpr uint64_t kBorrowed = 1, kReserved = 2;

Status outOfMemory(Device& device, uint64_t size);  // why an allocation failed
Status allocateBuffer(backend::Memory* memory, Device& device, int32_t kind, uint64_t size, uint64_t alignment);
void releaseBuffer(const backend::Memory& memory, Device& device);
Status registerRange(Device& device, void* pointer, uint64_t size, void** device_pointer);
Status importBuffer(backend::Memory* memory, Device& device, uint64_t address, uint64_t size);
// Whether an address is host memory that CUDA does not know, so that copies of it go through pinned memory.
bool isPageable(const void* pointer);

}  // namespace manyrt::cuda
