// One word for each block counts its leases, and has two flags: the program has freed it (kFreed), it belongs to its leases
// alone (kOfLeases). With either flag, the thread that drops the last lease gives the block back. Exactly one does so.
#include "allocator/block_lease.h"

#include "allocator/import_release.h"
#include "allocator/pool.h"
#include "base/trace.h"

namespace manyrt::allocator {
namespace {

constexpr uint32_t kFreed = uint32_t{1} << 31;
constexpr uint32_t kOfLeases = uint32_t{1} << 30;

void giveBack(Region& region, Block& block) {
  block.leases.store(0, std::memory_order_release);  // after the state kClosing: Pool::claim reads the word first
  if (region.pool() == nullptr) return releaseImported(region);
  const Ref<Pool> pool(region.pool());  // releasing the last region may drop the pool
  if (trace::tellsMemory() && !block.freed_early) pool->traceFree(region, block, nullptr);  // else the program's free was told
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
  // Without a pool's lock: the count above and this load are seq_cst. So are the claim of the block and the look at its leases
  // (ops/memory). The free sees the lease, or this thread sees the claim.
  if (pool != nullptr || block->state.load(std::memory_order_seq_cst) == Block::kLive) return true;
  *lease = BlockLease();
  return region->isProgramMemoryAgain();
}

BlockLease::BlockLease(const BlockLease& other) : region_(other.region_), block_(other.block_) {
  // Relaxed: the lease that is copied keeps the block meanwhile.
  if (block_ != nullptr) block_->leases.fetch_add(1, std::memory_order_relaxed);
}

BlockLease::~BlockLease() {
  if (block_ == nullptr) return;
  // acq_rel: the last lease is ordered after all uses under the other leases. `word` tells it what it has to do.
  const uint32_t word = block_->leases.fetch_sub(1, std::memory_order_acq_rel);
  // No free of the program will come for it, so this thread claims the block itself.
  if (word == (kOfLeases | 1)) block_->state.store(Block::kClosing, std::memory_order_release);
  if (word == (kFreed | 1) || word == (kOfLeases | 1)) giveBack(*region_, *block_);
}

bool countLease(Block& block) {
  uint32_t word = block.leases.load(std::memory_order_acquire);
  do {
    // The state is read after the word: the last lease closes the state before it clears the word (giveBack).
    if (block.state.load(std::memory_order_acquire) != Block::kLive) return false;
    // A freed block, and one of leases alone without any left, is given back by its last lease. A new lease would make a
    // second last one.
    if ((word & kFreed) != 0 || word == kOfLeases) return false;
  } while (!block.leases.compare_exchange_weak(word, word + 1, std::memory_order_seq_cst, std::memory_order_acquire));
  return true;
}

// A word without leases is not changed. With kFreed in it for a moment, a lease that is taken and given up would be the last
// one of a freed block. The block would be given back twice.
bool releaseFromProgram(Block& block) {
  uint32_t word = block.leases.load(std::memory_order_seq_cst);
  while (word != 0) {
    // acq_rel: the program's uses come before the last lease, which gives the block back.
    if (block.leases.compare_exchange_weak(word, word | kFreed, std::memory_order_acq_rel, std::memory_order_acquire)) {
      return false;
    }
  }
  return true;
}

// acq_rel, as every change of the word: the last lease is ordered after it.
void BlockLease::giveToLeases() const { block_->leases.fetch_or(kOfLeases, std::memory_order_acq_rel); }

// seq_cst: the second half of a claim, as BlockLease::take says.
bool leased(const Block& block) { return (block.leases.load(std::memory_order_seq_cst) & ~kFreed) != 0; }
bool belongsToLeases(const Block& block) { return (block.leases.load(std::memory_order_acquire) & kOfLeases) != 0; }

}  // namespace manyrt::allocator
