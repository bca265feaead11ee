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

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

// Without the dependencies that follow from others.
Before reduced(const Before& before, const Ancestors& ancestors);
std::vector<uint32_t> levelsOf(const Before& before);

// A lane for each step, in which steps keep their order: chains, of which there are as many as the graph is wide, `most` at
// most.
std::vector<uint32_t> lanesOf(const Before& reduced_before, const Ancestors& ancestors, uint32_t most, uint32_t* count);

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
