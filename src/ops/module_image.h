// Images of modules: which part of one becomes the module, and what an image of a module has in it. docs/design/images.md.
#pragma once

#include <memory>
#include <string>

#include "backends/module.h"
#include "base/handles/epoch.h"
#include "base/status.h"
#include "manager/context.h"
#include "manager/module.h"

namespace manyrt::ops {

// Outside guards. `given` has the format RT_IMAGE_MANYRT. `made` gets the native module, its name, and the source that is in
// the image; `source` the same for graph files, where they take it. INVALID_IMAGE: damaged; NOT_SUPPORTED: nothing in it suits.
// Throws bad_alloc.
Status loadFromImage(manager::Loaded* made, std::shared_ptr<manager::KernelSource>* source, const backend::Image& given,
                     backend::ModuleLoader& loader, const manager::Context& context);

// Every check of a program before a loader gets it (module.cpp).
Status checkImage(backend::Image* image, const backend::ModuleLoader& loader, const manager::Context& context);

// `flags`: of RT_IMAGE_WITHOUT_SOURCE. Leaves the guard while optimised code is awaited. Throws bad_alloc.
Status moduleImage(std::string* bytes, manager::Module& module, uint32_t flags, epoch::Guard& guard);

}  // namespace manyrt::ops
