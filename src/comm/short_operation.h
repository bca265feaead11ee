// Collectives so short that each rank has the data of every rank in memory of the host. Each makes its own result, without
// another message. The engines of several processes share it.
#pragma once

#include <cstdint>

#include "comm/operation.h"

namespace manyrt::comm {

// Elements of an operation that fit into `bytes` of each rank, whatever that rank sends: the same at all ranks.
uint64_t shortCount(Kind kind, int32_t type, int32_t size, uint64_t bytes);

// Writes what `rank` receives to `receive`, of which the operation has its own bytes at least. `sent` is by rank; `receive` is
// apart from all of it.
void finishFromSent(const Operation& of, int32_t rank, int32_t size, const void* const* sent, void* receive);

}  // namespace manyrt::comm
