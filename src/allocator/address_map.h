// Finds the region that contains an address. A table of two levels covers granules of 2 MiB. A third one covers parts of 64 KiB
// where regions share a granule, as small slabs do. It is read without a lock under an epoch guard, so that a launch can look
// its arguments up. Pools, registrations and imports write it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "allocator/region.h"

namespace manyrt::allocator::address_map {

inline constexpr int kGranuleBits = 21;
inline constexpr int kPartBits = 16;
inline constexpr uint64_t kParts = uint64_t{1} << (kGranuleBits - kPartBits);  // of a granule
inline constexpr int kLeafBits = 13;
inline constexpr int kRootBits = 13;
inline constexpr uint64_t kAddresses = uint64_t{1} << (kGranuleBits + kLeafBits + kRootBits);

namespace internal {
// 0, a Region*, or with the lowest bit set: in a leaf a Split*, in a split a list of entries.
using Cell = std::atomic<uintptr_t>;
struct Split final : epoch::Retired {  // a granule that several regions share
  Cell cells[kParts] = {};
  void reclaim() override { delete this; }
};
struct Leaf {
  Cell cells[size_t{1} << kLeafBits] = {};
};
// Stored once, with release, when the leaf's cells are null; acquire loads pair with it.
extern std::atomic<Leaf*> root[size_t{1} << kRootBits];
Region* findInList(uintptr_t cell, uintptr_t address);
inline Split* toSplit(uintptr_t cell) { return reinterpret_cast<Split*>(cell & ~uintptr_t{1}); }
}  // namespace internal

Status insert(Region* region);
void remove(Region* region);
// Null: unknown memory. If several regions contain the address, the newest live one. Inline, since every launch calls it.
// The acquire loads pair with the release stores of insert(): leaf, split, list and region are complete. The guard keeps a
// region that was found, because a region is retired after its removal.
inline Region* find(const void* pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (address >= kAddresses) [[unlikely]]
    return nullptr;
  internal::Leaf* leaf = internal::root[address >> (kGranuleBits + kLeafBits)].load(std::memory_order_acquire);
  if (leaf == nullptr) return nullptr;
  const uint64_t index = address >> kGranuleBits & ((uint64_t{1} << kLeafBits) - 1);
  uintptr_t cell = leaf->cells[index].load(std::memory_order_acquire);
  if ((cell & 1) != 0) [[unlikely]] {
    cell = internal::toSplit(cell)->cells[address >> kPartBits & (kParts - 1)].load(std::memory_order_acquire);
    if ((cell & 1) != 0) return internal::findInList(cell, address);
  }
  if (cell == 0) return nullptr;
  Region* region = reinterpret_cast<Region*>(cell);
  return address - region->begin() < region->memory().size ? region : nullptr;
}
// All regions, each once, in the order of their addresses. Under a guard. Throws bad_alloc.
std::vector<Region*> regions();
bool overlaps(const void* address, uint64_t size);  // whether a known region has a byte of the range
// The regions next to an address that no region has, at most a gibibyte away. One ends last before it, the other begins first
// after it. Null: none. Under a guard; safe in the handler of a signal.
Region* nearestBefore(uintptr_t address);
Region* nearestAfter(uintptr_t address);

// A live allocation that contains an address.
struct Allocation {
  Allocation() {}  // without a region the rest stays uninitialised: clearing it costs more than the look-up
  Allocation(Region* in, Block* part, uintptr_t first, uint64_t bytes) : region(in), block(part), base(first), size(bytes) {}

  Region* region = nullptr;
  Block* block;
  uintptr_t base;
  uint64_t size;  // as asked for

  explicit operator bool() const { return region != nullptr; }
};
Allocation locate(const void* address);

}  // namespace manyrt::allocator::address_map
