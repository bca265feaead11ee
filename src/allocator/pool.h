// A pool: blocks of one kind of memory of one context. Small blocks are cut from slabs of up to 2 MiB by size class; each
// larger one has a region, or a part of a range. A block that a stream frees stays in that stream's cache (stream_cache.h),
// where the stream finds it at once. Blocks move between caches and the pool in batches. Blocks in the pool carry stamps of the
// streams that may still use them, and are handed out again when these have passed. A free never waits and never fails. With
// RT_POOL=off each allocation is one of the driver, exactly as large as asked for. It returns to the driver when its stamps
// have passed.
//
// A common allocation or free takes the lock of its stream's cache, and writes no word that streams share. The pool's own lock
// covers slabs, large blocks and what is between caches. If a block is freed twice, only the first free finds it live.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "allocator/address_map.h"
#include "allocator/context_resources.h"
#include "allocator/pin_scope.h"
#include "allocator/region.h"
#include "allocator/size_class.h"
#include "allocator/stream_cache.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/mutex.h"
#include "base/ref.h"

namespace manyrt::allocator {

struct PoolOptions {
  int32_t kind = RT_MEMORY_DEVICE;
  uint64_t maximum_bytes = 0;      // 0: no limit
  uint64_t release_threshold = 0;  // unused bytes kept at a synchronise
};

class Pool final : public RefCounted {
 public:
  Pool(Ref<ContextResources> resources, const PoolOptions& options);
  ~Pool() override;

  int32_t kind() const { return options_.kind; }
  ContextResources& resources() const { return *resources_; }

  // `stream`: the allocation is used in its order alone; null: at once, on any stream. Reports missing memory without asking
  // the program to free some: ops/memory does that.
  Status allocate(void** pointer, uint64_t size, uint64_t alignment, backend::Stream* stream);
  // The same for a block that the stream's cache has, aligned to kAlignment. Null: nothing was done.
  void* allocateFromCache(uint64_t size, backend::Stream& stream);
  enum class Freed { kYes, kLater, kNotLive };  // kLater: leases hold the block, and the last one frees it
  // Frees a block for the program, in the order of `stream`; null: every stream of the context may still use it. Under a guard,
  // which keeps the region and with it the pool.
  Freed release(Region& region, Block& block, backend::Stream* stream);
  // The common case of the same: of a slab, into the cache of the stream that has allocated. False: nothing has been done.
  bool releaseIntoCache(Region& region, Block& block, backend::Stream& stream);
  // The same for a block in the state kClosing. The caller keeps the pool.
  void free(Region& region, Block& block, backend::Stream* stream);
  // With AddressSanitizer; in pool_poison.cpp.
  void poisonPending(Region& region, Block& block, uint64_t serial);
  // RT_MEMORY_DEBUG; in pool_quarantine.cpp.
  bool debugs() const { return fills_; }
  // After each allocation that ops/memory makes, under its guard. True: fillDistant() has to follow.
  bool recordAllocation(const void* pointer, const char* label);
  void fillDistant(const void* pointer);  // of memory that the host does not see; waits, without a guard or a lock
  void inspectPending(Region& region, Block& block, uint64_t serial);
  void emptyQuarantine();    // waits, without a guard or a lock
  bool lease(Block& block);  // counts a lease of a live block; false: it is not live
  void traceFree(const Region& region, const Block& block, const backend::Stream* stream) const;  // of a live block

  void setPinMode(bool on);  // throws bad_alloc
  Ref<PinScope> pinScope();  // null: pin mode is off

  Status reserve(uint64_t bytes);  // takes memory from the driver at once
  void trim(uint64_t keep_bytes);  // gives unused memory back; the driver gets it when no call can find it any more
  void trimToThreshold();          // at a synchronise
  void close();  // after the last use of the handle: keeps nothing, releases pending blocks when they have passed
  void setLimit(uint64_t bytes);
  uint64_t limit();  // 0: none
  void setReleaseThreshold(uint64_t bytes);
  void setOutOfMemoryCallback(rtOutOfMemoryCallback_t callback, void* user);
  rtOutOfMemoryCallback_t outOfMemoryCallback(void** user);

  void statistics(rtMemPoolStats_t* stats);  // all but struct_size
  void resetPeak();
  uint64_t unusedBytes();  // reserved and neither live nor pending; with those in quarantine
  // Added up over the streams. The reader sees the allocations and frees that it is ordered after.
  uint64_t liveBytes() const;
  uint64_t liveCount() const;
  std::string json(const rtContextStats_t& context);  // throws bad_alloc
  // For tests: how often allocations and frees took the pool's lock, and changed the word for the peak that streams share.
  uint64_t visits() const { return visits_.count(); }
  uint64_t creditChanges() const { return crediting_.count(); }
  // Appends what has to pass until nothing is pending any more. Throws bad_alloc.
  void pendingStamps(std::vector<Stamp>* stamps);

