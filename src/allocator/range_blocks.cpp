// The blocks of a range, each made where it first begins.
#include "allocator/range_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/fault.h"

namespace manyrt::allocator {
namespace {

void* zeros(size_t count, size_t size) {
  void* memory = fault::fails("range") ? nullptr : std::calloc(count, size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

Block* alignedBlocks(unsigned char* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  return reinterpret_cast<Block*>((address + alignof(Block) - 1) & ~(alignof(Block) - 1));
}

}  // namespace

void RangeBlocks::Deallocate::operator()(void* memory) const { std::free(memory); }

RangeBlocks::RangeBlocks(Region* region, uint32_t units, uint32_t granule)
    : region_(region),
      offsets_(units, granule),
      cuts_(static_cast<Cut*>(zeros(units, sizeof(Cut)))),
      whole_(static_cast<Start*>(zeros(units / kGroup + 1, sizeof(Start)))),
      memory_(static_cast<unsigned char*>(zeros(size_t{units} + 1, sizeof(Block)))),
      blocks_(alignedBlocks(memory_.get())) {}

RangeBlocks::~RangeBlocks() {
  // Blocks are made where they first begin, in memory of zeros, and stay until the range ends: a stale look-up may read one.
  for (uint32_t unit = 0; unit < end_; ++unit) {
    if (cuts_[unit].made) blocks_[unit].~Block();
  }
}

Block& RangeBlocks::cut(OffsetAllocator::Span span, uint64_t shift) {
  Block* block = &blocks_[span.first];
  Cut& first = cuts_[span.first];
  if (!first.made) {
    new (block) Block;
    block->index = span.first;
    block->region = region_;
    first.made = true;
  }
  // Relaxed: the program orders a reader of a live block after this, and for any other block each number will do.
  first.count.store(span.count, std::memory_order_relaxed);
  first.shift.store(static_cast<uint8_t>(shift / kAlignment), std::memory_order_relaxed);
  // A reader of a stale address may look at the same time, and finds the block of before or this one.
  const auto write = [&](Start& place, uint32_t start) {
    if (place.load(std::memory_order_relaxed) != start) place.store(start, std::memory_order_release);
  };
  const uint32_t end = span.first + span.count;
  end_ = std::max(end_, end);
  // A group that lies wholly inside has one entry, or a block of gigabytes would write one for each of its units.
  for (uint32_t unit = span.first; unit < end;) {
    const bool whole = unit % kGroup == 0 && end - unit >= kGroup;
    write(cuts_[unit].start, span.first + 1);
    write(whole_[unit / kGroup], whole ? span.first + 1 : 0);
    unit += whole ? kGroup : 1;
  }
  return *block;
}

}  // namespace manyrt::allocator
