// Large blocks of backends that give memory to parts of a range of addresses. A block that is done with joins its free
// neighbours at once, so that any size can use it. Free parts keep their memory, up to a share of what is in use. Before more
// memory is taken, the largest free parts beyond that lose theirs. So blocks that grow leave no unused memory, and sizes that
// come in turn find each other's memory. Blocks are cut in units of 64 KiB; memory comes and goes in granules of the backend,
// so that a granule is only given back when all of its units are free.
#include <algorithm>
#include <mutex>

#include "allocator/patient_lock.h"
#include "allocator/pool.h"
#include "allocator/pool_fast.h"
#include "base/checked.h"
#include "base/trace.h"

namespace manyrt::allocator {
namespace {

constexpr uint64_t kUnit = RangeBlocks::kUnit;
constexpr uint64_t kRangeBytes = uint64_t{1} << 30;
constexpr uint64_t kMostBytes = uint64_t{1} << 45;
constexpr uint64_t kRangeAlignment = uint64_t{1} << 21;
constexpr uint64_t kSparePart = 32;  // of what is in use
// Limits where threads meet at the lock: the share of what is in use that free spans keep; how much the pool takes, relative to
// live bytes and beyond, before streams give back what they keep; how many of their caches an allocation looks at.
constexpr uint64_t kSharedSparePart = 4;
constexpr uint64_t kSharedParts = 3, kSharedBytes = uint64_t{64} << 20;
constexpr int kSharedLooks = 4;
constexpr uint64_t kSharedFresh = 1 << 20;  // of longer blocks memory is dear: streams give back first
constexpr int kRangeLooks = 16;             // pending blocks that an allocation tries
constexpr uint32_t kFewSpares = 8;  // lose their memory ahead of an allocation; more only until it takes no more than they had

// Extra bytes of a large block, so that it can begin anywhere in its first page.
constexpr uint64_t kFirstPage = 4096;
constexpr uint64_t kRoom = kFirstPage - kAlignment;
constexpr uint64_t kRoomFrom = uint64_t{1} << 20;

uint64_t bytesOf(OffsetAllocator::Span span) { return span.count * kUnit; }

bool isGoodFit(const Block& block, uint64_t size, uint64_t alignment) {  // with an eighth of the size wasted at most
  const Region& region = *block.region;
  if (region.kind() != Region::Kind::kRange || region.addressOf(block) % alignment != 0) return false;
  const uint64_t bytes = region.capacityOf(block);
  return bytes >= size && bytes - size <= std::max(size / 8, kUnit - 1);
}

}  // namespace

Block* Pool::allocateLargeCached(StreamCache& cache, backend::Stream& stream, uint64_t size, uint64_t wanted, bool* in_use) {
  std::lock_guard lock(cache.lock);
  // A closed pool binds no cache: close() has emptied them all, and nothing may enter again.
  if (!bind(cache, stream)) return nullptr;
  Block* block = cache.popLarge(wanted);
  if (block == nullptr) return nullptr;
  if (fills_) [[unlikely]]
    *in_use = stream.completed() < block->serial;
  handOut(*block->region, *block, size, &cache);
  return block;
}

void* Pool::allocateLargeFromCache(uint64_t size, backend::Stream& stream) {
  // Relaxed: see setPinMode().
  if (size - 1 < max_block_ || size == 0 || !visits_.shared() || !plain_.load(std::memory_order_relaxed) ||
      trace::tellsMemory())
    return nullptr;
  StreamCache* cache = knownCacheOf(stream);
  bool in_use;
  Block* block = cache == nullptr ? nullptr : allocateLargeCached(*cache, stream, size, size, &in_use);
  return block == nullptr ? nullptr : reinterpret_cast<void*>(block->region->addressOf(*block));
}

// If threads meet at the lock, one cache with passed blocks is enough. Only a few are looked at, since the pool's lock is held
// meanwhile.
bool Pool::flushLarge() {
  bool any = false;
  const bool shared = visits_.shared();
  int looks = 0;
  StreamCache* const begin = next_scavenged_ != nullptr ? next_scavenged_ : caches_.first();
  for (StreamCache* cache = begin; cache != nullptr;) {
    BlockChain passed;
    {
      std::lock_guard lock(cache->lock);
      if (cache->hasLarge()) passed = cache->takePassedLarge(cache->completed());
    }
    any = any || passed.first != nullptr;
    while (Block* block = passed.pop()) makeReady(*block->region, *block);
    cache = cache->next != nullptr ? cache->next : caches_.first();
    next_scavenged_ = cache;
    // The next call goes on with the next cache, so that all are looked at in turn.
    if (cache == begin || (shared && (any || ++looks == kSharedLooks))) break;
  }
  return any;
}

// Hands a block out under the lock. Its home is the cache of the stream where blocks of ranges stay with streams.
void Pool::handOutLarge(Block& block, uint64_t size, StreamCache* cache, backend::Stream* stream) {
  if (cache == nullptr || pins_ || isClosed() || !visits_.shared()) {
    if (pins_) pinBlock(block);
    // No home: a free then claims the block under the pool's lock.
    return handOut(*block.region, block, size, nullptr);
  }
  std::lock_guard lock(cache->lock);
  (void)bind(*cache, *stream);
  handOut(*block.region, block, size, cache);
}

Status Pool::allocateInRange(Block** out, uint64_t wanted, uint64_t size, uint64_t alignment, backend::Stream* stream,
                             bool* in_use, bool* done) {
  // Nothing is done then: the caller takes an allocation of the driver's own.
  if (wanted > kMostBytes || alignment > kRangeAlignment) return Status();
  StreamCache* const cache =
      stream == nullptr || !visits_.shared() || !plain_.load(std::memory_order_relaxed) ? nullptr : cacheOf(*stream);
  // First without the pool's lock. Blocks of a cache are aligned to kAlignment only.
  if (cache != nullptr && alignment <= kAlignment) {
    *out = allocateLargeCached(*cache, *stream, size, wanted, in_use);
    *done = *out != nullptr;
    if (*done) return Status();
  }
  const bool coarse = ranges_of_driver_->granule() > kUnit;
  const auto unit_alignment = static_cast<uint32_t>(std::max(alignment / kUnit, uint64_t{1}));
  for (;;) {
    Exchange exchange;
    bool full = false;
    {
      Dropped dropped;
      const auto lock = lockPatiently(lock_);
      visits_.note();
      const auto fits = [&](const Block& each) { return isGoodFit(each, wanted, std::max(alignment, kAlignment)); };
      Block* block = pins_ ? takeHeld(stream, &dropped, fits) : nullptr;
      *in_use = block != nullptr;
      if (block == nullptr) block = takeFromRanges(wanted, alignment, stream, &dropped, in_use);
      // Where threads meet, emptying the caches would only make all of them ask here: memory is committed first, within bounds.
      const bool flushes = block == nullptr && (!visits_.shared() || wanted > kSharedFresh ||
                                                reserved_ > kSharedParts * liveBytes() + kSharedBytes);
      while (block == nullptr && flushes && flushLarge()) {
        block = takeFromRanges(wanted, alignment, stream, &dropped, in_use);
      }
      if (block != nullptr) {
        handOutLarge(*block, size, cache, stream);
        *out = block;
        *done = true;
        return Status();
      }
      // `done` stays false: allocateLarge() asks the driver for an allocation of its own.
      if (wanted > ranges_of_driver_->largestBlock()) return Status();
      Status status = plan(&exchange, unitsFor(wanted), unit_alignment, &full);
      if (!status.ok()) {
        // Streams may still keep blocks that have passed. Each round takes some, so the loop ends.
        if (flushLarge()) continue;
        return coarse ? Status() : status;  // an allocation of the driver may be within the limit
      }
    }
    if (full) {
      bool opened = false;
      RT_TRY(openRange(wanted, &opened));
      if (!opened) return Status();
      continue;
    }
    RT_TRY(carryOut(exchange));
    // plan() found spares to give up first, and no block yet. Their memory is gone now, so the next round can go on.
    if (exchange.range == nullptr) continue;
    const auto lock = lockPatiently(lock_);
    keep(exchange);
    // The units were in no list while the driver committed them. So no other thread could take them without the lock.
    Block& block = exchange.range->range().cut(exchange.fresh.span, nextShift(exchange.fresh.span, wanted, alignment));
    block.past.store(Block::kFresh, std::memory_order_relaxed);
    *in_use = false;
    handOutLarge(block, size, cache, stream);
    *out = &block;
    *done = true;
    return Status();
  }
}

// Under the lock. Exact where there is a limit: what the program has counted must fit.
uint32_t Pool::unitsFor(uint64_t bytes) const {
  const bool has_room = spreads() && bytes >= kRoomFrom && options_.maximum_bytes == 0;
  return static_cast<uint32_t>((bytes + (has_room ? kRoom : 0) + kUnit - 1) / kUnit);
}

// Where the next block begins in its first unit.
uint64_t Pool::nextShift(OffsetAllocator::Span span, uint64_t bytes, uint64_t alignment) {
  if (!spreads()) return 0;
  const uint64_t room = bytesOf(span) - bytes, shift = shifts_++ * kSpread % kFirstPage;
  const uint64_t step = std::max(alignment, kAlignment);
  return std::min(shift, room) / step * step;
}

// A block that was freed in the stream's order and is still in use, or a free part that has memory.
Block* Pool::takeFromRanges(uint64_t size, uint64_t alignment, backend::Stream* stream, Dropped* dropped, bool* in_use) {
  int looks = 0;
  for (Block** at = &pending_in_ranges_; *at != nullptr && looks < kRangeLooks; ++looks) {  // newest first
    Block* block = *at;
    const bool over = passed(*block, nullptr);
    if (!over && !(isGoodFit(*block, size, std::max(alignment, kAlignment)) && passed(*block, stream))) {
      at = &block->next;
      continue;
    }
    // No room for more references: the caller gives back those that it has, and a later call sees the rest.
    if (!dropped->take(*block, over ? nullptr : stream)) break;
    *at = block->next;
    pending_bytes_ -= block->size;
    if (!over) {
      *in_use = true;
      return block;
    }
    makeReady(*block->region, *block);
  }
  const uint32_t units = unitsFor(size);
  const auto unit_alignment = static_cast<uint32_t>(std::max(alignment / kUnit, uint64_t{1}));
  // Two rounds at most: free parts first, and again after all passed blocks have joined them.
  for (bool settled = pending_in_ranges_ == nullptr;; settled = true) {
    for (Region* range = ranges_; range != nullptr; range = range->next) {
      const OffsetAllocator::Span span = range->range().offsets().take(units, unit_alignment);
      if (!span) continue;
      unused_ -= bytesOf(span);
      ++range->busy;
      Block& block = range->range().cut(span, nextShift(span, size, alignment));
      block.past.store(Block::kRecycled, std::memory_order_relaxed);
      return &block;
    }
    if (settled) return nullptr;
    settlePending(&pending_in_ranges_, dropped);
  }
}

bool Pool::takeSpare(Exchange* exchange, uint64_t bytes) {
  // A fixed number, since nothing may be allocated under the lock.
  if (exchange->spare_count == Exchange::kMostSpares) return false;
  const auto units = static_cast<uint32_t>(std::min<uint64_t>((bytes + kUnit - 1) / kUnit, UINT32_MAX));
  for (Region* range = ranges_; range != nullptr; range = range->next) {
    const OffsetAllocator::Span span = range->range().offsets().takeSpare(units);
    if (!span) continue;
    unused_ -= bytesOf(span);
    // Accounted at once, under the lock: another thread must neither take the span nor count its memory as unused.
    reserved_ -= bytesOf(span);
    range->committed -= bytesOf(span);
    // Held for the exchange: the range must not go back to the driver while its part is unmapped.
    ++range->busy;
    exchange->spares[exchange->spare_count++] = {range, span};
    return true;
  }
  return false;
}

// Chooses units for a block, some of them without memory, and the spans that lose their memory for that. `full`: no range has
// the addresses.
Status Pool::plan(Exchange* exchange, uint32_t units, uint32_t alignment, bool* full) {
  for (Region* range = ranges_; range != nullptr && exchange->range == nullptr; range = range->next) {
    exchange->fresh = range->range().offsets().takeFresh(units, alignment);
    if (exchange->fresh.span) exchange->range = range;
  }
  *full = exchange->range == nullptr;
  if (*full) return Status();
  const uint64_t bytes = bytesOf(exchange->fresh.commit);
  unused_ -= bytesOf(exchange->fresh.taken()) - bytes;
  ++exchange->range->busy;
  uint64_t spare = 0;
  for (Region* range = ranges_; range != nullptr; range = range->next) spare += range->range().offsets().spare() * kUnit;
  // A whole granule beyond what is kept.
  const uint64_t part = visits_.shared() ? kSharedSparePart : kSparePart;
  const uint64_t keep =
      (reserved_ - std::min(unused_, reserved_) + bytes) / part + reserved_ahead_ + ranges_of_driver_->granule() - kUnit;
  uint64_t given = 0;
  while (spare > keep && (exchange->spare_count < kFewSpares || given < bytes)) {
    const uint64_t before = reserved_;
    if (!takeSpare(exchange, spare - keep)) break;
    spare -= before - reserved_;
    given += before - reserved_;
  }
  if (given < bytes && exchange->spare_count == Exchange::kMostSpares) {  // the caller asks again after these
    giveUp(*exchange);
    return Status();
  }
  while (passesLimit(bytes)) {
    if (takeSpare(exchange, bytes)) continue;
    giveUp(*exchange);
    // The spans found so far lose their memory first, and the caller asks again.
    return exchange->spare_count != 0 ? Status() : limitReached(bytes);
  }
  // Counted before the driver commits, so that two threads cannot pass the limit together. carryOut() undoes it on failure.
  reserved_ += bytes;
  exchange->range->committed += bytes;
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  return Status();
}

// The units of a block that is not made.
void Pool::giveUp(Exchange& exchange) {
  exchange.range->range().offsets().cancel(exchange.fresh);
  unused_ += bytesOf(exchange.fresh.taken()) - bytesOf(exchange.fresh.commit);
  --exchange.range->busy;
  exchange.range = nullptr;
}

// The units of a block that is made. The rest of their granules is free.
void Pool::keep(Exchange& exchange) {
  exchange.range->range().offsets().finish(exchange.fresh);
  unused_ += bytesOf(exchange.fresh.taken()) - bytesOf(exchange.fresh.span);
}

Status Pool::carryOut(Exchange& exchange) {
  // Spares first: on a full device their memory is what the commit below needs.
  for (uint32_t i = 0; i < exchange.spare_count; ++i) {
    const auto& [range, span] = exchange.spares[i];
    if (trace::tellsMemory()) [[unlikely]]
      traceDecommitted(*range, span.first * kUnit, bytesOf(span));
    ranges_of_driver_->decommit(range->memory(), span.first * kUnit, bytesOf(span));
  }
  Status status;
  if (exchange.range != nullptr) {
    const OffsetAllocator::Span commit = exchange.fresh.commit;
    status = ranges_of_driver_->commit(exchange.range->memory(), commit.first * kUnit, bytesOf(commit));
    if (status.ok() && trace::tellsMemory()) [[unlikely]]
      traceCommitted(*exchange.range, commit.first * kUnit, bytesOf(commit));
  }
  std::lock_guard lock(lock_);
  for (uint32_t i = 0; i < exchange.spare_count; ++i) {
    const auto& [range, span] = exchange.spares[i];
    // Only now may another thread find the units: their memory has really gone.
    range->range().offsets().giveUncommitted(span);
    --range->busy;
  }
  exchange.spare_count = 0;
  if (exchange.range == nullptr) return Status();
  if (status.ok()) {
    ++driver_allocations_;
    return Status();
  }
  // The spares stay given up. The block's own units go back without memory, and the caller reports the driver's failure.
  reserved_ -= bytesOf(exchange.fresh.commit);
  exchange.range->committed -= bytesOf(exchange.fresh.commit);
  giveUp(exchange);
  return status;
}

// `done`: false where the driver has no such range. Then each block is an allocation of its own, which also tells what is
// missing.
Status Pool::openRange(uint64_t bytes, bool* done) {
  const uint64_t wanted = (bytes + bytes / 2 + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment;
  Region* range = nullptr;
  // Addresses alone: memory comes as blocks are cut.
  *done = grow(&range, Region::Kind::kRange, std::max(kRangeBytes, wanted), kRangeAlignment, ranges_of_driver_->granule()).ok();
  if (!*done) return Status();
  std::lock_guard lock(lock_);
  --range->busy;
  return Status();
}

Status Pool::reserveInRange(uint64_t bytes, bool* done) {
  if (bytes > kMostBytes) return Status();
  for (;;) {
    Exchange exchange;
    bool full = false;
    {
      std::lock_guard lock(lock_);
      Status status = plan(&exchange, unitsFor(bytes), 1, &full);
      // With coarse granules the limit may be passed by rounding alone. reserve() then takes a plain allocation.
      if (!status.ok()) return ranges_of_driver_->granule() > kUnit ? Status() : status;
    }
    if (full) {
      bool opened = false;
      RT_TRY(openRange(bytes, &opened));
      if (!opened) return Status();
      continue;
    }
    RT_TRY(carryOut(exchange));
    if (exchange.range == nullptr) continue;
    std::lock_guard lock(lock_);
    keep(exchange);
    exchange.range->range().offsets().give(exchange.fresh.span);
    --exchange.range->busy;
    unused_ += bytesOf(exchange.fresh.span);
    reserved_ahead_ += bytesOf(exchange.fresh.span);
    *done = true;
    return Status();
  }
}

Region* Pool::detachEmptyRanges() {
  Region* detached = nullptr;
  for (Region** at = &ranges_; *at != nullptr;) {
    Region* range = *at;
    // `busy` covers spans that another thread commits or decommits without the lock.
    if (range->busy != 0 || !range->range().offsets().isEmpty()) {
      at = &range->next;
      continue;
    }
    *at = range->next;
    range->next = detached;
    detached = range;
  }
  return detached;
}

void Pool::trimRanges(uint64_t keep_bytes) {
  if (ranges_of_driver_ == nullptr) return;
  // The regions that go below refer to the pool, and the last one could end it.
  const Ref<Pool> self(this);
  for (;;) {
    Exchange exchange;
    {
      std::lock_guard lock(lock_);
      // In batches of kMostSpares. The driver is called without the lock in between.
      while (unused_ > keep_bytes && takeSpare(&exchange, unused_ - keep_bytes)) {
      }
    }
    if (exchange.spare_count == 0) break;
    (void)carryOut(exchange);
  }
  if (keep_bytes != 0) return;
  Region* empty;
  {
    std::lock_guard lock(lock_);
    empty = detachEmptyRanges();
  }
  giveBack(empty);
}

}  // namespace manyrt::allocator
