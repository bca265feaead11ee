// Shared by the parts of the self test: the driver's table as a program gets it, kernels from source, a clean start for each
// test.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "interface.h"
#include "simulated_cuda.h"

struct _nvrtcProgram;
extern "C" {
int nvrtcCreateProgram(_nvrtcProgram** program, const char* text, const char* name, int count, const char* const* headers,
                       const char* const* names);
int nvrtcDestroyProgram(_nvrtcProgram** program);
int nvrtcCompileProgram(_nvrtcProgram* program, int count, const char* const* options);
int nvrtcGetCUBINSize(_nvrtcProgram* program, size_t* size);
int nvrtcGetCUBIN(_nvrtcProgram* program, char* cubin);
int nvrtcGetProgramLogSize(_nvrtcProgram* program, size_t* size);
int nvrtcGetProgramLog(_nvrtcProgram* program, char* log);
int nvrtcAddNameExpression(_nvrtcProgram* program, const char* expression);
int nvrtcGetLoweredName(_nvrtcProgram* program, const char* expression, const char** lowered);
}

namespace manyrt::simulated {

struct Driver {
#define SIMULATED_POINTER(name, version, result, parameters) result(*name) parameters = nullptr;
  RT_CUDA_DRIVER_TABLE(SIMULATED_POINTER)
  RT_CUDA_DRIVER_OPTIONAL_TABLE(SIMULATED_POINTER)
#undef SIMULATED_POINTER

  Driver() {
    int status = -1;
#define SIMULATED_FETCH(name, version, result, parameters)                                                               \
  if (cudaGetDriverEntryPointByVersion("cu" #name, reinterpret_cast<void**>(&name), version, 0, &status) || status != 0) \
    abort();
    RT_CUDA_DRIVER_TABLE(SIMULATED_FETCH)
    RT_CUDA_DRIVER_OPTIONAL_TABLE(SIMULATED_FETCH)
#undef SIMULATED_FETCH
  }
};

inline const Driver& cu() {
  static const Driver driver;
  return driver;
}

struct Build {
  int code = 0;
  std::string log;
  std::vector<char> cubin;
  std::vector<std::string> lowered;
};

inline Build build(const std::string& source, std::vector<const char*> options = {"--gpu-architecture=sm_90"},
                   std::vector<const char*> expressions = {}) {
  Build made;
  _nvrtcProgram* program = nullptr;
  nvrtcCreateProgram(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr);
  for (const char* expression : expressions) nvrtcAddNameExpression(program, expression);
  made.code = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  made.log.resize(size);
  nvrtcGetProgramLog(program, made.log.data());
  made.log.pop_back();
  nvrtcGetCUBINSize(program, &size);
  made.cubin.resize(size);
  if (size != 0) nvrtcGetCUBIN(program, made.cubin.data());
  for (const char* expression : expressions) {
    const char* name = "";
    if (nvrtcGetLoweredName(program, expression, &name) == 0) made.lowered.emplace_back(name);
  }
  nvrtcDestroyProgram(&program);
  return made;
}

class SimulatedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    simulatedCudaReset();
    simulatedCudaDelay(20);
    ASSERT_EQ(cu().DevicePrimaryCtxRetain(&context_, 0), kSuccess);
    ASSERT_EQ(cu().CtxPushCurrent(context_), kSuccess);
    stream_ = makeStream();
  }
  void TearDown() override {
    simulatedCudaDefect("");
    simulatedCudaMendDevice(0);
    simulatedCudaMendDevice(1);
    simulatedCudaDelay(0);
    NativeContext popped = nullptr;
    while (cu().CtxPopCurrent(&popped) == kSuccess) {
    }
    for (int device = 0; device < 2; ++device) {
      while (cu().DevicePrimaryCtxRelease(device) == kSuccess) {
      }
    }
    EXPECT_EQ(simulatedCudaLive("stream"), 0);
    EXPECT_EQ(simulatedCudaLive("device memory"), 0);
    EXPECT_EQ(simulatedCudaLive("module"), 0);
    EXPECT_EQ(simulatedCudaLive("graph"), 0);
    EXPECT_EQ(simulatedCudaLive("executable graph"), 0);
  }

  static NativeStream makeStream() {
    NativeStream stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithPriority(&stream, kStreamNonBlocking, 0), kSuccess);
    return stream;
  }
  static NativeEvent makeEvent(unsigned flags = kEventDisableTiming) {
    NativeEvent event = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&event, flags), kSuccess);
    return event;
  }
  template <class T = int>
  static T* onDevice(size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, count * sizeof(T)), kSuccess);
    return static_cast<T*>(memory);
  }
  template <class T = int>
  static T* pinned(size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(cudaHostAlloc(&memory, count * sizeof(T), kHostAllocPortable), kSuccess);
    return static_cast<T*>(memory);
  }
  template <class T>
  std::vector<T> read(const T* memory, size_t count) {
    std::vector<T> host(count);
    EXPECT_EQ(cudaMemcpyAsync(host.data(), memory, count * sizeof(T), kCopyDefault, stream_), kSuccess);
    return host;
  }
  static DriverAddress address(const void* pointer) { return reinterpret_cast<DriverAddress>(pointer); }

  // The module of a source; fails the test with the log.
  NativeModule load(const std::string& source) {
    const Build made = build(source);
    EXPECT_EQ(made.code, 0) << made.log;
    NativeModule module = nullptr;
    if (made.code == 0) {
      EXPECT_EQ(cu().ModuleLoadDataEx(&module, made.cubin.data(), 0, nullptr, nullptr), kSuccess);
    }
    return module;
  }
  NativeFunction kernel(NativeModule module, const char* name) {
    NativeFunction function = nullptr;
    EXPECT_EQ(cu().ModuleGetFunction(&function, module, name), kSuccess) << name;
    return function;
  }
  Error launch(NativeFunction function, unsigned grid, unsigned block, std::vector<void*> values, unsigned shared = 0) {
    return cu().LaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream_, values.data(), nullptr);
  }

  NativeContext context_ = nullptr;
  NativeStream stream_ = nullptr;
};

}  // namespace manyrt::simulated
