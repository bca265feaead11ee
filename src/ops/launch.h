// Launching kernels, host functions and native calls: the checks of each, then one order to the stream.
#pragma once

#include <memory>

#include "base/status.h"
#include "manager/kernel.h"
#include "manager/stream.h"

namespace manyrt::ops {

struct LaunchArguments {
  uint32_t grid[3];
  uint32_t group[3];
  uint32_t local_bytes = 0;
  bool cooperative = false;
  void* const* arguments = nullptr;
  uint32_t argument_count = 0;  // or RT_ARGS_ALL
};

// What does not depend on a stream: grid, work-group, local memory, whether the launch can be cooperative. launch() does the
// same.
Status checkLaunch(manager::Kernel& kernel, const LaunchArguments& launch);
// What a launch asks of its addresses, and the backend of all values: for launches that come later, such as those of a graph.
// NULL is no address. Under a guard.
Status checkAddresses(manager::Kernel& kernel, const void* const* values);
Status launch(manager::Kernel& kernel, const LaunchArguments& launch, manager::Stream& stream);
// `keep` is let go of when the function has been called.
Status launchHostFunction(rtHostFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep = nullptr);
// Calls a native function with a native stream, as callbacks of the program are called. Under no guard and no lock.
Status callNative(rtNativeFunction_t function, void* user, HandleBits context, const uint64_t native[2]);
Status launchNative(rtNativeFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep = nullptr);

}  // namespace manyrt::ops
