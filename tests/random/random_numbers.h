// The numbers that decide what the random driver does. A step gets numbers of its own from seed, thread and step. So a step
// depends on nothing that time decides, and a run with one thread repeats from its seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtrandom {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  Rng(uint64_t seed, uint64_t thread, uint64_t step) : state_(seed) {
    state_ = next() + thread * 0x9E3779B97F4A7C15u;
    state_ = next() + step * 0xD1B54A32D192ED03u;
  }

  uint64_t next() {  // splitmix64
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
  }

  size_t below(size_t bound) { return bound == 0 ? 0 : static_cast<size_t>(next() % bound); }
  size_t range(size_t first, size_t last) { return first + below(last - first + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  uint32_t word() { return static_cast<uint32_t>(next() >> 32); }

  // Sizes of every magnitude up to `most`, at least 1.
  size_t size(size_t most) {
    size_t bound = most;
    while (bound > 1 && chance(40)) bound /= 3;
    return range(1, bound == 0 ? 1 : bound);
  }

 private:
  uint64_t state_;
};

}  // namespace rtrandom
