// Finds NVRTC, NVIDIA's compiler as a library, and compiles one source of CUDA C++ for one device with it. The library is
// opened when it is first needed and never closed. Knows nothing of kernels. May be called from many threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/image.h"
#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::compiler {

struct NvrtcLibrary {
  std::string path;      // absolute
  std::string identity;  // what tells this library from any other, without opening it: resolved path, size, time of change
};

// RT_NVRTC (a path, or a name; if set it must be there), else libnvrtc.so.13 or .12 in the loader's folders, then in the
// toolkit's. A driver older than 13 prefers .12. COMPILER_NOT_FOUND says what to install.
Status findNvrtc(NvrtcLibrary* library, uint32_t driver_version);

struct NvrtcJob {
  std::string text;
  std::string name;  // of the text, in messages
  std::vector<std::string> options;
  std::vector<Header> headers;
  bool choose_architecture = true;  // false: the options have it
};

// The architectures that NVRTC compiles for, 75, 80, ..., ascending. COMPILER_NOT_FOUND.
Status nvrtcArchitectures(std::vector<uint32_t>* architectures, const NvrtcLibrary& library);

// For the target's own architecture if NVRTC knows it: a cubin; else PTX of the newest architecture below. A target that asks
// for machine code or PTX gets that, for its own architecture, or NOT_SUPPORTED. BUILD_FAILED with NVRTC's messages in `log`
// (at most 64 KiB, also of a build that succeeded). INVALID_VALUE for an option that it refuses; NOT_SUPPORTED for a device
// that is too old for it. COMPILER_NOT_FOUND where it, or its library of built-ins, cannot be opened.
Status compileWithNvrtc(CudaImage* image, const NvrtcLibrary& library, const CudaTarget& target, const NvrtcJob& job);

}  // namespace manyrt::compiler
