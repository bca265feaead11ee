// The table from CUDA's errors to those of rt.h, and which of them mean that a context is dead.
#include "backends/cuda/error.h"

#include <cstring>

namespace manyrt::cuda {
namespace {

struct Translation {
  Error error;
  rtStatus_t status;
  bool sticky;
};

// Any other error is RT_ERROR_DRIVER, and leaves the context alive.
constexpr Translation kTranslations[] = {
    {kInvalidValue, RT_ERROR_INVALID_VALUE, false},
    {kOutOfMemory, RT_ERROR_OUT_OF_MEMORY, false},
    {3, RT_ERROR_BACKEND_UNAVAILABLE, false},  // initialization failed
    {kUnloading, RT_ERROR_SHUT_DOWN, false},
    {9, RT_ERROR_INVALID_VALUE, false},  // invalid configuration of a launch
    {kInsufficientDriver, RT_ERROR_BACKEND_UNAVAILABLE, false},
    {46, RT_ERROR_BUSY, false},  // devices unavailable
    {98, RT_ERROR_INVALID_IMAGE, false},
    {kNoDevice, RT_ERROR_BACKEND_UNAVAILABLE, false},
    {101, RT_ERROR_INVALID_DEVICE, false},
    {kInvalidImage, RT_ERROR_INVALID_IMAGE, false},
    {kInvalidContext, RT_ERROR_WRONG_CONTEXT, false},
    {kNoBinaryForDevice, RT_ERROR_INVALID_IMAGE, false},
    {214, RT_ERROR_DEVICE_LOST, true},     // uncorrectable memory
    {217, RT_ERROR_NOT_SUPPORTED, false},  // no peer access
    {kInvalidPtx, RT_ERROR_INVALID_IMAGE, false},
    {220, RT_ERROR_DEVICE_LOST, true},  // NVLink
    {221, RT_ERROR_COMPILER_NOT_FOUND, false},
    {222, RT_ERROR_INVALID_IMAGE, false},  // PTX newer than the driver
    {223, RT_ERROR_NOT_SUPPORTED, false},
    {226, RT_ERROR_DEVICE_LOST, true},  // contained memory error
    {300, RT_ERROR_INVALID_IMAGE, false},
    {301, RT_ERROR_NOT_FOUND, false},
    {kInvalidHandle, RT_ERROR_WRONG_CONTEXT, false},  // a resource of another context
    {kNotFound, RT_ERROR_NOT_FOUND, false},
    {kNotReady, RT_NOT_READY, false},
    {700, RT_ERROR_DEVICE_LOST, true},     // illegal address
    {701, RT_ERROR_INVALID_VALUE, false},  // too many resources for a launch
    {702, RT_ERROR_DEVICE_LOST, true},     // a kernel ran too long
    {709, RT_ERROR_DEVICE_LOST, true},     // the context was destroyed
    {710, RT_ERROR_DEVICE_LOST, true},     // assert
    {714, RT_ERROR_DEVICE_LOST, true},
    {715, RT_ERROR_DEVICE_LOST, true},
    {716, RT_ERROR_DEVICE_LOST, true},
    {717, RT_ERROR_DEVICE_LOST, true},
    {718, RT_ERROR_DEVICE_LOST, true},
    {719, RT_ERROR_DEVICE_LOST, true},     // launch failure
    {720, RT_ERROR_INVALID_VALUE, false},  // too large for a cooperative launch
    {721, RT_ERROR_DEVICE_LOST, true},
    {800, RT_ERROR_NOT_SUPPORTED, false},
    {801, RT_ERROR_NOT_SUPPORTED, false},
    {900, RT_ERROR_CAPTURE_UNSAFE, false},
    {901, RT_ERROR_CAPTURE_INVALIDATED, false},
    {906, RT_ERROR_CAPTURE_UNSAFE, false},
};

const Translation* find(Error error) {
  for (const Translation& each : kTranslations) {
    if (each.error == error) return &each;
  }
  return nullptr;
}

}  // namespace

bool isSticky(Error error) {
  const Translation* known = find(error);
  return known != nullptr && known->sticky;
}

bool isOfKernel(Error error) {
  // Errors that only a kernel can have caused: the sentence then says how to find it.
  constexpr Error kIllegalAddress = 700, kTimeout = 702, kFirst = 710, kLast = 719;  // assertion, ..., launch failure
  return error == kIllegalAddress || error == kTimeout || (error >= kFirst && error <= kLast && isSticky(error));
}

// Such an answer may be about the context that was current at the call, and not about the handle that was given.
bool mayBlameCurrent(Error error) { return error == kInvalidContext || error == kInvalidHandle || isSticky(error); }

Status failure(const char* call, Error error) {
  const Translation* known = find(error);
  const Table& cuda = table();
  // A driver that is gone or too old may know no name: the number is told in any case.
  const char* name = nullptr;
  const char* text = nullptr;
  // The runtime has names for all errors, also for those of the driver that it passes on. The driver knows its own.
  if (strncmp(call, "cuda", 4) == 0) {
    name = cuda.cudaGetErrorName(error);
    text = cuda.cudaGetErrorString(error);
    (void)cuda.cudaGetLastError();  // clears it: the program's next query must not report it
  } else if (cuda.cuGetErrorName(error, &name) != kSuccess || cuda.cuGetErrorString(error, &text) != kSuccess) {
    name = text = nullptr;
  }
  return Status::error(known == nullptr ? RT_ERROR_DRIVER : known->status, "%s failed: %s (%s, %d).", call,
                       text != nullptr ? text : "the driver has no text for it", name != nullptr ? name : "unknown", error);
}

}  // namespace manyrt::cuda
