// The handles of modules. Each has the handles of its kernels, which live exactly as long. Work in flight keeps the native
// kernels, and these keep the parts of the native module that they need.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/lock_order.h"
#include "manager/child.h"
#include "manager/kernel.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Module : Child {
  Module(Context& owner_context, Ref<allocator::ContextResources> context_resources, Ref<backend::Module> native_module,
         std::vector<HandleBits> kernel_handles, std::string module_name, uint64_t nanoseconds, std::string source_data)
      : Child(owner_context, std::move(context_resources), true),
        native(std::move(native_module)),
        kernels(std::move(kernel_handles)),
        name(std::move(module_name)),
        load_ns(nanoseconds),
        source(std::move(source_data)) {}
  void closeKernels();  // under a guard
  // Makes a variable known memory, from the program's first question about it until the module's handle is closed.
  Status addGlobal(void* address, uint64_t size);  // throws bad_alloc
  void closeGlobals();                             // under a guard

  const Ref<backend::Module> native;
  const std::vector<HandleBits> kernels;  // in the order of the native module's
  const std::string name;                 // in messages
  const uint64_t load_ns;                 // of building and loading
  const std::string source;               // data of a source part (backends/module_image.h); empty: it is not known

 private:
  Ranked<std::mutex, LockRank::kModuleGlobals> globals_mutex_;
  bool globals_closed_ = false;
  std::vector<allocator::Region*> globals_;
};

// How the module was loaded.
struct Loaded {
  Ref<backend::Module> native;
  std::string name;
  uint64_t nanoseconds = 0;
  std::string source;  // as Module has it
};

// Under a guard. `source` may be null: the module was not built from such a source. Throws bad_alloc.
Status createModule(Module** module, Context& context, allocator::ContextResources& resources, Loaded loaded,
                    std::shared_ptr<const KernelSource> source);

}  // namespace manyrt::manager
