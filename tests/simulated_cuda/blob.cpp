// The headers of kernels inside the library, one after the other: what compile.cpp puts in front of every source.
#include "blob.h"

// clang-format off
asm(".pushsection .rodata\n"
    ".hidden simulated_cuda_headers\n.globl simulated_cuda_headers\n"
    ".hidden simulated_cuda_headers_end\n.globl simulated_cuda_headers_end\n"
    "simulated_cuda_headers:\n"
    ".incbin \"" SIMULATED_CUDA_SOURCES "/kernel/abi.h\"\n"
    ".incbin \"" SIMULATED_CUDA_SOURCES "/kernel/language.h\"\n"
    ".incbin \"" SIMULATED_CUDA_SOURCES "/kernel/atomics.h\"\n"
    ".incbin \"" SIMULATED_CUDA_SOURCES "/kernel/math.h\"\n"
    "simulated_cuda_headers_end:\n"
    ".popsection\n");
// clang-format on

namespace manyrt::simulated {

extern "C" const char simulated_cuda_headers[], simulated_cuda_headers_end[];

std::string_view kernelHeaders() {
  return {simulated_cuda_headers, static_cast<size_t>(simulated_cuda_headers_end - simulated_cuda_headers)};
}

}  // namespace manyrt::simulated
