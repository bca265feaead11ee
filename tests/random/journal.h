// The latest accesses of all threads to memory, by address: the work, allocation or free of any of them may have brought
// unexpected bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random/op.h"

namespace rtrandom {

// Notes that a call did something to a range; `what` is a literal. `op` and `stream` may be nullptr.
void noteMemory(const char* what, const void* address, size_t size, uint64_t step, const Op* op, const void* stream);

// Prints the last notes on ranges that overlap this one, oldest first.
void printMemoryNotes(const void* address, size_t size);

// Prints where `found` differs from `expected`, range by range, with the first bytes of each.
void printDifferences(const uint8_t* found, const std::vector<uint8_t>& expected);

}  // namespace rtrandom
