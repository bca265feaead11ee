// How memory leaves a pool: what streams have done with is collected from their caches, and unused regions go back to the
// driver. A pool that keeps nothing, or whose handle is gone, is looked after by a thread of the library until nothing is
// pending.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "allocator/allocation_records.h"
#include "allocator/poison.h"
#include "allocator/pool.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/os/futex.h"
#include "base/trace.h"

namespace manyrt::allocator {

constexpr uint64_t kKeptPart = 32;
constexpr int kScavengedCaches = 64;       // of other streams, before an allocation takes fresh memory
constexpr int kSharedScavengedCaches = 4;  // and where threads meet at the lock, which is held meanwhile

// Moves blocks that streams have done with from their caches to the pool. The newest comes last, and is the first to be handed
// out again.
void Pool::flushCaches() {
  for (StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next) {
    BlockChain oldest_first;
    {
      std::lock_guard lock(cache->lock);
      if (cache->isEmpty()) continue;
      // One question to the driver for each cache, and none for empty ones.
      const uint64_t completed = cache->completed();
      for (uint32_t index = 0; index < kSizeClasses; ++index) {
        BlockChain passed = cache->takePassed(index, UINT32_MAX, completed);
        while (Block* block = passed.pop()) oldest_first.push(block);
      }
      BlockChain passed = cache->takePassedLarge(completed);
      while (Block* block = passed.pop()) oldest_first.push(block);
    }
    // The cache's lock is not needed any more: these blocks are in no list.
    while (Block* block = oldest_first.pop()) makeReady(*block->region, *block);
  }
}

// Takes blocks that other streams have done with from their caches, before the driver is asked for memory. A few caches in
// turn: with thousands of streams a look at all of them would cost more than a slab.
BlockChain Pool::takeFromCaches(uint32_t index, uint32_t count) {
  BlockChain taken;
  const bool shared = visits_.shared();
  StreamCache* const begin = next_scavenged_ != nullptr ? next_scavenged_ : caches_.first();
  StreamCache* cache = begin;
  const int most_looks = shared ? kSharedScavengedCaches : kScavengedCaches;
  for (int looks = 0; cache != nullptr && looks < most_looks && taken.first == nullptr; ++looks) {
    {
      std::lock_guard lock(cache->lock);
      // Streams at work at the same time would take each other's blocks in turn: they keep what they use.
      const uint32_t most = shared ? std::min(cache->surplus(index), count) : count;
      if (most != 0 && cache->has(index)) taken = cache->takePassed(index, most, cache->completed());
    }
    cache = cache->next != nullptr ? cache->next : caches_.first();
    if (cache == begin) break;  // all of them
  }
  // The next allocation begins after the caches that were looked at.
  next_scavenged_ = cache;
  return taken;
}

void Pool::settlePending(Block** pending, Dropped* dropped) {
  for (Block** at = pending; *at != nullptr;) {
    Block* block = *at;
    if (!passed(*block, nullptr) || !dropped->take(*block, nullptr)) {
      at = &block->next;
      continue;
    }
    *at = block->next;
    pending_bytes_ -= block->size;
    makeReady(*block->region, *block);
  }
}

// Blocks whose stamps have passed become ready. Stops when `dropped` is full: the caller gives the references back without the
// lock and calls again.
bool Pool::settle(Dropped* dropped) {
  // Caches first, since their blocks may belong to regions that are otherwise unused.
  flushCaches();
  auto ready = [&](Region& region, Block& block) {
    if (!dropped->take(block, nullptr)) return false;
    pending_bytes_ -= block.size;
    makeReady(region, block);
    return true;
  };
  auto settle_list = [&](Block** at) {
    while (*at != nullptr) {
      Block* block = *at;
      if (!passed(*block, nullptr)) {
        at = &block->next;
        continue;
      }
      Block* next = block->next;  // before makeReady() links the block into another list
      if (!ready(*block->region, *block)) return false;
      *at = next;
    }
    return true;
  };
  for (Class& bucket : classes_) {
    if (!settle_list(&bucket.pending)) return false;
  }
  if (!settle_list(&pending_in_ranges_)) return false;
  for (Region* region = large_; region != nullptr; region = region->next) {
    Block& block = region->block(0);
    if (block.state.load(std::memory_order_relaxed) != Block::kPending || !passed(block, nullptr)) continue;
    if (!ready(*region, block)) return false;
  }
  return true;
}

// Takes regions without a live or pending block out of the lists, until `keep_bytes` are left unused. The blocks of a slab
// leave the lists of their class with it.
Region* Pool::detachUnused(uint64_t keep_bytes) {
  Region* detached = nullptr;
  for (Region** list : {&large_, &slabs_}) {
    for (Region** at = list; *at != nullptr && unused_ > keep_bytes;) {
      Region* region = *at;
      if (region->busy != 0) {
        at = &region->next;
        continue;
      }
      *at = region->next;
      region->next = detached;
      detached = region;
      // The region leaves the counters before it leaves the driver, so the limit may be passed for a grace period.
      reserved_ -= region->committed;
      unused_ -= region->committed;
      if (region->kind() != Region::Kind::kSlab) continue;
      uint32_t index = region->sizeClass();
      classes_[index].slab_bytes -= region->memory().size;
      // Its unused blocks are in no list. The ready ones are, and must be unlinked: the slab's blocks end with it.
      if (open_[index] == region) open_[index] = nullptr;
      for (Block** ready = &classes_[index].ready; *ready != nullptr;) {
        if ((*ready)->region == region) {
          *ready = (*ready)->next;
        } else {
          ready = &(*ready)->next;
        }
      }
    }
  }
  return detached;
}

// A program whose blocks grow, such as caches of keys and values, would keep an unused large region of each size. So a region
// is trimmed that was unused while the pool took `trim_delay_` others, beyond a small part of what is in use. This happens when
// the pool takes one more, since a driver is called then anyway. Sizes that come in turn must not be trimmed each time. So a
// size that is wanted again soon after its trim doubles the delay, and a time without such a premature trim halves it.
Region* Pool::detachOutgrown(uint64_t bytes, Dropped* dropped) {
  constexpr uint32_t kLeastDelay = 2, kMostDelay = 8;
  ++large_taken_;
  if (std::find(trimmed_sizes_, trimmed_sizes_ + kTrimmedSizes, bytes) != trimmed_sizes_ + kTrimmedSizes) {
    trim_delay_ = std::clamp(2 * trim_delay_, kLeastDelay, kMostDelay);
    last_premature_trim_ = large_taken_;
  } else if (large_taken_ - last_premature_trim_ > 8 * trim_delay_) {
    trim_delay_ /= 2;
    last_premature_trim_ = large_taken_;
  }
  uint64_t keep = (reserved_ - std::min(unused_, reserved_)) / kKeptPart;
  Region* detached = nullptr;
  for (Region** at = &large_; *at != nullptr;) {  // the newest first
    Region* region = *at;
    // Memory that was reserved ahead and never used is not outgrown.
    if (region->idle_since == Region::kNeverFreed || large_taken_ - region->idle_since < trim_delay_) {
      at = &region->next;
      continue;
    }
    Block& block = region->block(0);
    if (block.state.load(std::memory_order_relaxed) == Block::kPending && passed(block, nullptr) &&
        dropped->take(block, nullptr)) {
      pending_bytes_ -= block.size;
      makeReady(*region, block);
    }
    const uint64_t size = region->memory().size;
    if (region->busy != 0 || size <= keep) {
      // A small unused region stays, and is counted against the part that may stay.
      if (region->busy == 0) keep -= size;
      at = &region->next;
      continue;
    }
    *at = region->next;
    region->next = detached;
    detached = region;
    reserved_ -= size;
    unused_ -= size;
    trimmed_sizes_[trimmed_count_++ % kTrimmedSizes] = size;
  }
  return detached;
}

// A call may have found a region before it leaves the map: the driver gets the memory back a grace period later
// (Region::reclaim).
void Pool::giveBack(Region* regions) {
  while (regions != nullptr) {
    Region* next = regions->next;
    if (trace::tellsMemory()) [[unlikely]]
      traceReleased(*regions);
    if (regions->pool()->debugs()) [[unlikely]]
      records::forget(regions->begin(), regions->end());
    address_map::remove(regions);
    epoch::retire(regions);
    regions = next;
  }
}

void Pool::trim(uint64_t keep_bytes) {
  const Ref<Pool> self(this);
  if (guards_) [[unlikely]] {
    inspectPassed(false);
    endQuarantine(0, false);
  }
  trimUnused(keep_bytes);
}

void Pool::trimUnused(uint64_t keep_bytes) {
  // The last region that goes may hold the last reference to the pool.
  const Ref<Pool> self(this);
  Region* released = nullptr;
  settled([&] {
    released = detachUnused(keep_bytes);
    reserved_ahead_ = 0;
  });
  giveBack(released);
  trimRanges(keep_bytes);
}

// References that are dropped while this runs are never the last ones: the block's stamp, or the list of the context, holds
// another. `stamps` grows, and drops nothing, under the lock.
void Pool::pendingStamps(std::vector<Stamp>* stamps) {
  bool every_stream = leased_bytes_.load(std::memory_order_relaxed) != 0;  // graphs and work of others: no stamp tells
  {
    std::lock_guard lock(lock_);
    const auto add = [&](const Block& block) {
      every_stream = every_stream || block.every_stream;
      if (block.stamps != nullptr) stamps->insert(stamps->end(), block.stamps->begin(), block.stamps->end());
    };
    for (const Class& bucket : classes_) {
      for (const Block* block = bucket.pending; block != nullptr; block = block->next) add(*block);
    }
    for (const Block* block = pending_in_ranges_; block != nullptr; block = block->next) add(*block);
    for (Region* region = large_; region != nullptr; region = region->next) {
      if (region->block(0).state.load(std::memory_order_relaxed) == Block::kPending) add(region->block(0));
    }
    for (const Block* block = waiting_blocks_.first; block != nullptr; block = block->next) add(*block);
    for (StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next) {
      std::lock_guard cache_lock(cache->lock);
      if (cache->pendingBytes() == 0) continue;
      // All that the stream has submitted: its blocks have serials of their own, none of them later.
      stamps->push_back({Ref<backend::Stream>(cache->stream()), cache->stream()->submitted()});
    }
  }
  if (every_stream) resources_->pendingStreams(stamps);
}

void Pool::trimPassed() {
  {
    std::lock_guard lock(lock_);
    if (pending_bytes_ == 0) return;
  }
  trim(0);
}

void Pool::setLimit(uint64_t bytes) {
  std::lock_guard lock(lock_);
  // A lower limit takes nothing back: it holds for later allocations.
  options_.maximum_bytes = bytes;
}

uint64_t Pool::limit() {
  std::lock_guard lock(lock_);
  return options_.maximum_bytes;
}

void Pool::setReleaseThreshold(uint64_t bytes) {
  std::lock_guard lock(lock_);
  options_.release_threshold = bytes;
}

void Pool::trimToThreshold() {
  uint64_t threshold;
  {
    std::lock_guard lock(lock_);
    threshold = options_.release_threshold;
    if (reserved_ - std::min(liveBytes(), reserved_) <= threshold) return;  // no less than what is unused
  }
  if (guards_) [[unlikely]]
    inspectPassed(false);  // what was freed last stays in quarantine
  trimUnused(threshold);
}

void Pool::close() {
  setPinMode(false);
  bool pending;
  {
    std::lock_guard lock(lock_);
    closed_.store(true, std::memory_order_relaxed);  // published by the locks below: nothing enters a cache after them
  }
  for (StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next) {
    BlockChain all[kSizeClasses + 1];
    backend::Stream* stream;
    {
      std::lock_guard lock(cache->lock);
      for (uint32_t index = 0; index < kSizeClasses; ++index) all[index] = cache->takeAll(index);
      all[kSizeClasses] = cache->takeAllLarge();
      stream = cache->stream();
      // Emptied and closed under one lock, so that a free on another thread goes into the list taken here or to the pool.
      cache->close();
    }
    for (const BlockChain& blocks : all) {
      if (blocks.first != nullptr) takeBack(blocks, stream);
    }
  }
  trim(0);
  {
    std::lock_guard lock(lock_);
    pending = pending_bytes_ != 0 || quarantined_.first != nullptr;
  }
  if (pending) releaseWhenPassed();
}

namespace {

// The pools that keep nothing and have pending blocks. One job of the library serves all of them, and ends when there are none.
struct PendingPools final : host_threads::Job {
  void run() override;

