// Poisons a freed block in the order of the stream that frees it, for AddressSanitizer. Work that the stream runs after the
// free is a use of freed memory. This also holds if the work before it had not ended when the program freed the block.
#include <atomic>
#include <mutex>
#include <new>

#include "allocator/address_map.h"
#include "allocator/poison.h"
#include "allocator/pool.h"
#include "base/handles/epoch.h"
#include "base/task.h"

namespace manyrt::allocator {
namespace {

// Numbers frees in all pools, since memory may come to another one. Relaxed: the numbers only have to differ.
std::atomic<uint64_t> poisonings{0};

class PoisonTask final : public Task {
 public:
  PoisonTask(uintptr_t address, uint64_t serial) : address_(address), serial_(serial) {}
  Status run(const Status&) override {
    // A task is no call of the program: the guard keeps the region that the map shows.
    const epoch::Guard guard;
    Region* region = address_map::find(reinterpret_cast<void*>(address_));
    if (region == nullptr || region->pool() == nullptr) return Status();
    Block* block = region->blockAt(address_);
    if (block != nullptr) region->pool()->poisonPending(*region, *block, serial_);
    return Status();
  }

 private:
  const uintptr_t address_;
  const uint64_t serial_;
};

}  // namespace

// The block may have been handed out again in the meantime, and freed again: then a later task poisons it.
void Pool::poisonPending(Region& region, Block& block, uint64_t serial) {
  std::lock_guard lock(lock_);
  const bool same = block.state.load(std::memory_order_relaxed) == Block::kPending && block.serial == serial;
  if (same) poison(region.addressOf(block), region.capacityOf(block));
}

// Under the lock of the free: later, the block may be another's, and pending again.
uint64_t Pool::numberPoisoning(Block& block) { return block.serial = poisonings.fetch_add(1, std::memory_order_relaxed) + 1; }

void Pool::poisonAfter(const Region& region, const Block& block, backend::Stream& stream, uint64_t serial) {
  // Only memory that the host sees has shadow memory.
  if (!region.memory().host_visible || stream.latch.failed()) return;
  try {
    (void)stream.call(new PoisonTask(region.addressOf(block), serial), backend::TaskKind::kInternal);
  } catch (const std::bad_alloc&) {  // a free must not fail: the block is not poisoned
  }
}

}  // namespace manyrt::allocator
