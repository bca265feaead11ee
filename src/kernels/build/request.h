// What a build is asked for, whatever device it is for: filled by the backends, read by the pipelines.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/front/preprocessor.h"

namespace manyrt::kernels {

struct BuildRequest {
  std::string_view source;
  const char* options = "";     // may be empty, not null
  const char* name = "";        // of the source, in messages; "": "kernel.cl", or "kernel.cu" of CUDA C++
  std::vector<Header> headers;  // that #include finds
};

}  // namespace manyrt::kernels