  Ranked<SpinLock, LockRank::kPendingPools> lock;
  Pool* first = nullptr;
  bool running = false;
};
PendingPools& pendingPools() {
  static PendingPools* all = new PendingPools;  // never destroyed: it may run until the process ends
  return *all;
}

}  // namespace

// `waiting_` and the list change under two locks, in this order. The job clears `waiting_` under the pool's lock, only if
// nothing is pending. A block that becomes pending later enters the pool into the list again.
void Pool::releaseWhenPassed() {
  {
    std::lock_guard lock(lock_);
    if (waiting_) return;
    waiting_ = true;
  }
  // For the list. PendingPools::run() drops it once nothing is pending.
  retain();
  PendingPools& all = pendingPools();
  bool start;
  {
    std::lock_guard lock(all.lock);
    next_pending_ = all.first;
    all.first = this;
    // One job serves all pools. run() clears `running` under the same lock, so that exactly one thread starts the next job.
    start = !std::exchange(all.running, true);
  }
  if (start) host_threads::submit(&all);
}

bool Pool::releasePassed(Ref<backend::Stream>* stream, uint64_t* serial) {
  if (guards_) [[unlikely]] {
    inspectPassed(true);
    endQuarantine(quarantineLimit(), true);
  }
  if (releasesAtOnce()) trimUnused(0);
  std::lock_guard lock(lock_);
  if (pending_bytes_ == 0 && !(isClosed() && quarantined_.first != nullptr)) {
    waiting_ = false;
    return true;
  }
  // Any stamp that has not passed will do: the job looks at everything again when it has.
  auto look = [&](Block& block) {
    if (block.stamps == nullptr) return;
    for (const Stamp& stamp : *block.stamps) {
      if (*stream || stamp.passed()) continue;
      *stream = stamp.stream;
      *serial = stamp.serial;
    }
  };
  for (Class& bucket : classes_) {
    for (Block* block = bucket.pending; block != nullptr; block = block->next) look(*block);
  }
  for (Block* block = pending_in_ranges_; block != nullptr; block = block->next) look(*block);
  for (Region* region = large_; region != nullptr; region = region->next) {
    if (region->block(0).state.load(std::memory_order_relaxed) == Block::kPending) look(region->block(0));
  }
  for (Block* block = waiting_blocks_.first; block != nullptr; block = block->next) look(*block);
  return false;
}

namespace {

// Looks at all listed pools, then sleeps until one of their streams has passed a stamp, for ever longer times while nothing
// ends. `running` is cleared under the lock together with the look at the empty list, so that no pool is missed.
void PendingPools::run() {
  constexpr uint64_t kMinRest = 100'000, kMaxRest = 20'000'000;  // nanoseconds between two looks at all of them
  for (uint64_t rest = kMinRest;; rest = std::min(2 * rest, kMaxRest)) {
    Ref<backend::Stream> stream;
    uint64_t serial = 0;
    Pool* looked_at;
    {
      std::lock_guard guard(lock);
      looked_at = std::exchange(first, nullptr);
    }
    while (looked_at != nullptr) {
      Pool* pool = looked_at;
      looked_at = pool->next_pending_;
      if (pool->releasePassed(&stream, &serial)) {
        pool->drop();
        rest = kMinRest;
        continue;
      }
      std::lock_guard guard(lock);
      pool->next_pending_ = first;
      first = pool;
    }
    // Released regions reach the driver a grace period later, and this thread must not hold that up.
    epoch::safePoint();
    {
      std::lock_guard guard(lock);
      if (first == nullptr) {
        running = false;
        return;
      }
    }
    if (stream) {
      (void)stream->wait(serial, Deadline::after(rest));
    } else {
      std::atomic<uint32_t> word{0};
      (void)futexWait(&word, 0, Deadline::after(rest));
    }
  }
}

}  // namespace

}  // namespace manyrt::allocator
