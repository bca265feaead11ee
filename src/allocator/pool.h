// A pool: blocks of one kind of memory of one context. Small sizes are cut from slabs of 2 MiB by size class, larger ones
// have a region each. A freed block carries stamps of the streams that may still use it and is handed out again when
// these have passed, or at once to the stream in whose order it was freed. A free never waits and never fails. With RT_POOL=off
// every allocation is one of the driver's, as large as asked for, and goes back to it once its stamps have passed.
//
// One lock covers lists, counters and the state of the blocks, so that the figures are exact and of two frees of the same
// memory one finds it live. What an allocation and a free of the common kind do beside taking it once touches no word that
// another pool or thread writes.
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
  Pool(Ref<ContextResources> owner, const PoolOptions& options);
  ~Pool() override;

  int32_t kind() const { return options_.kind; }
  ContextResources& owner() const { return *owner_; }

  // `stream`: the allocation is used in its order only, null: by anybody at once. Out of memory is reported without
  // having asked anybody to free something: see ops/memory.
  Status allocate(void** pointer, uint64_t size, uint64_t alignment, backend::Stream* stream, bool pinned);
  enum class Freed { kYes, kLater, kNotLive };  // kLater: leases hold the block, the last of them frees it
  // The program gives a block up. `stream`: in its order; null: every stream of the owner may still use it. Under a guard,
  // which keeps the region and with it the pool.
  Freed release(Region& region, Block& block, backend::Stream* stream);
  // The same for a block that is closed already (state kClosing). The caller keeps the pool.
  void free(Region& region, Block& block, backend::Stream* stream);
  bool lease(Block& block);  // counts a lease of a live block; false: it is not live

  Status reserve(uint64_t bytes);  // takes memory from the driver at once
  void trim(uint64_t keep_bytes);  // gives unused memory back; its release follows when no call can see it
  void trimToThreshold();          // at a synchronise
  void close();                    // the pool's handle is gone: keep nothing; what is pending follows by itself
  void setLimit(uint64_t bytes);
  void setReleaseThreshold(uint64_t bytes);
  void setOutOfMemoryCallback(rtOutOfMemoryCallback_t callback, void* user);
  rtOutOfMemoryCallback_t outOfMemoryCallback(void** user);

  void statistics(rtMemPoolStats_t* stats);  // all but struct_size
  void resetPeak();
  uint64_t unusedBytes();  // reserved and neither live nor pending
  // Without the lock, and ordered by whatever orders the reader behind allocations and frees.
  uint64_t liveBytes() const { return live_bytes_.load(std::memory_order_acquire); }
  uint64_t liveCount() const {
    const uint64_t frees = frees_.load(std::memory_order_acquire);  // first: never more than allocations
    return allocations_.load(std::memory_order_acquire) - frees;
  }
  std::string json();  // throws bad_alloc

  // For what looks after pools that keep nothing: true when nothing is pending any more, else what to wait for.
  bool releasePassed(Ref<backend::Stream>* stream, uint64_t* serial);
  Pool* next_pending_ = nullptr;
  // Under the owner's lock: among all pools of the owner.
  Pool* next_of_owner_ = nullptr;
  Pool* previous_of_owner_ = nullptr;

 private:
  struct Class {
    Block* ready = nullptr;    // free for anybody
    Block* pending = nullptr;  // freed, stamps not passed when last looked at; newest first
  };

  // Of what the pool has; null: nothing of this class. `in_use`: it was freed in the stream's order and may be in use still.
  Block* allocateKept(uint32_t index, uint64_t size, backend::Stream* stream, bool pinned, bool* in_use);
  Status allocateFresh(Block** block, uint32_t index, uint64_t size, bool pinned);  // of a new slab
  Status allocateLarge(Block** block, uint64_t wanted, uint64_t size, uint64_t alignment, backend::Stream* stream, bool pinned,
                       bool* in_use);

  // Streams whose stamps have passed, taken under the lock and dropped behind it: the last reference is the end of a stream,
  // which may call a driver, or unload a module with code that frees memory.
  class Dropped {
   public:
    Dropped() = default;
    Dropped(const Dropped&) = delete;
    Dropped& operator=(const Dropped&) = delete;
    ~Dropped() {
      while (count_ > 0) streams_[--count_]->drop();
    }
    // All stamps of a block, whose room for stamps stays. `stream`: its own may not have passed. False: this is full, and the
    // block keeps the others.
    bool take(Block& block, const backend::Stream* stream);

   private:
    static constexpr uint32_t kRoom = 8;  // for last references, of which there is seldom one
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
  bool settle(Dropped* dropped);  // moves what has passed from pending to ready; false: there is more, `dropped` is full
  // Runs the body under the lock, when nothing is pending that has passed.
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
  void trimPassed();  // what is freed and passed by now
  bool releasesAtOnce() const { return closed_ || !keeps_; }
  uint64_t slabBytes(uint64_t block_size);
  Status grow(Region** region, Region::Kind kind, uint64_t size, uint64_t alignment, uint64_t block_size);
  Region* detachUnused(uint64_t keep_bytes);  // under the lock; what comes out is then given to giveBack()
  static void giveBack(Region* regions);

  const Ref<ContextResources> owner_;
  const bool keeps_;  // false with RT_POOL=off
  const bool fills_;  // RT_MEMORY_DEBUG
  PoolOptions options_;
  Ranked<Mutex, LockRank::kPool> lock_;
  bool closed_ = false;
  bool waiting_ = false;  // among the pools that are looked after
  Class classes_[kSizeClasses];
  Region* open_[kSizeClasses] = {};  // the slab with blocks never handed out
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
