// Making modules: every check of a program before it reaches a backend's loader, which may run a compiler for seconds.
#pragma once

#include <vector>

#include "allocator/context_resources.h"
#include "base/clock.h"
#include "base/handles/epoch.h"
#include "base/status.h"
#include "manager/module.h"

namespace manyrt::ops {

// `image` may have the format RT_IMAGE_AUTO. These leave the guard while they read, build and load; the caller has pinned the
// context. Throw bad_alloc.
Status loadModule(manager::Module** module, const backend::Image& image, manager::Context& context,
                  allocator::ContextResources& resources, epoch::Guard& guard);
Status loadModuleFile(manager::Module** module, const char* path, const backend::Image& image, manager::Context& context,
                      allocator::ContextResources& resources, epoch::Guard& guard);

// One of many programs, each of which is text.
struct ModuleToBuild {
  backend::Image image;
  Status status;  // in: a failure if it is not to be built; out: of this program
  manager::Module* module = nullptr;
};
// Builds all, side by side. A failure of one is its own status; what is returned is a failure of all, and then there is no
// module. Leaves the guard as loadModule does. Throws bad_alloc before it has begun.
Status buildModules(std::vector<ModuleToBuild>* wanted, manager::Context& context, allocator::ContextResources& resources,
                    epoch::Guard& guard);

// All fields but struct_size.
void moduleInfo(rtModuleInfo_t* info, const manager::Module& module);

// RT_MODULE_*. Leaves the guard while it blocks.
Status waitModule(manager::Module& module, int32_t state, Deadline deadline, epoch::Guard& guard);

}  // namespace manyrt::ops
