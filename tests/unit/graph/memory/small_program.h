// Random programs that are small enough for trying everything. Shared by the tests of this folder.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "graph/memory/interference.h"

namespace manyrt::graph {

struct SmallProgram {
  Before before;
  std::vector<Temporary> temporaries;
};
inline SmallProgram randomProgram(std::mt19937& random, uint32_t steps, uint32_t count) {
  SmallProgram small{Before(steps), {}};
  for (uint32_t i = 1; i < steps; ++i) {
    for (uint32_t k = i < 3 ? 0 : i - 3; k < i; ++k) {
      if (random() % 2 == 0) small.before[i].push_back(k);
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    const auto first = static_cast<uint32_t>(random() % steps);
    const auto second = std::min(steps - 1, first + static_cast<uint32_t>(random() % 3));
    small.temporaries.push_back({256 * (1 + random() % 6), {first, second}});
  }
  return small;
}

inline bool apart(const InterferenceGraph& graph, const std::vector<uint64_t>& offsets) {
  for (uint32_t a = 0; a < graph.count(); ++a) {
    for (uint32_t b = 0; b < a; ++b) {
      const bool share = offsets[a] < offsets[b] + graph.size[b] && offsets[b] < offsets[a] + graph.size[a];
      if (share && graph.conflicts.test(a, b)) return false;
    }
  }
  return true;
}

}  // namespace manyrt::graph
