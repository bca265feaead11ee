// `manyrt run`: a graph file on a device, with arrays from files or of random numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct RunOptions {
  std::string file, device;
  std::vector<std::string> images;                     // with kernels that the graph names
  std::vector<std::string> inputs, outputs, expected;  // "x=x.npy"
  uint32_t repeat = 1;
  bool random = false;  // buffers that no input is given for
  uint64_t seed = 0;
  double tolerance = 0;
};

// Throws Failure, also where a result is not as expected.
void runGraph(const RunOptions& options);
