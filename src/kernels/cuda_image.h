// What a build for CUDA gives the CUDA backend: code that cuModuleLoadData takes, and what the code does not say of itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/build/sha256.h"

namespace manyrt::kernels {

// What each launch passes as dynamic shared memory begins at a multiple of this; so do the pointers of __local arguments, where
// their offsets are multiples of CudaArgument::alignment.
inline constexpr uint32_t kCudaSharedAlignment = 128;

// An argument as rtKernelGetArgInfo has it. RT_ARG_VALUE and RT_ARG_POINTER are passed as they are; for RT_ARG_LOCAL, size is
// 8, and what is passed to the kernel is an unsigned int: the offset, in bytes, of this argument's memory in the launch's
// dynamic shared memory.
struct CudaArgument {
  uint32_t size = 0;
  int32_t kind = 0;  // RT_ARG_*
  std::string name;
  std::string type_name;
  uint32_t alignment = 1;  // RT_ARG_LOCAL: of the offset, at most kCudaSharedAlignment
};

struct CudaKernel {
  std::string name;    // as the source has it
  std::string symbol;  // for cuModuleGetFunction: CUDA's own functions keep some names for themselves
  std::vector<CudaArgument> arguments;
  uint32_t required_group[3] = {0, 0, 0};  // zeros: any
  uint64_t local_bytes = 0;                // of its __local variables, without those of kernels that it calls

  std::vector<uint32_t> localArguments() const {  // which arguments are RT_ARG_LOCAL
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].kind == 2) found.push_back(i);
    }
    return found;
  }
};

struct CudaGlobal {  // a __constant variable of program scope
  std::string name;
  std::string symbol;  // for cuModuleGetGlobal
  uint64_t size = 0;
};

struct CudaTarget {
  uint32_t major = 0, minor = 0;  // of the compute capability
  uint32_t driver_version = 0;    // as cuDriverGetVersion has it: 13000; 0: unknown
};

struct CudaImage {
  std::vector<unsigned char> code;  // PTX ends with a zero byte
  bool is_cubin = false;            // else PTX
  std::vector<CudaKernel> kernels;  // none for CUDA C++
  std::vector<CudaGlobal> globals;
  std::string log;
  Digest key = {};  // the same key is the same code; zeros: not known
};

}  // namespace manyrt::kernels
