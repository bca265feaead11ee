// A pool: blocks of one kind of memory of one context. Small blocks are cut from slabs of 2 MiB by size class; each larger one
// has a region. A freed block carries stamps of the streams that may still use it. The pool hands it out again when these have
// passed, or at once to the stream in the order of which it was freed. A free never waits and never fails. With RT_POOL=off
// each allocation is one of the driver, exactly as large as asked for. It returns to the driver when its stamps have passed.
//
// One lock covers lists, counters and the state of the blocks. So the statistics are exact, and of two frees of one block only
// the first finds it live. A common allocation or free takes the lock once, and writes no other word that threads or pools
// share.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "allocator/address_map.h"
#include "allocator/context_resources.h"
#include "allocator/region.h"
#include "allocator/size_class.h"
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
  Status allocate(void** pointer, uint64_t size, uint64_t alignment, backend::Stream* stream, bool pinned);
  enum class Freed { kYes, kLater, kNotLive };  // kLater: leases hold the block, and the last one frees it
  // Frees a block for the program, in the order of `stream`; null: every stream of the context may still use it. Under a guard,
  // which keeps the region and with it the pool.
  Freed release(Region& region, Block& block, backend::Stream* stream);
  // The same for a block in the state kClosing. The caller keeps the pool.
  void free(Region& region, Block& block, backend::Stream* stream);
  // With AddressSanitizer, behind release() with a stream: the block is poisoned where the stream comes to this point.
  void poisonBehind(Region& region, Block& block, backend::Stream& stream);
  void poisonPending(Region& region, Block& block, uint64_t serial);
  bool lease(Block& block);  // counts a lease of a live block; false: it is not live

  Status reserve(uint64_t bytes);  // takes memory from the driver at once
  void trim(uint64_t keep_bytes);  // gives unused memory back; the driver gets it when no call can find it any more
  void trimToThreshold();          // at a synchronise
  void close();  // behind the last use of the handle: keeps nothing, releases pending blocks when they have passed
  void setLimit(uint64_t bytes);
  void setReleaseThreshold(uint64_t bytes);
  void setOutOfMemoryCallback(rtOutOfMemoryCallback_t callback, void* user);
  rtOutOfMemoryCallback_t outOfMemoryCallback(void** user);

  void statistics(rtMemPoolStats_t* stats);  // all but struct_size
  void resetPeak();
  uint64_t unusedBytes();  // reserved and neither live nor pending
  // Without the lock. The reader sees the allocations and frees that it is ordered behind.
  uint64_t liveBytes() const { return live_bytes_.load(std::memory_order_acquire); }
  uint64_t liveCount() const {
    // Frees first: add() releases, so that the allocations of all these frees are visible, and the difference is never
    // negative.
    const uint64_t frees = frees_.load(std::memory_order_acquire);
    return allocations_.load(std::memory_order_acquire) - frees;
  }
  std::string json();  // throws bad_alloc

  // Releases what has passed, of a pool that keeps nothing. True: nothing is pending any more; else sets what to wait for.
  bool releasePassed(Ref<backend::Stream>* stream, uint64_t* serial);
  Pool* next_pending_ = nullptr;
  // In the list of the context's pools, under the lock of its resources.
  Pool* next_of_resources_ = nullptr;
  Pool* previous_of_resources_ = nullptr;

 private:
  struct Class {
    Block* ready = nullptr;    // free for any stream
    Block* pending = nullptr;  // freed, with stamps that had not passed at the last look; newest first
  };

  // A block that the pool has; null: none of this class. `in_use`: it was freed in the stream's order, and earlier work may
  // still use it.
  Block* allocateKept(uint32_t index, uint64_t size, backend::Stream* stream, bool pinned, bool* in_use);
  Status allocateFresh(Block** block, uint32_t index, uint64_t size, bool pinned);  // from a new slab
  Status allocateLarge(Block** block, uint64_t wanted, uint64_t size, uint64_t alignment, backend::Stream* stream, bool pinned,
                       bool* in_use);

  // References of passed stamps, taken under the lock and dropped behind it. The last reference ends a stream, which may call a
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
  Block* takeUnused(uint32_t index);
  Block* takePending(Class& bucket, backend::Stream* stream, Dropped* dropped);
  Region* takeLarge(uint64_t size, uint64_t alignment, backend::Stream* stream, Dropped* dropped);
  void handOut(Region& region, Block& block, uint64_t size, bool pinned);
  Freed claim(Block& block);
  void countFree(uint64_t size);
  void makeReady(Region& region, Block& block);
  void makePending(Region& region, Block& block);
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

  void releaseWhenPassed();
  void trimPassed();  // gives back all that has passed by now
  bool releasesAtOnce() const { return closed_ || !keeps_; }
  uint64_t slabBytes(uint64_t block_size);
  Status grow(Region** region, Region::Kind kind, uint64_t size, uint64_t alignment, uint64_t block_size);
  Region* detachUnused(uint64_t keep_bytes);  // under the lock; the caller then passes the regions to giveBack()
  static void giveBack(Region* regions);

  const Ref<ContextResources> resources_;
  const bool keeps_;         // false with RT_POOL=off
  const bool fills_;         // RT_MEMORY_DEBUG
  const uint64_t red_zone_;  // bytes behind each allocation, for AddressSanitizer; none where a limit counts bytes exactly
  PoolOptions options_;
  Ranked<Mutex, LockRank::kPool> lock_;
  bool closed_ = false;
  bool waiting_ = false;  // in the list of PendingPools
  Class classes_[kSizeClasses];
  Region* open_[kSizeClasses] = {};  // the slab that has blocks which were never handed out
  Region* slabs_ = nullptr;
  Region* large_ = nullptr;
  rtOutOfMemoryCallback_t callback_ = nullptr;
  void* callback_user_ = nullptr;

  std::atomic<uint64_t> live_bytes_{0}, allocations_{0}, frees_{0};  // written under the lock
  uint64_t reserved_ = 0, unused_ = 0, peak_live_ = 0, peak_reserved_ = 0, pending_bytes_ = 0;
  uint64_t leased_bytes_ = 0;  // freed, and held by leases
  uint64_t reuses_ = 0, driver_allocations_ = 0;
};

}  // namespace manyrt::allocator
