// Memory of the CPU as the system gives it. Large blocks are mapped, small ones come from malloc, and pinned ones are locked
// where the system allows that. Contexts call it; it keeps no list of what it gave.
#pragma once

#include "backends/backend.h"

namespace manyrt::cpu {

Status allocateMemory(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment);
void releaseMemory(const backend::Memory& memory);
void lockMemory(void* pointer, uint64_t size);  // a failure costs one line in the log, once
void unlockMemory(void* pointer, uint64_t size);

constexpr uint64_t kBorrowed = 0;  // Memory::tag of what is not ours

}  // namespace manyrt::cpu
