// The part of NVRTC's interface that is used here, declared by ourselves, so that no toolkit is needed to build the library.
// Where a toolkit is found, tests/unit/compiler/toolchain/nvrtc_api_check.cpp compares it with nvrtc.h.
#pragma once

#include <cstddef>

namespace manyrt::compiler::nvrtc {

using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 1;
inline constexpr Result kInvalidOption = 5;
inline constexpr Result kCompilation = 6;
inline constexpr Result kBuiltinOperationFailure = 7;

struct ProgramTag;
using Program = ProgramTag*;

// identifier, function, parameters; all but the first return a Result
#define RT_NVRTC_TABLE(X)                                                              \
  X(getErrorString, nvrtcGetErrorString, const char*, (Result))                        \
  X(version, nvrtcVersion, Result, (int*, int*))                                       \
  X(getNumSupportedArchs, nvrtcGetNumSupportedArchs, Result, (int*))                   \
  X(getSupportedArchs, nvrtcGetSupportedArchs, Result, (int*))                         \
  X(createProgram, nvrtcCreateProgram, Result,                                         \
    (Program*, const char*, const char*, int, const char* const*, const char* const*)) \
  X(destroyProgram, nvrtcDestroyProgram, Result, (Program*))                           \
  X(compileProgram, nvrtcCompileProgram, Result, (Program, int, const char* const*))   \
  X(getProgramLogSize, nvrtcGetProgramLogSize, Result, (Program, size_t*))             \
  X(getProgramLog, nvrtcGetProgramLog, Result, (Program, char*))                       \
  X(getPtxSize, nvrtcGetPTXSize, Result, (Program, size_t*))                           \
  X(getPtx, nvrtcGetPTX, Result, (Program, char*))                                     \
  X(getCubinSize, nvrtcGetCUBINSize, Result, (Program, size_t*))                       \
  X(getCubin, nvrtcGetCUBIN, Result, (Program, char*))

struct Table {
#define X(id, symbol, result, parameters) result(*id) parameters = nullptr;
  RT_NVRTC_TABLE(X)
#undef X
};

}  // namespace manyrt::compiler::nvrtc
