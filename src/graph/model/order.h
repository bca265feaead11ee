// Partial orders: plain algorithms over numbers for the dependencies of a graph. They know neither nodes nor streams nor
// devices. Every result is a function of its input alone, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace manyrt::graph {

// For each step the steps that it waits for.
using Before = std::vector<std::vector<uint32_t>>;

// A topological sequence: the smallest number first among those without predecessors left. Shorter than the input if there is a
// circle.
std::vector<uint32_t> sequenceOf(const Before& before);

// The transitive closure: a bit for each pair of steps. `before` names only earlier steps.
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

// The transitive reduction: without the dependencies that follow from others.
Before reduced(const Before& before, const Ancestors& ancestors);
std::vector<uint32_t> levelsOf(const Before& before);

}  // namespace manyrt::graph
