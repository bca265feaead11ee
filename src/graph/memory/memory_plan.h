// The memory of the temporaries of a graph: one block, and in it an offset for each temporary. Two temporaries share bytes only
// if every user of one comes before every user of the other. Plan calls planMemory once; the other files of this folder are its
// parts.
#pragma once

#include "graph/model/order.h"

namespace manyrt::graph {

struct Temporary {
  uint64_t size;
  std::vector<uint32_t> users;  // steps; none: it needs no memory
};

constexpr uint64_t kAlignment = 256;  // of offsets
inline uint64_t rounded(uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

struct MemoryPlan {
  std::vector<uint64_t> offsets;  // by temporary, multiples of 256
  uint64_t bytes = 0;             // of the block
  uint64_t without_reuse = 0;     // if no two shared a byte
  uint64_t peak = 0;              // of the heaviest set of which no two may share a byte: no plan needs less
};

// A function of its arguments alone, whatever the machine and however long it takes. Throws bad_alloc.
MemoryPlan planMemory(const std::vector<Temporary>& temporaries, const Before& before);

}  // namespace manyrt::graph