  // Releases what has passed, of a pool that keeps nothing. True: nothing is pending any more; else sets what to wait for.
  bool releasePassed(Ref<backend::Stream>* stream, uint64_t* serial);
  Pool* next_pending_ = nullptr;
  // A stream of the context ends, and has done everything. Another one may get its number. Under the lock of the resources.
  void forgetStream(uint32_t number);
  // In the list of the context's pools, under the lock of its resources.
  Pool* next_of_resources_ = nullptr;
  Pool* previous_of_resources_ = nullptr;

 private:
  struct Class {
    Block* ready = nullptr;    // free for any stream
    Block* pending = nullptr;  // freed, with stamps that had not passed at the last look; newest first
    uint64_t slab_bytes = 0;
  };

  // The cache of a stream of this context, made by its first allocation. Null: another context's stream, or there is none.
  StreamCache* knownCacheOf(const backend::Stream& stream) const;
  StreamCache* cacheOf(const backend::Stream& stream);
  bool cachesOf(const Region& region) const;
  static bool bind(StreamCache& cache, backend::Stream& stream);  // under the cache's lock; false: the pool is closed
  Block* allocateCached(StreamCache& cache, backend::Stream& stream, uint32_t index, uint64_t size, bool* in_use);
  // In pool_ranges.cpp. The same of a block above those of slabs. Null: nothing was done.
  void* allocateLargeFromCache(uint64_t size, backend::Stream& stream);
  Block* allocateLargeCached(StreamCache& cache, backend::Stream& stream, uint64_t size, uint64_t wanted, bool* in_use);
  void handOutLarge(Block& block, uint64_t size, StreamCache* cache, backend::Stream* stream);
  bool flushLarge();  // under the lock: blocks of ranges that streams keep and have done with; true: there were some
  // From the pool itself; what comes with the block goes into the cache, which may be null.
  Status allocateKept(Block** block, StreamCache* cache, uint32_t index, uint64_t size, backend::Stream* stream, bool* in_use);
  Status openSlab(uint32_t index);
  // Frees into the cache of the stream. `claimed`: the caller has claimed the block; else its home is this cache, if it is
  // live. False: nothing was done.
  bool freeInto(StreamCache& cache, Region& region, Block& block, backend::Stream& stream, bool claimed);
  Freed releaseElsewhere(StreamCache* cache, Region& region, Block& block, backend::Stream* stream);
  // Takes blocks of a cache whose stream is `stream`, without a lock. Null: all have passed.
  void takeBack(BlockChain blocks, backend::Stream* stream);
  Status allocateLarge(Block** block, uint64_t wanted, uint64_t size, uint64_t alignment, backend::Stream* stream,
                       bool* in_use);
  // In pool_ranges.cpp. `done`: false, with success, where no range can be had: allocateLarge() serves then.
  Status allocateInRange(Block** block, uint64_t wanted, uint64_t size, uint64_t alignment, backend::Stream* stream,
                         bool* in_use, bool* done);
  Status reserveInRange(uint64_t bytes, bool* done);
  Status openRange(uint64_t bytes, bool* done);

  // References of passed stamps, taken under the lock and dropped after it. The last reference ends a stream, which may call a
  // driver, or unload a module with code that frees memory.
  class Dropped {
   public:
    Dropped() = default;
    Dropped(const Dropped&) = delete;
    Dropped& operator=(const Dropped&) = delete;
    ~Dropped() {
      while (count_ > 0) streams_[--count_]->drop();
    }
    // Takes all stamps of a block and leaves it their capacity. The stamp of `stream` need not have passed. False: there is no
    // more room here, and the block keeps the other stamps.
    bool take(Block& block, const backend::Stream* stream);

   private:
    static constexpr uint32_t kRoom = 8;  // for last references, which are rare
    backend::Stream* streams_[kRoom];
    uint32_t count_ = 0;
  };

