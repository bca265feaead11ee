// The short ways through a pool, inline in ops. One is an allocation that the stream's cache has a block for, the other a free
// in the order of the stream that has allocated. All else is in pool.cpp.
#pragma once

#include <mutex>

#include "allocator/pin_scope.h"
#include "allocator/poison.h"
#include "allocator/pool.h"
#include "base/trace.h"

namespace manyrt::allocator {

[[gnu::always_inline]] inline void Pool::handOut(Region& region, Block& block, uint64_t size, StreamCache* home) {
  // Relaxed: the release of the state below publishes the rest.
  block.size.store(size, std::memory_order_relaxed);
  block.home.store(home, std::memory_order_relaxed);
  Counters& counters = home != nullptr ? home->counters : own_;
  if (counters.allocated(size)) [[unlikely]]
    credit(home != nullptr ? counters.raised(size, crediting_.shared()) : counters.exact());
  if (const uint8_t past = block.past.load(std::memory_order_relaxed); past != Block::kRecycled) [[unlikely]] {
    block.past.store(Block::kRecycled, std::memory_order_relaxed);
    if (past == Block::kFresh) counters.allocatedFresh();
  }
  // With AddressSanitizer no stream has a cache.
  if (home == nullptr && region.memory().host_visible) unpoison(region.addressOf(block), size);
  // Release: address_map::locate reads the size after the state.
  block.state.store(Block::kLive, std::memory_order_release);
}

inline bool Pool::bind(StreamCache& cache, backend::Stream& stream) {
  if (cache.stream() == &stream) [[likely]]
    return true;
  if (cache.closed()) return false;
  cache.bind(&stream);  // a number has one stream at a time, so that this cache had none
  return true;
}

// Blocks of ranges stay with their streams where threads meet at the pool's lock; else each joins its neighbours at once.
inline bool Pool::cachesOf(const Region& region) const {
  return region.kind() == Region::Kind::kSlab || (region.kind() == Region::Kind::kRange && visits_.shared());
}

inline StreamCache* Pool::knownCacheOf(const backend::Stream& stream) const {
  return stream.listed_by == resources_.get() ? caches_.find(stream.list_number) : nullptr;
}

[[gnu::always_inline]] inline Block* Pool::allocateCached(StreamCache& cache, backend::Stream& stream, uint32_t index,
                                                          uint64_t size, bool* in_use) {
  std::lock_guard lock(cache.lock);
  if (!bind(cache, stream)) return nullptr;
  Block* block = cache.pop(index);
  if (block == nullptr) [[unlikely]] {
    // Where threads meet at the pool's lock, a longer block that the stream has anyway serves as well.
    if (!visits_.shared()) return nullptr;
    block = cache.popLarger(index);
    if (block == nullptr) return nullptr;
  }
  if (fills_) [[unlikely]]
    *in_use = stream.completed() < block->serial;
  handOut(*block->region, *block, size, &cache);
  return block;
}

[[gnu::always_inline]] inline void* Pool::allocateFromCache(uint64_t size, backend::Stream& stream) {
  // A size of 0 wraps. Relaxed: see setPinMode().
  if (size - 1 >= max_block_ || !plain_.load(std::memory_order_relaxed) || trace::tellsMemory()) [[unlikely]]
    return allocateLargeFromCache(size, stream);
  StreamCache* cache = knownCacheOf(stream);
  bool in_use;
  Block* block = cache == nullptr ? nullptr : allocateCached(*cache, stream, sizeClass(size), size, &in_use);
  return block == nullptr ? nullptr : reinterpret_cast<void*>(block->region->addressOf(*block));
}

// The common free, in the order of a stream, of memory that no other context has used. The stream is asked for its submissions
// before the block can be found: work that is submitted after that is ordered after the free.
[[gnu::always_inline]] inline bool Pool::freeInto(StreamCache& cache, Region& region, Block& block, backend::Stream& stream,
                                                  bool claimed) {
  const uint64_t serial = stream.submitted();
  const uint32_t index = region.sizeClass();
  const bool large = region.kind() == Region::Kind::kRange;
  BlockChain surplus;
  {
    std::lock_guard lock(cache.lock);
    if (!bind(cache, stream)) [[unlikely]]
      return false;
    if (!claimed) {
      const bool simple = block.home.load(std::memory_order_relaxed) == &cache &&
                          block.leases.load(std::memory_order_acquire) == 0 &&  // first, as in claim()
                          block.state.load(std::memory_order_acquire) == Block::kLive;
      if (!simple) [[unlikely]]
        return false;
    }
    const uint64_t size = block.size.load(std::memory_order_relaxed);
    // Release, as every end of kLive: what the program did with the block comes before.
    block.state.store(Block::kCached, std::memory_order_release);
    if (cache.counters.freed(size)) [[unlikely]]
      credit(cache.counters.lowered(size, crediting_.shared()));
    if (large) [[unlikely]] {
      if (cache.pushLarge(&block, region.capacityOf(block), serial)) surplus = cache.takeOldestLarge();
    } else if (cache.push(index, &block, serial)) [[unlikely]]
      surplus = cache.takeOldest(index, StreamCache::capacity(index) / 2);
  }
  if (surplus.first != nullptr) [[unlikely]]
    takeBack(surplus, &stream);
  return true;
}

// False: nothing has been done.
[[gnu::always_inline]] inline bool Pool::releaseIntoCache(Region& region, Block& block, backend::Stream& stream) {
  if (region.hasUses() || fills_ || trace::tellsMemory()) [[unlikely]]
    return false;
  StreamCache* cache = knownCacheOf(stream);
  // Relaxed: freeInto() asks again, under the lock.
  return cache != nullptr && block.home.load(std::memory_order_relaxed) == cache &&
         freeInto(*cache, region, block, stream, false);
}

inline Pool::Freed Pool::release(Region& region, Block& block, backend::Stream* stream) {
  if (stream == nullptr || !cachesOf(region)) return releaseElsewhere(nullptr, region, block, stream);
  if (releaseIntoCache(region, block, *stream)) return Freed::kYes;
  return releaseElsewhere(region.hasUses() || fills_ ? nullptr : knownCacheOf(*stream), region, block, stream);
}

// Not short, and of use to both kinds of large blocks.
template <class Fits>
Block* Pool::takeHeld(backend::Stream* stream, Dropped* dropped, Fits fits) {
  for (Block** at = &pins_->held_; *at != nullptr; at = &(*at)->next) {
    Block* block = *at;
    if (block->serial != pins_->joined_ || !fits(*block)) continue;
    if (!passed(*block, stream) || !dropped->take(*block, stream)) continue;
    *at = block->next;
    leased_bytes_.fetch_sub(block->size.load(std::memory_order_relaxed), std::memory_order_relaxed);
    block->freed_early = false;
    return block;
  }
  return nullptr;
}

}  // namespace manyrt::allocator
