// A region: one range of addresses that came from a driver or from the program, and the blocks that a pool has cut it
// into. Found by any address inside through the address map, under an epoch guard. Pools write it; ops read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/backend.h"
#include "base/epoch.h"
#include "base/lock_order.h"
#include "base/mutex.h"

namespace manyrt::allocator {

class ContextResources;
class Pool;
class Region;

// "Every submission of this stream up to `serial`."
struct Stamp {
  Ref<backend::Stream> stream;
  uint64_t serial = 0;

  bool passed() const { return stream->completed() >= serial; }
};

struct Block {
  enum State : uint32_t { kFree, kLive, kClosing, kPending };

  std::atomic<uint32_t> state{kFree};
  std::atomic<uint32_t> leases{0};  // see block_lease.h
  bool pinned = false;              // allocated in pin mode
  bool freed_early = false;         // by the program, while leases hold it: counted as pending; under the pool's lock
  bool every_stream = false;        // pending until all streams of the owner are idle: there was no memory for stamps
  uint32_t index = 0;
  Region* region = nullptr;       // that it is part of
  std::atomic<uint64_t> size{0};  // as asked for; look-ups of a stale address read it while the block is handed out anew
  Block* next = nullptr;
  std::vector<Stamp> stamps;  // while pending
};

class Region final : public epoch::Retired {
 public:
  enum class Kind { kSlab, kLarge, kRegistered, kImported, kGlobal };

  Region(Ref<ContextResources> owner, Ref<Pool> pool, Kind kind, const backend::Memory& memory, uint64_t block_size);
  ~Region();

  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_.address); }
  uintptr_t end() const { return begin() + memory_.size; }
  Kind kind() const { return kind_; }
  const backend::Memory& memory() const { return memory_; }
  ContextResources& owner() const { return *owner_; }
  Pool* pool() const { return pool_.get(); }  // null: registered, imported or a module's
  uint64_t blockSize() const { return block_size_; }
  uint32_t sizeClass() const { return size_class_; }  // of a slab
  uint32_t blockCount() const { return block_count_; }
  Block& block(uint32_t index) { return blocks_[index]; }
  // The block that covers an address inside the region; null in the rest at its end.
  Block* blockAt(uintptr_t address) {
    // A slab's offsets have 21 bits and its blocks at least 8: the product with the rounded-up reciprocal is exact.
    uint64_t index = kind_ == Kind::kSlab ? ((address - begin()) * block_reciprocal_) >> kReciprocalBits : 0;
    return index < block_count_ ? &blocks_[index] : nullptr;
  }
  uintptr_t addressOf(const Block& block) const { return begin() + block.index * block_size_; }

  // A stream of another context was given an address inside.
  void noteUse(Ref<backend::Stream> stream, uint64_t serial);
  // Whether there may be such uses. One that came before the call is seen, as whoever calls is ordered behind it.
  bool hasUses() const { return has_uses_.load(std::memory_order_acquire); }
  bool usesPending();
  // Appends what of these uses is still pending. Throws bad_alloc.
  void pendingUses(std::vector<Stamp>* stamps);

  // Imported memory of the host that the program has freed: whatever still holds this, the address is the program's own again.
  bool isProgramMemoryAgain() const {
    return kind_ == Kind::kImported && memory_.host_visible && blocks_[0].state.load(std::memory_order_acquire) != Block::kLive;
  }

  void reclaim() override;  // gives the memory back to its driver

  // For the pool that cut it, under the pool's lock.
  uint32_t next_unused = 0;  // blocks from here on have never been handed out
  uint32_t busy = 0;         // blocks live or pending
  Region* next = nullptr;

 private:
  Ref<ContextResources> owner_;
  Ref<Pool> pool_;
  const Kind kind_;
  backend::Memory memory_;
  static constexpr int kReciprocalBits = 43;
  const uint64_t block_size_;
  const uint64_t block_reciprocal_;
  const uint32_t block_count_;
  const uint32_t size_class_;
  std::unique_ptr<Block[]> blocks_;
  std::atomic<bool> has_uses_{false};  // written under the lock
  Ranked<Mutex, LockRank::kRegionUses> uses_lock_;
  std::vector<Stamp> uses_;
};

}  // namespace manyrt::allocator
