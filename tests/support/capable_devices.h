// The devices on which a suite has something to test. A suite that needs kernels is made for the devices that run them: no test
// of it is skipped anywhere.
#pragma once

#include <string>
#include <vector>

#include "support/device_test.h"

namespace rttest {

// With any of the capabilities.
inline std::vector<std::string> devicesWith(std::initializer_list<int32_t> capabilities) {
  std::vector<std::string> capable;
  for (const std::string& name : deviceNames()) {
    rtDevice_t device = nullptr;
    bool any = false;
    if (rtDeviceGetByName(&device, name.c_str()) != RT_SUCCESS) continue;
    for (const int32_t capability : capabilities) {
      int32_t has = 0;
      any = any || (rtDeviceHasCapability(&has, capability, device) == RT_SUCCESS && has == 1);
    }
    if (any) capable.push_back(name);
  }
  return capable;
}

// Devices that run kernels of any kind; the null device accepts functions of the program and runs none.
inline std::vector<std::string> devicesThatRunKernels() {
  std::vector<std::string> running;
  for (const std::string& name : devicesWith({RT_CAPABILITY_KERNELS, RT_CAPABILITY_HOST_KERNELS})) {
    if (!name.starts_with("null")) running.push_back(name);
  }
  return running;
}

// Devices that take functions of the program as kernels: the CPU runs them, the null device counts them.
inline std::vector<std::string> devicesWithHostKernels() {
  std::vector<std::string> taking;
  for (const std::string& name : deviceNames()) {
    if (name == "cpu" || name.starts_with("null")) taking.push_back(name);
  }
  return taking;
}

}  // namespace rttest
