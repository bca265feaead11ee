// Order on paper: what a plan does with dependencies, as plain algorithms over numbers. Nothing here knows nodes, streams or
// devices. Every result is a function of its input alone, whatever the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace manyrt::graph {

// For each step the steps that it waits for.
using Before = std::vector<std::vector<uint32_t>>;

// Smallest number first among those whose predecessors are all out. Shorter than the input where there is a circle.
std::vector<uint32_t> sequenceOf(const Before& before);

// Who comes before whom, through any number of steps: a bit for each pair. `before` names only earlier steps.
class Ancestors {
 public:
  explicit Ancestors(const Before& before);
  bool comesBefore(uint32_t first, uint32_t second) const {
    return (bits_[second * words_ + first / 64] >> (first % 64) & 1) != 0;
  }

  size_t words() const { return words_; }
  const uint64_t* of(uint32_t step) const { return &bits_[step * words_]; }  // words(): the bits of those that come before it

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

// Without the dependencies that follow from others.
Before reduced(const Before& before, const Ancestors& ancestors);
std::vector<uint32_t> levelsOf(const Before& before);

}  // namespace manyrt::graph