  // Under the lock.
  // At most `count` blocks of a class that the pool has, or that other caches have and need not keep. `in_use`: the one block
  // was freed in the stream's order, and earlier work may still use it.
  BlockChain takeKept(uint32_t index, uint32_t count, backend::Stream* stream, Dropped* dropped, bool* in_use);
  BlockChain takeUnused(uint32_t index, uint32_t count);
  BlockChain takeFromCaches(uint32_t index, uint32_t count);
  void flushCaches();  // what has passed goes to the pool
  Block* takePending(Class& bucket, backend::Stream* stream, Dropped* dropped);
  // In pool_ranges.cpp. Parts of a range whose memory comes and goes without the lock; its region counts as busy.
  struct Exchange {
    struct Part {
      Region* range = nullptr;
      OffsetAllocator::Span span;
    };
    static constexpr uint32_t kMostSpares = 32;
    Part spares[kMostSpares];  // lose their memory first
    uint32_t spare_count = 0;
    Region* range = nullptr;
    OffsetAllocator::Fresh fresh;  // gets it; may be none
  };
  uint32_t unitsFor(uint64_t bytes) const;
  uint64_t nextShift(OffsetAllocator::Span span, uint64_t bytes, uint64_t alignment);
  Block* takeFromRanges(uint64_t size, uint64_t alignment, backend::Stream* stream, Dropped* dropped, bool* in_use);
  bool takeSpare(Exchange* exchange, uint64_t bytes);  // at most so many bytes; false: there is none, or no more room
  Status plan(Exchange* exchange, uint32_t units, uint32_t alignment, bool* full);
  void giveUp(Exchange& exchange);
  void keep(Exchange& exchange);
  Status carryOut(Exchange& exchange);   // without the lock
  void trimRanges(uint64_t keep_bytes);  // without the lock
  Region* detachEmptyRanges();
  Region* takeLarge(uint64_t size, uint64_t alignment, backend::Stream* stream, Dropped* dropped);
  Region* detachOutgrown(uint64_t bytes, Dropped* dropped);  // `bytes` are wanted; the caller passes the regions to giveBack()
  // Under the lock of the counters.
  void handOut(Region& region, Block& block, uint64_t size, StreamCache* home);
  // Pin mode; in pin_scope.cpp.
  friend class PinScope;
  // A block that the stretch holds, and that no graph can name which has joined since; null: none fits.
  template <class Fits>
  Block* takeHeld(backend::Stream* stream, Dropped* dropped, Fits fits);
  void pinBlock(Block& block);
  bool holdPinned(Block& block);  // at its free; true: the block stays with its stretch
  void countFree(uint64_t size);
  void makeReady(Region& region, Block& block);
  void makePending(Region& region, Block& block);
  // With AddressSanitizer, of a block that is pending: it is poisoned where the stream comes to this point.
  uint64_t numberPoisoning(Block& block);
  static void poisonAfter(const Region& region, const Block& block, backend::Stream& stream, uint64_t serial);
  void settlePending(Block** pending, Dropped* dropped);  // a list, as far as there is room
  bool settle(Dropped* dropped);  // makes passed blocks ready; false: `dropped` is full, and there are more
  // Runs the body under the lock when all passed blocks are ready.
  template <class Body>
  void settled(Body body) {
    for (bool done = false; !done;) {
      Dropped dropped;
      std::lock_guard lock(lock_);
      done = settle(&dropped);
      if (done) body();
    }
  }
  bool passed(Block& block, backend::Stream* stream);

  // Runs the body under the lock of the block's home.
  template <class Body>
  auto atHome(Block& block, Body body);
  void joinPins(PinScope& scope);
  void releasePins(PinScope* scope);

  Freed claim(Region& region, Block& block, const backend::Stream* stream);
  void credit(int64_t change);
  uint64_t foldPeak();  // under the lock: the peak of live bytes by now
  // In pool_trace.cpp.
  static uint64_t nextTraceNumber();
  void traceLiveBytes() const;
  void traceAllocation(const Region& region, const Block& block, const backend::Stream* stream) const;
  void traceRegion(const Region& region) const;  // taken from the driver
  static void traceReleased(const Region& region);
  void traceCommitted(const Region& region, uint64_t offset, uint64_t bytes) const;
  void traceDecommitted(const Region& region, uint64_t offset, uint64_t bytes) const;
  // In pool_quarantine.cpp.
  template <class Body>
  Status throughStream(Body body);  // submits with the body to a stream of the context, and waits for it
  void quarantine(Region& region, Block& block, bool pending);
  void keepFreed(Block& block);
  // After free() with a stream: the block is inspected where the stream comes to this point.
  void inspectAfter(Region& region, Block& block, backend::Stream& stream);
  void inspect(const Region& region, const Block& block);
  void inspectFreed(const Region& region, const Block& block);
  void inspectPassed(bool may_wait);
  void inspectTaken(Block& block);
  void endQuarantine(uint64_t keep, bool may_wait);
  uint64_t quarantineLimit();
  void trimUnused(uint64_t keep_bytes);
  void releaseWhenPassed();
  void trimPassed();  // gives back all that has passed by now
  // Relaxed: under a lock that close() takes after its store.
  bool isClosed() const { return closed_.load(std::memory_order_relaxed); }
  bool releasesAtOnce() const { return isClosed() || !keeps_; }
  uint64_t slabBytes(uint32_t index, uint64_t* apart);
  uint64_t slabAlignment(uint64_t slab, uint64_t block_size) const;
  Status limitReached(uint64_t bytes) const;
  bool passesLimit(uint64_t bytes) const;
  Status grow(Region** region, Region::Kind kind, uint64_t size, uint64_t alignment, uint64_t block_size);
  Region* detachUnused(uint64_t keep_bytes);  // under the lock; the caller then passes the regions to giveBack()
  static void giveBack(Region* regions);

