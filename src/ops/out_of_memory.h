// The steps of an allocation when its pool has no memory left.
#pragma once

#include "ops/memory.h"

namespace manyrt::ops {

// Finds memory for a request that the pool has just refused, or says what there is in RT_ERROR_OUT_OF_MEMORY. Leaves the guard.
// Takes one step after the other, and ends with the first that helps:
// 1. the context gives back what it does not use;
// 2. it waits, once, for work in flight that still holds freed memory, where that can make room;
// 3. the callback of the pool frees some, as often as it asks for another attempt.
Status findMemory(void** pointer, const AllocationRequest& request, uint64_t alignment, allocator::Pool& from,
                  manager::Context& context, epoch::Guard& guard);

// Freed memory that work in flight holds: whose could make room for `size` bytes?
enum class Holders { kNone, kOfPool, kOfContext };
// `stats`: of the pool, which has given back what it does not use. `limit`: its own, 0 for none. `device_bytes`: all that the
// device has, 0 where it cannot say.
Holders holdersThatMatter(const rtMemPoolStats_t& stats, uint64_t limit, uint64_t size, uint64_t device_bytes);

}  // namespace manyrt::ops
