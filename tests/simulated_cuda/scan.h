// Facts that the compiler is not asked: which kernels a preprocessed source has, and how large their blocks may be.
#pragma once

#include <string>
#include <vector>

namespace manyrt::simulated {

struct Scanned {
  struct Kernel {
    std::string name;    // with its namespaces
    std::string bounds;  // the first argument of __launch_bounds__; empty: none
  };
  std::vector<Kernel> kernels;              // no templates: those are named by expressions
  std::vector<std::string> dynamic_shared;  // names of `extern __shared__` arrays
  std::string text;                         // the source without the words that only this library understands
};

Scanned scan(const std::string& preprocessed);

}  // namespace manyrt::simulated
