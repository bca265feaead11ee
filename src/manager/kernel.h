// The handles of kernels. Launches keep the native kernel; destroying the handle ends the program's part alone. A module makes
// and closes the handles of its kernels.
#pragma once

#include <memory>
#include <string>

#include "manager/child.h"
#include "manager/tables.h"

namespace manyrt::manager {

// The source of a module: OpenCL C without headers of its own. Graphs write it to their files and build it again.
struct KernelSource {
  std::string text;
  std::string options;
};

struct Kernel : Child {
  Kernel(Context& owner_context, Ref<allocator::ContextResources> context_resources, Ref<backend::Kernel> native_kernel,
         bool module_kernel, std::shared_ptr<const KernelSource> built_from)
      : Child(owner_context, std::move(context_resources), !module_kernel),
        native(std::move(native_kernel)),
        limits(resources->device().limits()),
        local_end(native->rules() != nullptr || native->ownLocalBytes() > limits.local_bytes_per_group
                      ? 0
                      : limits.local_bytes_per_group - native->ownLocalBytes() + 1),
        refuses_unknown(limits.refuses_unknown || owner_context.strict),
        strict(owner_context.strict),
        of_module(module_kernel),
        source(std::move(built_from)) {}

  const Ref<backend::Kernel> native;
  const backend::Limits& limits;  // the device's: every launch is checked against them
  // A launch with fewer local_bytes needs no check of the kernel's own local memory or rules; 0: every launch needs it.
  const uint64_t local_end;
  const bool refuses_unknown;  // addresses that no region has
  const bool strict;           // also addresses beside live memory: of its context
  const bool of_module;
  const std::shared_ptr<const KernelSource> source;  // its module's; null: an image or a host function
};

Status createHostKernel(Kernel** kernel, Context& context, allocator::ContextResources& resources, const rtHostKernel_t& host);

}  // namespace manyrt::manager
