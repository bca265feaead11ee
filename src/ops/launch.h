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
// The refusal of `given` arguments, which are another number than the kernel takes: names the first one that is missing.
Status wrongCount(const backend::Kernel& kernel, size_t given);
Status launch(manager::Kernel& kernel, const backend::Launch& launch, uint32_t argument_count, manager::Stream& stream);
// A function of the program with its pointer. The library takes the pointer over where the call succeeds: then `release`, which
// may be null, is called after the last use.
struct UserFunction {
  void* user;
  rtReleaseFunction_t release;
};
Status launchHostFunction(rtHostFunction_t function, UserFunction with, manager::Stream& stream);
// The same for a node of a graph, which owns the pointer: `keep` holds it until the function was called.
Status launchHostFunction(rtHostFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep);
// Calls a native function with a native stream, as every function of the program is called: with no guard and no lock held.
Status callNative(rtNativeFunction_t function, void* user, HandleBits context, const uint64_t native[2]);
Status launchNative(rtNativeFunction_t function, UserFunction with, manager::Stream& stream);
Status launchNative(rtNativeFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep);
// On this thread, outside the guard. RT_NOT_READY: work ahead is held back, and nothing was called.
Status callNativeAtOnce(rtNativeFunction_t function, void* user, manager::Stream& stream, epoch::Guard& guard);

}  // namespace manyrt::ops
