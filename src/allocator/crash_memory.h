// The words of a crash report about an address: the allocation that has it, or the nearest one. Its label and size are told,
// and whether it was freed. The handler of the signal asks (base/crash.h); what it reads needs no lock.
#pragma once

#include <cstdint>

#include "allocator/region.h"

namespace manyrt::allocator::crash_memory {

void offer();  // from now on reports ask here; any number of times

void noteLabel(Region& region, uintptr_t address, const char* label);  // of a block that was just handed out
// The region of one allocation goes back to its driver. The last ones are remembered, so that a report can name them.
void noteReturned(Region& region);

}  // namespace manyrt::allocator::crash_memory
