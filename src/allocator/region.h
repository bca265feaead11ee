// A region: one range of addresses from a driver or from the program, and the blocks into which a pool has cut it. The address
// map finds it by any address inside, under an epoch guard. Pools write it; ops read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "allocator/block.h"
#include "allocator/range_blocks.h"
#include "allocator/size_class.h"
#include "backends/backend.h"
#include "base/callbacks.h"
#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "base/mutex.h"

namespace manyrt::allocator {

class ContextResources;
class Pool;

class Region final : public epoch::Retired {
 public:
  // kRange: addresses that are cut as needed (range_blocks.h), of backends that can give memory to parts of them.
  enum class Kind { kSlab, kLarge, kRange, kRegistered, kImported, kGlobal };

  // `block_size`: of a slab, from one block to the next, which are of the largest class of at most that size. The blocks of
  // kRange have no size of their own: there, it is that of a granule, which gets or loses memory as a whole. Throws bad_alloc.
  Region(Ref<ContextResources> resources, Ref<Pool> pool, Kind kind, const backend::Memory& memory, uint64_t block_size);
  ~Region();

  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_.address); }
  uintptr_t end() const { return begin() + memory_.size; }
  Kind kind() const { return kind_; }
  const backend::Memory& memory() const { return memory_; }
  ContextResources& resources() const { return *resources_; }
  Pool* pool() const { return pool_.get(); }          // null: registered, imported or a module's
  uint64_t blockSize() const { return block_size_; }  // of a range: of a unit; of a slab: from one to the next
  // The bytes of the region that the block takes. From its beginning on it has capacityOf(), at least what was asked for.
  uint64_t bytesOf(const Block& block) const {
    return kind_ == Kind::kRange  ? range_->spanOf(block).count * RangeBlocks::kUnit
           : kind_ == Kind::kSlab ? classBytes(size_class_)
                                  : block_size_;
  }
  uint64_t capacityOf(const Block& block) const {
    return kind_ == Kind::kRange ? bytesOf(block) - range_->shiftOf(block) : bytesOf(block);
  }
  RangeBlocks& range() { return *range_; }              // of kRange
  uint32_t sizeClass() const { return size_class_; }    // of a slab
  uint32_t blockCount() const { return block_count_; }  // of kRange: none that block() has
  Block& block(uint32_t index) { return blocks_[index]; }
  // The block that covers an address inside the region. Null: no block has it. It is in the rest after the last block, in an
  // unused part of a range, or before a shifted block.
  Block* blockAt(uintptr_t address) {
    if (kind_ == Kind::kRange) [[unlikely]] {
      Block* block = range_->at(address - begin());
      return block != nullptr && address < addressOf(*block) ? nullptr : block;
    }
    if (kind_ == Kind::kSlab) return blockOfSlabAt(address);
    return block_count_ == 0 ? nullptr : &blocks_[0];
  }
  // Null: as above.
  Block* blockOfSlabAt(uintptr_t address) {
    // A slab's offsets have 21 bits and its blocks at least 8: the product with the rounded-up reciprocal is exact.
    const uint64_t index = ((address - begin()) * block_reciprocal_) >> kReciprocalBits;
    return index < block_count_ ? &blocks_[index] : nullptr;
  }
  uintptr_t addressOf(const Block& block) const {
    const uintptr_t address = begin() + block.index * block_size_;
    return kind_ == Kind::kRange ? address + range_->shiftOf(block) : address;
  }

  // Notes that a stream of another context was given an address inside.
  void noteUse(Ref<backend::Stream> stream, uint64_t serial);
  // Whether there may be such uses. The program orders a free after its earlier uses, so acquire is enough to see them.
  bool hasUses() const { return has_uses_.load(std::memory_order_acquire); }
  bool usesPending();
  // Appends those of these uses that are pending. Throws bad_alloc.
  void pendingUses(std::vector<Stamp>* stamps);

  // Imported host memory that the program has freed: its addresses are the program's own again, even while leases hold it.
  bool isProgramMemoryAgain() const {
    return kind_ == Kind::kImported && memory_.host_visible && blocks_[0].state.load(std::memory_order_acquire) != Block::kLive;
  }

  void reclaim() override;  // gives the memory back to its driver, and tells its owner

  // Imported memory: called after reclaim(). May be null.
  void tellOwner(callbacks::Release* release) { release_ = release; }
  bool tellsOwner() const { return release_ != nullptr; }

  // Fields of the pool that has cut it, under the pool's lock. `next` of imported memory: see import_release.h.
  uint32_t next_unused = 0;  // blocks from here on have never been handed out
  uint32_t busy = 0;         // blocks live or pending
  // Bytes that count as reserved. If pages come when they are touched: those of the blocks that were handed out.
  uint64_t committed = 0;
  // For a large region: how many of them the pool had taken at the last free.
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
  std::unique_ptr<RangeBlocks> range_;
  // Written with release.
  std::atomic<bool> has_uses_{false};  // written under the lock
  Ranked<Mutex, LockRank::kRegionUses> uses_lock_;
  std::vector<Stamp> uses_;
};

}  // namespace manyrt::allocator
