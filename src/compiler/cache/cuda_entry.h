// An image of CUDA as the bytes of a cache entry, and back.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/image.h"

namespace manyrt::compiler {

std::vector<unsigned char> writeCudaEntry(const CudaImage& image);

// False: these bytes are no whole entry, whatever they are. `image` is then in no particular state.
bool readCudaEntry(CudaImage* image, const unsigned char* data, size_t size);

}  // namespace manyrt::compiler
