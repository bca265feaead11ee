// A region: one range of addresses from a driver or from the program, and the blocks into which a pool has cut it. The address
// map finds it by any address inside, under an epoch guard. Pools write it; ops read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/backend.h"
#include "base/callbacks.h"
#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "base/mutex.h"

namespace manyrt::allocator {

class ContextResources;
class PinScope;
class Pool;
class StreamCache;
class Region;

// All submissions of a stream up to `serial`.
struct Stamp {
  Ref<backend::Stream> stream;
  uint64_t serial = 0;

  bool passed() const { return stream->completed() >= serial; }
};

// A line of the processor's cache for each block: neighbours belong to different streams.
struct alignas(64) Block {
  // kCached: in the cache of a stream (stream_cache.h). kPending: in the pool, with stamps that had not passed.
  // kQuarantined: freed with RT_MEMORY_DEBUG, see pool_quarantine.cpp.
  enum State : uint32_t { kFree, kLive, kClosing, kPending, kCached, kQuarantined };

  // Stored with release once the address map has the region. A reader without the pool's lock acquires kLive, and may read
  // `size` then. Of another state it uses nothing. A block of a pool leaves kLive under the lock of its home. Without a pool
  // the claim is seq_cst, against leases (block_lease.h).
  std::atomic<uint32_t> state{kFree};
  std::atomic<uint32_t> leases{0};  // see block_lease.h
  uint32_t index = 0;
  bool pinned = false;            // allocated in pin mode, see pin_scope.h; under the pool's lock
  bool freed_early = false;       // the program has freed it while leases hold it; counts as pending; under the pool's lock
  bool every_stream = false;      // without memory for stamps: pending until all streams of its context are idle
  bool recycled = false;          // was freed before
  Region* region = nullptr;       // that it is part of
  std::atomic<uint64_t> size{0};  // as asked for; a look-up of a stale address may read it while the block is handed out again
  union {
    Block* next = nullptr;
    PinScope* scope;  // of a live block that is pinned
  };
  uint64_t serial = 0;  // cached: the stream's work that may use it; pinned: how many graphs had joined; else see
                        // pool_poison.cpp and pool_quarantine.cpp
  // Which lock a free and a first lease take while the block is live: that of the cache that has handed it out, or, null, the
  // pool's. Relaxed: changes under that lock, and is read again behind taking it.
  std::atomic<StreamCache*> home{nullptr};
  std::unique_ptr<std::vector<Stamp>> stamps;  // while pending; null: none
  std::vector<Stamp>& writableStamps() {
    if (stamps == nullptr) stamps = std::make_unique<std::vector<Stamp>>();
    return *stamps;
  }
};
static_assert(sizeof(Block) == 64);

class Region final : public epoch::Retired {
 public:
  enum class Kind { kSlab, kLarge, kRegistered, kImported, kGlobal };

  Region(Ref<ContextResources> resources, Ref<Pool> pool, Kind kind, const backend::Memory& memory, uint64_t block_size);
  ~Region();

  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_.address); }
  uintptr_t end() const { return begin() + memory_.size; }
  Kind kind() const { return kind_; }
  const backend::Memory& memory() const { return memory_; }
  ContextResources& resources() const { return *resources_; }
  Pool* pool() const { return pool_.get(); }  // null: registered, imported or a module's
  uint64_t blockSize() const { return block_size_; }
  uint32_t sizeClass() const { return size_class_; }  // of a slab
  uint32_t blockCount() const { return block_count_; }
  Block& block(uint32_t index) { return blocks_[index]; }
  // The block that covers an address inside the region. Null: the address is in the rest behind the last block.
  Block* blockAt(uintptr_t address) {
    // A slab's offsets have 21 bits and its blocks at least 8: the product with the rounded-up reciprocal is exact.
    uint64_t index = kind_ == Kind::kSlab ? ((address - begin()) * block_reciprocal_) >> kReciprocalBits : 0;
    return index < block_count_ ? &blocks_[index] : nullptr;
  }
  uintptr_t addressOf(const Block& block) const { return begin() + block.index * block_size_; }

  // Notes that a stream of another context was given an address inside.
  void noteUse(Ref<backend::Stream> stream, uint64_t serial);
  // Whether there may be such uses. The program orders a free behind its earlier uses, so acquire is enough to see them.
  bool hasUses() const { return has_uses_.load(std::memory_order_acquire); }
  bool usesPending();
  // Appends those of these uses that are pending. Throws bad_alloc.
  void pendingUses(std::vector<Stamp>* stamps);

  // Imported host memory that the program has freed: its addresses are the program's own again, even while leases hold it.
  bool isProgramMemoryAgain() const {
    return kind_ == Kind::kImported && memory_.host_visible && blocks_[0].state.load(std::memory_order_acquire) != Block::kLive;
  }

  void reclaim() override;  // gives the memory back to its driver, and tells its owner

  // Of imported memory: is given back behind reclaim(). May be null.
  void tellOwner(callbacks::Release* release) { release_ = release; }
  bool tellsOwner() const { return release_ != nullptr; }

  // Of the pool that has cut it, under the pool's lock. `next` of imported memory: see import_release.h.
  uint32_t next_unused = 0;  // blocks from here on have never been handed out
  uint32_t busy = 0;         // blocks live or pending
  // Of a large one: how many large regions the pool had taken at the last free.
  static constexpr uint32_t kNeverFreed = UINT32_MAX;
  uint32_t idle_since = kNeverFreed;
  Region* next = nullptr;

 private:
  Ref<ContextResources> resources_;
  Ref<Pool> pool_;
  callbacks::Release* release_ = nullptr;  // owned once the region is in the address map
  const Kind kind_;
  backend::Memory memory_;
  static constexpr int kReciprocalBits = 43;
  const uint64_t block_size_;
  const uint64_t block_reciprocal_;
  const uint32_t block_count_;
  const uint32_t size_class_;
  std::unique_ptr<Block[]> blocks_;
  // Written with release.
  std::atomic<bool> has_uses_{false};  // written under the lock
  Ranked<Mutex, LockRank::kRegionUses> uses_lock_;
  std::vector<Stamp> uses_;
};

}  // namespace manyrt::allocator
