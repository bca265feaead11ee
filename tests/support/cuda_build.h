// Builds for CUDA whose image a test may keep and read like a value.
#pragma once

#include "compiler/build.h"

namespace manyrt::compiler {

using CudaBuild = Status(std::shared_ptr<const CudaImage>*, const CudaTarget&, const BuildRequest&);

inline Status buildInto(CudaImage* image, CudaBuild* build, const CudaTarget& target, const BuildRequest& request) {
  std::shared_ptr<const CudaImage> built;
  const Status status = build(&built, target, request);
  *image = built != nullptr ? *built : CudaImage();
  return status;
}

}  // namespace manyrt::compiler
