// The allocations that are live, for the report of leaks at shutdown, when the program is at rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace manyrt::allocator {

struct LiveBlock {
  uintptr_t address;
  uint64_t size;      // as asked for
  std::string label;  // "": none, or the table of labels has lost it
};
// Those of pools, the largest first. Throws bad_alloc.
std::vector<LiveBlock> liveBlocks();

}  // namespace manyrt::allocator
