// Launches of kernels, host functions and native calls: the checks of each, then one submission to the stream.
#pragma once

#include <memory>

#include "base/status.h"
#include "manager/kernel.h"
#include "manager/stream.h"

namespace manyrt::ops {

// The checks that need no stream: grid, work-group, local memory, whether the launch can be cooperative. launch() makes them
// too.
Status checkLaunch(manager::Kernel& kernel, const backend::Launch& launch);
// The checks of the addresses, and the backend's checks of all values, for later launches, such as those of a graph. NULL is no
// address. Under a guard.
Status checkAddresses(manager::Kernel& kernel, const void* const* values);
Status launch(manager::Kernel& kernel, const backend::Launch& launch, uint32_t argument_count, manager::Stream& stream);
// `keep` is released behind the call of the function.
Status launchHostFunction(rtHostFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep = nullptr);
// Calls a native function with a native stream, as every function of the program is called: with no guard and no lock held.
Status callNative(rtNativeFunction_t function, void* user, HandleBits context, const uint64_t native[2]);
Status launchNative(rtNativeFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep = nullptr);

}  // namespace manyrt::ops
