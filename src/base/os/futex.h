// Sleeping on a 32-bit word. Wakes may be spurious: callers check their condition again.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace manyrt {

// Sleeps while *word == expected, until woken or the deadline; false when the deadline has passed.
bool futexWait(std::atomic<uint32_t>* word, uint32_t expected, Deadline deadline);  // never inside a guard
// The same inside of a lock, whose rank has been checked already.
bool futexWaitForLock(std::atomic<uint32_t>* word, uint32_t expected, Deadline deadline);
void futexWake(std::atomic<uint32_t>* word, int count);

}  // namespace manyrt
