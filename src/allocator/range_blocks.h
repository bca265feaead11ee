// The blocks of a range: a region of addresses that is cut as needed, in units, and that has memory where blocks are. Pools cut
// it under their lock; an address finds its block without one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "allocator/block.h"
#include "allocator/offset_allocator.h"
#include "allocator/size_class.h"

namespace manyrt::allocator {

class RangeBlocks {
 public:
  static constexpr uint64_t kUnit = 64 << 10;

  RangeBlocks(Region* region, uint32_t units, uint32_t granule);  // units of a granule; throws bad_alloc
  ~RangeBlocks();
  RangeBlocks(const RangeBlocks&) = delete;
  RangeBlocks& operator=(const RangeBlocks&) = delete;

  OffsetAllocator& offsets() { return offsets_; }
  const OffsetAllocator& offsets() const { return offsets_; }

  // The block that has the span from now on. A block that had begun in it before is found no more. Its bytes begin `shift`
  // bytes after the first unit's, a multiple of kAlignment below kUnit.
  Block& cut(OffsetAllocator::Span span, uint64_t shift);
  // Null: no block has the unit. The block may have been freed.
  Block* at(uint64_t offset) const {
    // Acquire: pairs with the release of cut(), so that the block is complete.
    uint32_t start = whole_[offset / (kUnit * kGroup)].load(std::memory_order_acquire);
    if (start == 0) start = cuts_[offset / kUnit].start.load(std::memory_order_acquire);
    if (start == 0) return nullptr;
    // The block may have begun again since, and be shorter.
    const uint64_t inside = offset / kUnit - (start - 1);
    return inside < cuts_[start - 1].count.load(std::memory_order_relaxed) ? &blocks_[start - 1] : nullptr;
  }
  OffsetAllocator::Span spanOf(const Block& block) const {
    return {block.index, cuts_[block.index].count.load(std::memory_order_relaxed)};
  }
  uint64_t shiftOf(const Block& block) const { return cuts_[block.index].shift.load(std::memory_order_relaxed) * kAlignment; }
  // All blocks that are live or pending, under the pool's lock.
  template <class Body>
  void forEach(Body body) const {
    for (uint32_t unit = 0; unit < end_;) {
      Block* block = at(uint64_t{unit} * kUnit);
      const bool used = block != nullptr && block->state.load(std::memory_order_relaxed) != Block::kFree;
      if (used) body(*block);
      unit = used ? block->index + spanOf(*block).count : unit + 1;
    }
  }

 private:
  static constexpr uint32_t kGroup = 64;  // units
  using Start = std::atomic<uint32_t>;    // the first unit of a block, and 1
  struct Cut {
    Start start;                  // of the block that has this unit; not written where `whole_` says it
    std::atomic<uint32_t> count;  // of a first unit: how many the block has
    bool made;                    // of a first unit: its block has been constructed
    std::atomic<uint8_t> shift;   // of a first unit, in steps of kAlignment
  };
  struct Deallocate {
    void operator()(void* memory) const;
  };

  Region* const region_;
  OffsetAllocator offsets_;
  // Zeros that take no memory until they are written: most of a range is never used.
  std::unique_ptr<Cut[], Deallocate> cuts_;
  std::unique_ptr<Start[], Deallocate> whole_;  // of a group that one block has; else 0
  std::unique_ptr<unsigned char[], Deallocate> memory_;
  Block* const blocks_;
  uint32_t end_ = 0;  // no block has had a unit from here on
};

}  // namespace manyrt::allocator
