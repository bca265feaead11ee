// A lease on one allocation, held by what runs repeatedly, such as a graph. If the program frees the memory meanwhile, its own
// part ends, and the last lease gives the block back to its pool. src/graph takes leases; the free of ops/memory reads them.
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

  // Leases the live allocation that contains an address; unknown memory needs no lease. Under a guard. False: it is being
  // freed.
  static bool take(BlockLease* lease, const void* pointer);

  // Makes the memory belong to its leases alone: a free by the program is refused.
  void giveToLeases() const;

  explicit operator bool() const { return block_ != nullptr; }
  Region* region() const { return region_; }
  Block* block() const { return block_; }

 private:
  Region* region_ = nullptr;
  Block* block_ = nullptr;
};

// Counts a lease of a live block. False: it is not live, or it is ending. For the block of a pool the caller has the lock of
// its home. For any other block the caller reads the state again after the count: a free closes the state first and reads the
// leases then.
bool countLease(Block& block);
// Gives up the program's part of a block that it has claimed (kClosing). False: leases hold the block, and the last one frees
// it.
bool releaseFromProgram(Block& block);
bool leased(const Block& block);  // true also for a lease that is being taken and may still be refused
bool belongsToLeases(const Block& block);

}  // namespace manyrt::allocator
