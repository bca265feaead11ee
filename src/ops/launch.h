// Launching kernels, host functions and native calls: the checks of each, then one order to the stream.
#pragma once

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

Status launch(manager::Kernel& kernel, const LaunchArguments& launch, manager::Stream& stream);
Status launchHostFunction(rtHostFunction_t function, void* user, manager::Stream& stream);
Status launchNative(rtNativeFunction_t function, void* user, manager::Stream& stream);

}  // namespace manyrt::ops
