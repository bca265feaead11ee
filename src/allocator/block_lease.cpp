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
  if (region.pool() == nullptr) {
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
  if (block == nullptr) return false;
  Pool* pool = region->pool();
  if (!(pool != nullptr ? pool->lease(*block) : countLease(*block))) return region->isProgramMemoryAgain();
  lease->region_ = region;
  lease->block_ = block;
  // Without a pool's lock, either who claims the block sees the lease, or this sees the claim.
  if (pool != nullptr || block->state.load(std::memory_order_seq_cst) == Block::kLive) return true;
  *lease = BlockLease();
  return region->isProgramMemoryAgain();
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

bool countLease(Block& block) {
  uint32_t word = block.leases.load(std::memory_order_acquire);
  do {
    // The state behind the word: what goes last of a block closes it first and clears the word then.
    if (block.state.load(std::memory_order_acquire) != Block::kLive) return false;
    // What the program has freed, or was the leases' alone, goes with the last of them: nobody joins them, or there would be
    // a last one twice.
    if ((word & kFreed) != 0 || word == kOfLeases) return false;
  } while (!block.leases.compare_exchange_weak(word, word + 1, std::memory_order_seq_cst, std::memory_order_acquire));
  return true;
}

// A word without leases is left alone: did it say for a moment that the program has freed the block, a lease that is being
// taken would take itself for the last one, and the block would go twice.
bool releaseFromProgram(Block& block) {
  uint32_t word = block.leases.load(std::memory_order_seq_cst);
  while (word != 0) {
    if (block.leases.compare_exchange_weak(word, word | kFreed, std::memory_order_acq_rel, std::memory_order_acquire)) {
      return false;
    }
  }
  return true;
}

void BlockLease::giveToLeases() const { block_->leases.fetch_or(kOfLeases, std::memory_order_acq_rel); }

bool leased(const Block& block) { return (block.leases.load(std::memory_order_seq_cst) & ~kFreed) != 0; }
bool belongsToLeases(const Block& block) { return (block.leases.load(std::memory_order_acquire) & kOfLeases) != 0; }

}  // namespace manyrt::allocator
