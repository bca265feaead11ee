// Everything that this library hands out under CUDA's names, declared from the backend's own tables. So a definition with
// another signature is a compile error, a missing one a link error. Also the codes of errors, which the runtime and the driver
// share.
#pragma once

#include "backends/cuda/declarations.h"

#define SIMULATED_EXPORT __attribute__((visibility("default")))

namespace manyrt::simulated {

using namespace manyrt::cuda;

// Code, name of the runtime, name of the driver, text.
#define SIMULATED_CUDA_ERRORS(X)                                                                                               \
  X(kSuccess, 0, "cudaSuccess", "CUDA_SUCCESS", "no error")                                                                    \
  X(kInvalidValue, 1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument")                                 \
  X(kMemoryAllocation, 2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory")                            \
  X(kNotInitialized, 3, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED", "initialization error")                  \
  X(kUnloading, 4, "cudaErrorCudartUnloading", "CUDA_ERROR_DEINITIALIZED", "driver shutting down")                             \
  X(kInvalidPitch, 12, "cudaErrorInvalidPitchValue", "", "invalid pitch argument")                                             \
  X(kInvalidCopyKind, 21, "cudaErrorInvalidMemcpyDirection", "", "invalid copy direction for memcpy")                          \
  X(kNoDevice, 100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected")                         \
  X(kInvalidDevice, 101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal")                      \
  X(kInvalidImage, 200, "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid")           \
  X(kInvalidContext, 201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT", "invalid device context")              \
  X(kNoBinary, 209, "cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU",                                         \
    "no kernel image is available for execution on the device")                                                                \
  X(kEccUncorrectable, 214, "cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE",                                       \
    "uncorrectable ECC error encountered")                                                                                     \
  X(kInvalidPtx, 218, "cudaErrorInvalidPtx", "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed")                         \
  X(kUnsupportedPtx, 222, "cudaErrorUnsupportedPtxVersion", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",                              \
    "the provided PTX was compiled with an unsupported toolchain.")                                                            \
  X(kInvalidHandle, 400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle")             \
  X(kNotFound, 500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found")                               \
  X(kNotReady, 600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready")                                           \
  X(kIllegalAddress, 700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered") \
  X(kOutOfResources, 701, "cudaErrorLaunchOutOfResources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",                               \
    "too many resources requested for launch")                                                                                 \
  X(kPeerEnabled, 704, "cudaErrorPeerAccessAlreadyEnabled", "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",                          \
    "peer access is already enabled")                                                                                          \
  X(kContextDestroyed, 709, "cudaErrorContextIsDestroyed", "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed")          \
  X(kAssert, 710, "cudaErrorAssert", "CUDA_ERROR_ASSERT", "device-side assert triggered")                                      \
  X(kHostRegistered, 712, "cudaErrorHostMemoryAlreadyRegistered", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",                 \
    "part or all of the requested memory range is already mapped")                                                             \
  X(kHostNotRegistered, 713, "cudaErrorHostMemoryNotRegistered", "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",                      \
    "pointer does not correspond to a registered memory region")                                                               \
  X(kMisalignedAddress, 716, "cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address")              \
  X(kLaunchFailure, 719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure")                   \
  X(kCooperativeTooLarge, 720, "cudaErrorCooperativeLaunchTooLarge", "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",                \
    "too many blocks in cooperative launch")                                                                                   \
  X(kNotPermitted, 800, "cudaErrorNotPermitted", "CUDA_ERROR_NOT_PERMITTED", "operation not permitted")                        \
  X(kNotSupported, 801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported")                        \
  X(kCaptureUnsafe, 900, "cudaErrorStreamCaptureUnsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",                         \
    "operation not permitted when stream is capturing")                                                                        \
  X(kCaptureInvalidated, 901, "cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",                    \
    "operation failed due to a previous error during capture")                                                                 \
  X(kUnknown, 999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error")

enum : Error {
#define SIMULATED_CODE(constant, code, runtime, driver, text) constant = code,
  SIMULATED_CUDA_ERRORS(SIMULATED_CODE)
#undef SIMULATED_CODE
};

namespace driver {
#define SIMULATED_DECLARE(name, version, result, parameters) result name parameters;
RT_CUDA_DRIVER_TABLE(SIMULATED_DECLARE)
RT_CUDA_DRIVER_OPTIONAL_TABLE(SIMULATED_DECLARE)
#undef SIMULATED_DECLARE
}  // namespace driver

extern "C" {
#define SIMULATED_DECLARE(name, result, parameters) SIMULATED_EXPORT result cuda##name parameters;
RT_CUDA_RUNTIME_TABLE(SIMULATED_DECLARE)
#undef SIMULATED_DECLARE
SIMULATED_EXPORT Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags, int* status);
SIMULATED_EXPORT Error cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                        unsigned long long flags, int* status);
}

}  // namespace manyrt::simulated
