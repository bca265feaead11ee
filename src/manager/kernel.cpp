// Creates host kernels: the backend prepares the function, the table opens a handle in the context.
#include "manager/kernel.h"

#include "manager/create.h"
#include "manager/device.h"

namespace manyrt::manager {

Status createHostKernel(Kernel** kernel, Context& context, allocator::ContextResources& resources, const rtHostKernel_t& host) {
  backend::HostKernels* maker = resources.native().hostKernels();
  if (maker == nullptr) {
    return Status::error(
        RT_ERROR_NOT_SUPPORTED,
        "The kernel \"%s\" is a function of the program, which the device %s cannot run (RT_CAPABILITY_HOST_KERNELS is 0).",
        host.name != nullptr ? host.name : "", context.device->name().c_str());
  }
  Ref<backend::Kernel> native;
  RT_TRY(maker->create(&native, host));
  return createChild(kernel, kernels, context, Ref<allocator::ContextResources>(&resources), std::move(native), false, nullptr);
}

}  // namespace manyrt::manager
