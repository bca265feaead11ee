// A walk over all regions, block by block: the report of leaks at shutdown asks, when no other thread allocates or frees.
#include "allocator/live_blocks.h"

#include <algorithm>

#include "allocator/address_map.h"
#include "allocator/labels.h"
#include "base/handles/epoch.h"

namespace manyrt::allocator {
namespace {

uint64_t stepOf(const Region& region) {
  switch (region.kind()) {
    case Region::Kind::kSlab:
      return region.blockSize();
    case Region::Kind::kRange:
      return RangeBlocks::kUnit;
    default:
      return region.memory().size;
  }
}

}  // namespace

std::vector<LiveBlock> liveBlocks() {
  const epoch::Guard guard;
  std::vector<LiveBlock> found;
  for (Region* region : address_map::regions()) {
    if (region->pool() == nullptr) continue;  // registered or imported, or a module's
    const Block* last = nullptr;
    for (uintptr_t at = region->begin(); at < region->end(); at += stepOf(*region)) {
      const Block* const block = region->blockAt(at);
      if (block == nullptr || block == last) continue;
      // A block of a range has several units, and each step into it finds the same block.
      last = block;
      // Acquire, as in address_map::locate(): the size is read after the state.
      if (block->state.load(std::memory_order_acquire) != Block::kLive) continue;
      LiveBlock& live = found.emplace_back();
      live.address = region->addressOf(*block);
      live.size = block->size.load(std::memory_order_relaxed);
      char label[labels::kMost];
      if (block->past.load(std::memory_order_relaxed) == Block::kLabelled && labels::read(live.address, label))
        live.label = label;
    }
  }
  // The largest first: a report that is cut off has told the most bytes.
  std::stable_sort(found.begin(), found.end(),
                   [](const LiveBlock& one, const LiveBlock& other) { return one.size > other.size; });
  return found;
}

}  // namespace manyrt::allocator
