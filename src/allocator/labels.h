// The labels of allocations, for the report of a crash: by address, in a table of fixed size that a handler reads without a
// lock. An allocation without a label pays nothing for it. The table forgets the oldest of those whose addresses collide.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manyrt::allocator::labels {

constexpr size_t kMost = 48;  // bytes of a label that are kept, with its end

// Without memory for the table nothing is noted.
void note(uintptr_t address, const char* label);
// Safe in a handler. False: no label is known.
bool read(uintptr_t address, char (&label)[kMost]);

}  // namespace manyrt::allocator::labels
