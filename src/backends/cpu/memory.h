// Memory of the CPU as the system gives it. Large blocks are mapped, small ones come from malloc, and pinned ones are locked
// where the system allows that. Contexts call it; it keeps no list of what it gave.
#pragma once

#include "backends/backend.h"

namespace manyrt::cpu {

Status allocateMemory(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment);
void releaseMemory(const backend::Memory& memory);
// Addresses whose pages come when they are touched; what is not committed is not to be touched.
Status reserveAddresses(backend::Memory* memory, uint64_t size);
Status commitPages(const backend::Memory& memory, uint64_t offset, uint64_t size);
void decommitPages(const backend::Memory& memory, uint64_t offset, uint64_t size);
void lockMemory(void* pointer, uint64_t size);  // a failure costs one line in the log, once
void unlockMemory(void* pointer, uint64_t size);

constexpr uint64_t kBorrowed = 0;  // Memory::tag of what is not ours

}  // namespace manyrt::cpu
