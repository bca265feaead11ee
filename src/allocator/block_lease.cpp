// One word for each block: how many leases hold it, whether the program has freed it, and whether it never was the program's.
// Who drops the last lease of either of these gives the block back, so that exactly one does.
#include "allocator/block_lease.h"

#include "allocator/pool.h"

namespace manyrt::allocator {
namespace {

constexpr uint32_t kFreed = uint32_t{1} << 31;
constexpr uint32_t kOfLeases = uint32_t{1} << 30;

void giveBack(Region& region, Block& block) {
  block.leases.store(0, std::memory_order_release);  // behind the block's closing: see Pool::claim
  if (region.kind() == Region::Kind::kImported) {
    region.owner().countAdopted(-1);
    address_map::remove(&region);
    epoch::retire(&region);
    return;
  }
  const Ref<Pool> pool(region.pool());  // releasing the last region may drop the pool
  pool->free(region, block, nullptr);
}

}  // namespace

bool BlockLease::take(BlockLease* lease, const void* pointer) {
  *lease = BlockLease();
  Region* region = pointer == nullptr ? nullptr : address_map::find(pointer);
  if (region == nullptr) return true;
  Block* block = region->blockAt(reinterpret_cast<uintptr_t>(pointer));
  if (block == nullptr || block->state.load(std::memory_order_acquire) != Block::kLive) return false;
  if (Pool* pool = region->pool()) {
    if (!pool->lease(*block)) return false;
    lease->region_ = region;
    lease->block_ = block;
    return true;
  }
  // Either the free that claims the block sees the lease, or this sees the claim.
  block->leases.fetch_add(1, std::memory_order_seq_cst);
  lease->region_ = region;
  lease->block_ = block;
  if (block->state.load(std::memory_order_seq_cst) == Block::kLive) return true;
  *lease = BlockLease();
  return false;
}

BlockLease::BlockLease(const BlockLease& other) : region_(other.region_), block_(other.block_) {
  if (block_ != nullptr) block_->leases.fetch_add(1, std::memory_order_relaxed);
}

BlockLease::~BlockLease() {
  if (block_ == nullptr) return;
  const uint32_t word = block_->leases.fetch_sub(1, std::memory_order_acq_rel);
  if (word == (kOfLeases | 1)) block_->state.store(Block::kClosing, std::memory_order_release);
  if (word == (kFreed | 1) || word == (kOfLeases | 1)) giveBack(*region_, *block_);
}

bool releaseFromProgram(Block& block) {
  if (block.leases.load(std::memory_order_seq_cst) == 0) [[likely]]
    return true;
  if (block.leases.fetch_or(kFreed, std::memory_order_acq_rel) != 0) return false;
  block.leases.store(0, std::memory_order_relaxed);
  return true;
}

void BlockLease::giveToLeases() const { block_->leases.fetch_or(kOfLeases, std::memory_order_acq_rel); }

bool leased(const Block& block) { return (block.leases.load(std::memory_order_acquire) & ~kFreed) != 0; }
bool belongsToLeases(const Block& block) { return (block.leases.load(std::memory_order_acquire) & kOfLeases) != 0; }

}  // namespace manyrt::allocator
