// Creates host kernels: the backend prepares the function, the table opens a handle in the context.
#include "manager/kernel.h"

#include "manager/create.h"

namespace manyrt::manager {

Status createHostKernel(Kernel** kernel, Context& context, allocator::ContextResources& owner, const rtHostKernel_t& host) {
  Ref<backend::Kernel> native;
  RT_TRY(owner.native().createHostKernel(&native, host));
  return createChild(kernel, kernels, context, Ref<allocator::ContextResources>(&owner), std::move(native), false, nullptr);
}

}  // namespace manyrt::manager
