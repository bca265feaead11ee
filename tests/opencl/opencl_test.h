// Shared parts of the tests of the OpenCL backend: a fixture over OpenCL's devices, and one for kernels from a source.
#pragma once

#include <string>
#include <vector>

#include "backends/opencl/error.h"
#include "support/device_test.h"
#include "support/portable_kernels.h"

namespace rttest {

inline std::vector<std::string> openClDevices() {
  std::vector<std::string> names;
  int32_t count = 0;
  if (rtDeviceGetCount(&count, RT_BACKEND_OPENCL) != RT_SUCCESS) return names;
  for (int32_t i = 0; i < count; ++i) names.push_back("opencl:" + std::to_string(i));
  return names;
}

class OpenClDeviceTest : public DeviceTest {
 protected:
  bool inBuffers() const { return attribute(RT_ATTRIBUTE_MEMORY_TIER) == RT_MEMORY_TIER_BUFFER; }
  // The kernel of that name from a source; null after a failure.
  rtKernel_t kernelOf(const char* source, const char* name) {
    rtKernel_t found = nullptr;
    EXPECT_RT_OK(rtModuleCreateFromSource(module_.out(), source, nullptr, context_));
    EXPECT_RT_OK(rtModuleGetKernel(&found, name, module_));
    return found;
  }
  void TearDown() override {
    EXPECT_RT_OK(module_.reset());
    DeviceTest::TearDown();
  }
  Module module_;
};

}  // namespace rttest
