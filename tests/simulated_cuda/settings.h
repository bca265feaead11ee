// The settings from the environment, read once, and the planted defects that are switched on. Everything else asks here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "simulated_cuda.h"

namespace manyrt::simulated {

enum class Defect : unsigned {
#define SIMULATED_DEFECT(name) name,
  SIMULATED_CUDA_DEFECTS(SIMULATED_DEFECT)
#undef SIMULATED_DEFECT
};

struct Settings {
  int devices;
  size_t memory;  // bytes of each device
  int version;
  uint64_t seed;
  bool strict;
  bool check;
  bool leaks;
  bool virtual_memory;
  std::string compiler;
  std::atomic<int> delay_us;
  std::atomic<bool> insist_on_current;
};

Settings& settings();

bool defect(Defect which);         // switched on
bool defectAtTimes(Defect which);  // switched on, and this is one of the times

// A generator of one owner: a stream, or the process.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u) {}
  uint64_t next();

 private:
  uint64_t state_;
};

// The number that is the whole value: "1073741824". Anything else is reported and gives the default.
long long numberOf(const char* variable, long long otherwise);

}  // namespace manyrt::simulated
