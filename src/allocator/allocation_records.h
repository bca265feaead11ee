// RT_MEMORY_DEBUG: where each block was allocated and freed, by its address, and the lines of the log about what was found. A
// record stays until its memory goes back to the driver, so that a second free can be told of the first one. Calls may come
// from any thread with no lock of a pool held. Without memory for a record its allocation is not checked.
#pragma once

#include <cstdint>
#include <string>

namespace manyrt::allocator::records {

void allocated(uintptr_t address, uint64_t size, const char* label) noexcept;
void freed(uintptr_t address) noexcept;
void forget(uintptr_t begin, uintptr_t end);

// So many bytes after the allocation have the guard pattern now.
void setGuard(uintptr_t address, uint64_t bytes);
uint64_t takeGuard(uintptr_t address);  // 0: there is none to compare
// Whether the freed memory has the freed pattern.
void setFilled(uintptr_t address);
bool takeFilled(uintptr_t address);

// `offset`: of the byte, from the end of the allocation or from its start. `value`: what stands there.
void reportOverrun(uintptr_t address, uint64_t offset, unsigned value);
void reportWriteAfterFree(uintptr_t address, uint64_t offset, unsigned value);

// " It was allocated by ... and freed by ...", with the calls; empty without a record. Throws bad_alloc.
std::string history(uintptr_t address);
// "thread 7 in rtMalloc+0x12 < main+0x34", of the allocation; empty without a record. Throws bad_alloc.
std::string placeOf(uintptr_t address);

}  // namespace manyrt::allocator::records
