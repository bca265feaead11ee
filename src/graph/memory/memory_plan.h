// The memory of the temporaries of a graph: one block, and in it an offset for each temporary. Called once for each plan.
#pragma once

#include "graph/model/order.h"

namespace manyrt::graph {

// Places for temporaries: two share bytes only if every user of one comes before every user of the other.
struct Temporary {
  uint64_t size;
  std::vector<uint32_t> users;  // steps; none: it needs no place
};
struct MemoryPlan {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;          // of all of them
  uint64_t without_reuse = 0;  // if each had its own
  uint64_t peak = 0;           // of the heaviest set that may be live at once: no plan needs less
};
MemoryPlan planMemory(const std::vector<Temporary>& temporaries, const Ancestors& ancestors, uint32_t steps);

}  // namespace manyrt::graph
