// Random graphs of steps, each given by what comes before it, and whether one step comes behind another.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "graph/model/order.h"

namespace manyrt::graph {

inline Before randomGraph(std::mt19937& random, uint32_t steps, double density) {
  Before before(steps);
  std::bernoulli_distribution edge(density);
  for (uint32_t i = 0; i < steps; ++i) {
    for (uint32_t first = 0; first < i; ++first) {
      if (edge(random)) before[i].push_back(first);
    }
  }
  return before;
}

// Whether `second` comes behind `first`. By walking, without bits.
inline bool reaches(const Before& before, uint32_t first, uint32_t second) {
  std::vector<uint32_t> open{second};
  std::vector<bool> seen(before.size());
  while (!open.empty()) {
    const uint32_t step = open.back();
    open.pop_back();
    for (uint32_t each : before[step]) {
      if (each == first) return true;
      if (!seen[each]) open.push_back(each);
      seen[each] = true;
    }
  }
  return false;
}

}  // namespace manyrt::graph
