// Kernels as handles over the backends' kernels. Launches keep the native one; destroying the handle ends only the
// program's part.
#pragma once

#include "manager/child.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Kernel : Child {
  Kernel(Context& owner_context, Ref<allocator::Owner> native_owner, Ref<backend::Kernel> native_kernel)
      : Child(owner_context, std::move(native_owner), true),
        native(std::move(native_kernel)),
        limits(owner->device().limits()) {}

  const Ref<backend::Kernel> native;
  const backend::Limits& limits;  // the device's: every launch is checked against them
};

Status createHostKernel(Kernel** kernel, Context& context, allocator::Owner& owner, const rtHostKernel_t& host);

}  // namespace manyrt::manager
