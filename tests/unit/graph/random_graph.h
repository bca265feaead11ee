// Random graphs of steps, each given by what comes before it, and whether one step comes after another.
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

// Whether `second` comes after `first`. By walking, without bits.
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

// The same for every pair of a graph, whose steps wait for earlier ones alone: a bit for each.
class Closure {
 public:
  explicit Closure(const Before& before) : bits_(before.size(), std::vector<bool>(before.size())) {
    for (size_t i = 0; i < before.size(); ++i) {
      for (uint32_t first : before[i]) {
        for (size_t k = 0; k < first; ++k) bits_[i][k] = bits_[i][k] || bits_[first][k];
        bits_[i][first] = true;
      }
    }
  }
  bool comesBefore(uint32_t first, uint32_t second) const { return bits_[second][first]; }

 private:
  std::vector<std::vector<bool>> bits_;
};

}  // namespace manyrt::graph
