// An image of OpenCL as the bytes of a cache entry, and back.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/build.h"

namespace manyrt::compiler {

std::vector<unsigned char> writeOpenClEntry(const OpenClImage& image);

// False: these bytes are no whole entry, whatever they are. `image` is then in no particular state.
bool readOpenClEntry(OpenClImage* image, const unsigned char* data, size_t size);

}  // namespace manyrt::compiler
