// Modules as handles over the backends' modules, each with the handles of its kernels, which live exactly as long. What is
// in flight keeps the native kernels, and these what they need of the native module.
#pragma once

#include <mutex>
#include <vector>

#include "base/lock_order.h"
#include "manager/child.h"
#include "manager/kernel.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Module : Child {
  Module(Context& owner_context, Ref<allocator::ContextResources> native_owner, Ref<backend::Module> native_module,
         std::vector<HandleBits> kernel_handles)
      : Child(owner_context, std::move(native_owner), true),
        native(std::move(native_module)),
        kernels(std::move(kernel_handles)) {}
  void closeKernels();  // under a guard
  // A variable that the program has asked for is known memory from then on, until the module's handle is closed.
  Status addGlobal(void* address, uint64_t size);  // throws bad_alloc
  void closeGlobals();                             // under a guard

  const Ref<backend::Module> native;
  const std::vector<HandleBits> kernels;  // in the order of the native module's

 private:
  Ranked<std::mutex, LockRank::kModuleGlobals> globals_mutex_;
  bool globals_closed_ = false;
  std::vector<allocator::Region*> globals_;
};

// Under a guard. `source` may be null: it was built from something else. Throws bad_alloc.
Status createModule(Module** module, Context& context, allocator::ContextResources& owner, Ref<backend::Module> native,
                    std::shared_ptr<const KernelSource> source);

}  // namespace manyrt::manager
