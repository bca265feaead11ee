// Creating modules: the kernels' handles first, so that a module which anybody can name is complete.
#include "manager/module.h"

#include "manager/create.h"
#include "manager/kernel.h"

namespace manyrt::manager {
namespace {

struct Handles {  // of kernels that are closed again if their module cannot be made
  std::vector<HandleBits> bits;
  ~Handles() {
    for (HandleBits each : bits) closeHandle(each);
  }
};

}  // namespace

void Module::closeKernels() {
  for (HandleBits each : kernels) closeHandle(each);
}

Status createModule(Module** module, Context& context, allocator::Owner& owner, Ref<backend::Module> native,
                    std::shared_ptr<const KernelSource> source) {
  Handles made;
  made.bits.reserve(native->kernels().size());
  for (const Ref<backend::Kernel>& each : native->kernels()) {
    Kernel* kernel = nullptr;
    RT_TRY(createChild(&kernel, kernels, context, Ref<allocator::Owner>(&owner), each, true, source));
    made.bits.push_back(kernel->bits);
  }
  RT_TRY(createChild(module, modules, context, Ref<allocator::Owner>(&owner), std::move(native), made.bits));
  made.bits.clear();
  return Status();
}

}  // namespace manyrt::manager
