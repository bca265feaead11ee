// Kernels for the CPU that a sanitizer watches: what RT_CPU_SANITIZE and the process decide, as flags of the compiler.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace manyrt::compiler {

struct KernelSanitizer {
  std::vector<std::string> flags;        // none: kernels are not watched
  std::vector<std::string> fiber_flags;  // beside these, where a kernel runs on fibers

  bool watches() const { return !flags.empty(); }
  std::string key() const;   // for the cache
  const char* word() const;  // "address", "thread"; "": none
};

// NOT_SUPPORTED: the process lacks what the variable asks for. Asked again at each build.
Status findKernelSanitizer(KernelSanitizer* found);

}  // namespace manyrt::compiler
