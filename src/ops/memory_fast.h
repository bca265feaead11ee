// The ways through rtMallocAsync and rtFreeAsync that the cache of a stream serves, inline in the two functions. All other
// calls go through ops/memory.h, which asks everything again.
#pragma once

#include "allocator/address_map.h"
#include "allocator/pool_fast.h"
#include "manager/context.h"
#include "manager/device.h"
#include "manager/pool.h"
#include "manager/stream.h"

namespace manyrt::ops {

// Null: take the usual way.
[[gnu::always_inline]] inline void* allocateFromCache(uint64_t size, const manager::Stream& stream) {
  const manager::Context& context = *stream.context;
  // Relaxed: a capture takes the usual way, which looks again.
  if (stream.recorder.load(std::memory_order_relaxed) != nullptr || !context.isOpen()) [[unlikely]]
    return nullptr;
  backend::Stream& native = *stream.native;
  const manager::Pool* pool = context.knownPool();
  if (pool == nullptr || native.latch.failed() || stream.device.isLost()) [[unlikely]]
    return nullptr;
  return pool->pool->allocateFromCache(size, native);
}

[[gnu::noinline]] inline bool freeLargeIntoCache(allocator::Region& region, void* pointer, backend::Stream& stream) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  allocator::Block* block = region.blockAt(address);
  return block != nullptr && region.addressOf(*block) == address && region.pool()->releaseIntoCache(region, *block, stream);
}

// False: take the usual way. Nothing has been done.
[[gnu::always_inline]] inline bool freeIntoCache(void* pointer, const manager::Stream& stream) {
  if (stream.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return false;
  allocator::Region* region = allocator::address_map::find(pointer);
  if (region == nullptr) [[unlikely]]
    return false;
  if (region->kind() != allocator::Region::Kind::kSlab) [[unlikely]]
    return region->kind() == allocator::Region::Kind::kRange && freeLargeIntoCache(*region, pointer, *stream.native);
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  allocator::Block* block = region->blockOfSlabAt(address);
  if (block == nullptr || region->addressOf(*block) != address) [[unlikely]]
    return false;
  return region->pool()->releaseIntoCache(*region, *block, *stream.native);
}

}  // namespace manyrt::ops
