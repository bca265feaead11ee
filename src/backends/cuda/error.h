// Errors of CUDA, translated once. The runtime's and the driver's codes agree; each call goes through one of two macros, which
// are fault points too.
#pragma once

#include "backends/cuda/table.h"
#include "base/fault.h"
#include "base/status.h"

namespace manyrt::cuda {

enum : Error {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kUnloading = 4,
  kInsufficientDriver = 35,
  kNoDevice = 100,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForDevice = 209,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kPeerAccessEnabled = 704,
  kHostMemoryRegistered = 712,
};

// Whether the context is dead for good after this error.
bool isSticky(Error error);

// Whether a kernel did what ended the context: an address that is none, a trap, a failed assertion. A tool can find the place.
bool isOfKernel(Error error);

// Whether a call may have been refused because of the current context. There was none, or it is the wrong one for these
// objects, or it is dead. Such a call has done nothing, so it may be made again. The driver checks the first two before it
// submits, and a dead context takes no work any more.
bool mayBlameCurrent(Error error);

// The errors of a query while the program captures this stream, or one that it depends on. They say nothing about the work.
inline bool saysNothing(Error error) { return error >= 900 && error <= 908; }

// A failed call as a Status: the code, "cudaMalloc failed: out of memory (cudaErrorMemoryAllocation)".
Status failure(const char* call, Error error);

}  // namespace manyrt::cuda

// The result of one call of the table, or the failure that a test asked for.
#define RT_CUDA_CALL(function, ...) \
  (::manyrt::fault::fails(#function) ? ::manyrt::cuda::kOutOfMemory : ::manyrt::cuda::table().function(__VA_ARGS__))

// Returns the failure of one call. For calls that cannot tell a device's death: setting up, asking.
#define RT_CUDA_TRY(function, ...)                                                                                        \
  do {                                                                                                                    \
    if (const ::manyrt::cuda::Error rt_cuda_ = RT_CUDA_CALL(function, __VA_ARGS__); rt_cuda_ != ::manyrt::cuda::kSuccess) \
      return ::manyrt::cuda::failure(#function, rt_cuda_);                                                                \
  } while (0)
