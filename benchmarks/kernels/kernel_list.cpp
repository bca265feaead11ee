// All kernels of the sixty, class by class.
#include "kernel_case.h"

namespace sixty {

std::vector<Kernel> allKernels() {
  std::vector<Kernel> all;
  for (auto* kernels : {denseKernels, sparseKernels, stencilKernels, sortKernels, scanKernels, histogramKernels, graphKernels,
                        hashKernels, monteCarloKernels, dynamicKernels, rayKernels, fftKernels, stringKernels, neuralKernels}) {
    const std::vector<Kernel> more = kernels();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace sixty