  const Ref<ContextResources> resources_;
  const uint64_t number_;  // of the trace
  const bool keeps_;       // false with RT_POOL=off
  const bool fills_;       // RT_MEMORY_DEBUG
  const bool poisons_;     // the process has AddressSanitizer
  const bool guards_;      // with it: guards and a quarantine, where pools keep memory and AddressSanitizer does not look
  backend::AddressRanges* const ranges_of_driver_;  // null: each large block is an allocation of the driver
  const bool pages_at_touch_;                       // of slabs and ranges
  // Where the host computes, blocks begin at different places of a page. Otherwise the addresses of two arrays may differ by
  // whole pages. Then a load waits for a store to the other array with the same last 12 bits. The lines of all arrays also fall
  // into the same sets of a cache: a stencil took 2.5 times as long. Blocks of slabs are further apart for it, and large blocks
  // begin anywhere in the first page of their range.
  bool spreads() const { return pages_at_touch_; }
  static constexpr uint64_t kSpread = 5 * kAlignment;          // from one block to the next: 16 blocks have 16 places
  static constexpr uint64_t kSpreadFrom = uint64_t{32} << 10;  // shorter blocks would be much longer for it
  bool isSpread(uint64_t block_size) const { return spreads() && block_size >= kSpreadFrom; }
  const uint64_t max_block_;  // in slabs
  bool isPlain() const { return keeps_ && !fills_ && !poisons_; }
  // Allocations may come from caches. Relaxed: see setPinMode().
  std::atomic<bool> plain_;
  const uint64_t red_zone_;  // bytes after each allocation that belong to none; none where a limit counts bytes exactly
  PoolOptions options_;
  Ranked<Mutex, LockRank::kPool> lock_;
  std::atomic<bool> closed_{false};  // set under the lock
  bool waiting_ = false;             // in the list of PendingPools
  Class classes_[kSizeClasses];
  Region* open_[kSizeClasses] = {};  // the slab that has blocks which were never handed out
  Region* slabs_ = nullptr;
  Region* large_ = nullptr;
  Region* ranges_ = nullptr;
  Block* pending_in_ranges_ = nullptr;  // as Class::pending
  uint32_t shifts_ = 0;                 // blocks of ranges that were shifted so far
  uint64_t reserved_ahead_ = 0;         // bytes that reserve() has taken since the last trim
  // See detachOutgrown(). Under the lock.
  static constexpr uint32_t kTrimmedSizes = 64;
  uint32_t large_taken_ = 0;                    // so far
  uint32_t trim_delay_ = 0;                     // in large regions taken
  uint32_t last_premature_trim_ = 0;            // large_taken_ at the last premature trim
  uint64_t trimmed_sizes_[kTrimmedSizes] = {};  // the sizes of those that went last
  uint32_t trimmed_count_ = 0;
  rtOutOfMemoryCallback_t callback_ = nullptr;
  void* callback_user_ = nullptr;

  StreamCaches caches_;
  StreamCache* next_scavenged_ = nullptr;  // where takeFromCaches() goes on; null: at the first

  BlockQueue waiting_blocks_;  // freed, and not inspected yet; under the lock, as the three below
  BlockQueue quarantined_;
  uint64_t quarantined_bytes_ = 0;
  uint32_t inspecting_ = 0;  // blocks that are in neither list since a thread compares them

  Ref<PinScope> pins_;  // null: pin mode is off

  Counters own_;  // of what belongs to no stream's cache, and of large blocks; under the lock
  uint64_t reserved_ = 0, unused_ = 0, peak_reserved_ = 0, pending_bytes_ = 0;
  std::atomic<uint64_t> leased_bytes_{0};  // freed, and held by leases; relaxed: a figure
  uint64_t driver_allocations_ = 0;
  uint64_t peak_live_ = 0;  // up to the last foldPeak()
  // Live bytes, for the peak: no less than they are, and too high by Counters::kSlack for each stream at most. Relaxed: numbers
  // that nothing is ordered by.
  alignas(64) std::atomic<int64_t> credit_{0};
  std::atomic<int64_t> credit_peak_{0};  // since the last foldPeak()
  Turns crediting_;                      // of these two
  alignas(64) Turns visits_;             // of the pool's lock
};

}  // namespace manyrt::allocator
