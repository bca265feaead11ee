// The second half of the class "neural"; neuralKernels() joins both.
#pragma once

#include "kernel_case.h"

namespace sixty {

std::vector<Kernel> neuralRowKernels();

}  // namespace sixty
