// A hold on one allocation by what runs again and again, such as a graph: a free of the memory meanwhile ends the program's
// part, and the block goes back to its pool with the last lease. Taken by src/graph, looked at by the free of ops/memory.
#pragma once

#include <utility>

#include "allocator/address_map.h"
#include "base/status.h"

namespace manyrt::allocator {

class BlockLease {
 public:
  BlockLease() = default;
  BlockLease(const BlockLease& other);
  BlockLease(BlockLease&& other) noexcept
      : region_(std::exchange(other.region_, nullptr)), block_(std::exchange(other.block_, nullptr)) {}
  BlockLease& operator=(BlockLease other) noexcept {
    std::swap(region_, other.region_);
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockLease();

  // Of the live allocation that an address lies in; memory that no region knows needs none. Under a guard. False: it is being
  // freed.
  static bool take(BlockLease* lease, const void* pointer);

  // The memory belongs to its leases alone: a free of the program's is refused.
  void giveToLeases() const;

  explicit operator bool() const { return block_ != nullptr; }
  Region* region() const { return region_; }
  Block* block() const { return block_; }

 private:
  Region* region_ = nullptr;
  Block* block_ = nullptr;
};

// Counts a lease of a live block. False: it is not live, or goes already. Of a pool's block under the pool's lock; of any other
// the state has to be looked at once more behind the count, as who claims the block looks at its leases behind the claim.
bool countLease(Block& block);
// The program gives a block up that it has claimed (kClosing). False: leases hold it, the last of them frees it.
bool releaseFromProgram(Block& block);
bool leased(const Block& block);  // also one that is being taken and may yet see the claim
bool belongsToLeases(const Block& block);

}  // namespace manyrt::allocator
