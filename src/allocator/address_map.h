// From any address to the region that contains it: a table over granules of 2 MiB in two levels, read without a lock under
// an epoch guard, so that a launch can look its arguments up. Written by pools, registrations and imports.
#pragma once

#include <cstdint>

#include "allocator/region.h"

namespace manyrt::allocator::address_map {

inline constexpr uint64_t kGranule = uint64_t{1} << 21;

Status insert(Region* region);
void remove(Region* region);
Region* find(const void* address);                  // null: unknown memory. The newest where several contain it
bool overlaps(const void* address, uint64_t size);  // some known region has a byte of the range

// A live allocation that contains an address.
struct Place {
  Region* region = nullptr;
  Block* block = nullptr;
  uintptr_t base = 0;
  uint64_t size = 0;  // as asked for

  explicit operator bool() const { return region != nullptr; }
};
Place locate(const void* address);

}  // namespace manyrt::allocator::address_map
