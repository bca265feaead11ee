// `manyrt doctor`: whether everything that manyrt needs is here and works, and what to install where it is not.
#pragma once

#include <rt.h>

#include <cstdint>
#include <string>
#include <vector>

#include "distribution.h"

namespace doctor {

enum class Level : uint8_t {
  kFine,
  kNote,    // something optional is missing
  kProblem  // something is here and does not work
};

struct Finding {
  std::string part;  // "cuda", "compiler", "cache"
  Level level = Level::kFine;
  std::string text;    // one line
  std::string advice;  // what to do; empty: nothing
};

struct Options {
  bool json = false;
  std::string os_release;
};

// 1 if there is a problem, else 0.
int run(const Options& options);

// Copies and runs a kernel on a device, and holds the results against the host's (doctor_device.cpp).
std::vector<Finding> examineDevice(rtDevice_t device, const std::string& backend, const Distribution& distribution);
// Compilers, the folder of compiled kernels, limits of the process (doctor_system.cpp).
std::vector<Finding> examineSystem(const Distribution& distribution);

}  // namespace doctor
