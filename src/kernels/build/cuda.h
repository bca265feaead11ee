// From OpenCL C, or from CUDA C++, to code for one kind of NVIDIA GPU. The CUDA backend calls it; needs no GPU and no driver.
#pragma once

#include <memory>

#include "base/status.h"
#include "kernels/build/request.h"
#include "kernels/cuda_image.h"

namespace manyrt::kernels {

// BUILD_FAILED with a log that has the user's names and lines; COMPILER_NOT_FOUND; INVALID_VALUE for options; NOT_SUPPORTED.
// On failure `image` has the log alone, or is null. Images are shared and never change. The same request for the same target is
// built once in a process while it is being asked for, and found in the cache afterwards, which needs NVRTC's file and does not
// open it.
Status buildForCuda(std::shared_ptr<const CudaImage>* image, const CudaTarget& target, const BuildRequest& request);

// CUDA C++ as it is: options (words as a shell splits them) and headers go to NVRTC, with the target's architecture where the
// options name none. No kernels or globals are described. Kept in the cache only where no #include can bring in files.
Status compileCuda(std::shared_ptr<const CudaImage>* image, const CudaTarget& target, const BuildRequest& request);

}  // namespace manyrt::kernels
