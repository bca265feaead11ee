// rt.h, chapter "Modules": reads strings and option structs; ops/module checks and builds programs. Getters answer from the
// module and the module of the backend.
#include "manager/module.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "api/guard.h"
#include "api/structs.h"
#include "manager/context.h"
#include "ops/module.h"
#include "ops/module_image.h"

using namespace manyrt;

namespace {

Status readImage(backend::Image* image, const rtModuleOptions_t* options) {
  rtModuleOptions_t chosen;
  RT_TRY(api::readOptions(&chosen, options, RT_MODULE_OPTIONS_INIT, "options", api::firstSizeOf<rtModuleOptions_t>()));
  RT_CHECK_ARG(chosen.reserved == 0, "The reserved field of the module's options is %u, not 0.", chosen.reserved);
  RT_CHECK_ARG(chosen.flags == 0, "The flags 0x%x of a module are unknown.", chosen.flags);
  RT_CHECK_ARG(chosen.tier >= RT_TIER_DEFAULT && chosen.tier <= RT_TIER_TIERED,
               "The tier %d is none of RT_TIER_DEFAULT (%d) to RT_TIER_TIERED (%d).", chosen.tier, RT_TIER_DEFAULT,
               RT_TIER_TIERED);
  image->tier = chosen.tier;
  image->format = chosen.format;
  image->options = chosen.build_options != nullptr ? chosen.build_options : "";
  image->name = chosen.name != nullptr ? chosen.name : "";
  image->header_count = chosen.header_count;
  image->header_names = chosen.header_names;
  image->headers = chosen.headers;
  return Status();
}

Status load(rtModule_t* module, const backend::Image& image, rtContext_t context, epoch::Guard& guard) {
  api::Creation in;
  RT_TRY(in.open(context));
  manager::Module* object = nullptr;
  RT_TRY(ops::loadModule(&object, image, in.context(), in.resources(), guard));
  *module = reinterpret_cast<rtModule_t>(object->bits);
  return Status();
}

constexpr uint32_t kMaxSources = 1 << 16;

Status readSource(backend::Image* image, const char* source, const rtModuleOptions_t* options) {
  RT_CHECK_ARG(source != nullptr, "The source is NULL.");
  RT_TRY(readImage(image, options));
  image->data = source;
  return Status();
}

// With the place of the source in the array, and how many others failed.
Status firstFailure(const std::vector<ops::ModuleToBuild>& all) {
  const auto failed = [](const ops::ModuleToBuild& each) { return !each.status.ok(); };
  const auto first = std::find_if(all.begin(), all.end(), failed);
  if (first == all.end()) return Status();
  const auto count = static_cast<size_t>(std::count_if(first, all.end(), failed));
  const Status& status = first->status;
  const char* reason = status.message()[0] != '\0' ? status.message() : errorString(status.code());
  char others[64] = "";
  if (count > 1) snprintf(others, sizeof others, ", the first of %zu that failed", count);
  const bool is_named = first->image.name[0] != '\0';
  return Status::error(status.code(), "Source %zu of %zu%s%s%s%s: %s", static_cast<size_t>(first - all.begin()), all.size(),
                       is_named ? " (\"" : "", first->image.name, is_named ? "\")" : "", others, reason);
}

rtKernel_t kernelOf(const manager::Module& module, size_t index) { return reinterpret_cast<rtKernel_t>(module.kernels[index]); }

}  // namespace

rtStatus_t rtModuleCreateFromSource(rtModule_t* module, const char* source, const char* options, rtContext_t context) {
  if (module != nullptr) *module = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(module);
    RT_CHECK_ARG(source != nullptr, "The source is NULL.");
    backend::Image image;
    image.data = source;
    if (options != nullptr) image.options = options;
    return load(module, image, context, guard);
  });
}

rtStatus_t rtModuleCreateFromSources(rtModule_t* module, const char* const* sources, uint32_t count, const char* options,
                                     rtContext_t context) {
  if (module != nullptr) *module = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(module);
    RT_CHECK_ARG(count != 0, "There are no sources: count is 0.");
    RT_CHECK_ARG(count <= kMaxSources, "%u sources are too many: at most %u.", count, kMaxSources);
    RT_CHECK_ARG(sources != nullptr, "There are %u sources; sources is NULL.", count);
    for (uint32_t i = 0; i < count; ++i) RT_CHECK_ARG(sources[i] != nullptr, "Source %u of %u is NULL.", i, count);
    const std::vector<std::string_view> more(sources + 1, sources + count);
    backend::Image image;
    image.data = sources[0];
    image.more_count = count - 1;
    image.more = more.data();
    if (options != nullptr) image.options = options;
    return load(module, image, context, guard);
  });
}

rtStatus_t rtModuleBuildMany(rtModule_t* modules, rtStatus_t* statuses, const char* const* sources, uint32_t count,
                             const rtModuleOptions_t* const* options, rtContext_t context) {
  const bool is_counted = count <= kMaxSources;  // else the arrays are hardly as long
  if (modules != nullptr && is_counted) std::fill_n(modules, count, nullptr);
  bool is_told = false;
  const rtStatus_t result = api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(modules);
    RT_CHECK_ARG(count != 0, "There are no sources: count is 0.");
    RT_CHECK_ARG(is_counted, "%u sources are too many: at most %u.", count, kMaxSources);
    RT_CHECK_ARG(sources != nullptr, "There are %u sources; sources is NULL.", count);
    std::vector<ops::ModuleToBuild> wanted(count);
    for (uint32_t i = 0; i < count; ++i) {
      wanted[i].status = readSource(&wanted[i].image, sources[i], options != nullptr ? options[i] : nullptr);
    }
    api::Creation in;
    RT_TRY(in.open(context));
    RT_TRY(ops::buildModules(&wanted, in.context(), in.resources(), guard));
    for (uint32_t i = 0; i < count; ++i) {
      if (wanted[i].module != nullptr) modules[i] = reinterpret_cast<rtModule_t>(wanted[i].module->bits);
      if (statuses != nullptr) statuses[i] = wanted[i].status.code();
    }
    is_told = true;
    return firstFailure(wanted);
  });
  if (!is_told && statuses != nullptr && is_counted) std::fill_n(statuses, count, result);
  return result;
}

rtStatus_t rtModuleLoadData(rtModule_t* module, const void* image, size_t size, const rtModuleOptions_t* options,
                            rtContext_t context) {
  if (module != nullptr) *module = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(module);
    RT_CHECK_ARG(image != nullptr, "The image is NULL.");
    RT_CHECK_ARG(size != 0, "The image has no bytes: its size is 0.");
    backend::Image given;
    RT_TRY(readImage(&given, options));
    given.data = std::string_view(static_cast<const char*>(image), size);
    return load(module, given, context, guard);
  });
}

rtStatus_t rtModuleLoadFile(rtModule_t* module, const char* path, const rtModuleOptions_t* options, rtContext_t context) {
  if (module != nullptr) *module = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(module);
    RT_CHECK_ARG(path != nullptr, "The path is NULL.");
    backend::Image given;
    RT_TRY(readImage(&given, options));
    api::Creation in;
    RT_TRY(in.open(context));
    manager::Module* object = nullptr;
    RT_TRY(ops::loadModuleFile(&object, path, given, in.context(), in.resources(), guard));
    *module = reinterpret_cast<rtModule_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtModuleGetImage(void* buffer, size_t size, size_t* needed, const rtImageOptions_t* options, rtModule_t module) {
  if (needed != nullptr) *needed = 0;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_ARG(buffer != nullptr || size == 0, "The output \"buffer\" is NULL, its size is %zu.", size);
    rtImageOptions_t chosen;
    RT_TRY(api::readOptions(&chosen, options, RT_IMAGE_OPTIONS_INIT, "options"));
    RT_CHECK_ARG((chosen.flags & ~uint32_t{RT_IMAGE_WITHOUT_SOURCE}) == 0, "The flags 0x%x of an image are unknown.",
                 chosen.flags);
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    std::string bytes;
    RT_TRY(ops::moduleImage(&bytes, *object, chosen.flags, guard));
    if (size != 0) memcpy(buffer, bytes.data(), std::min(size, bytes.size()));
    if (needed != nullptr) *needed = bytes.size();
    return Status();
  });
}

rtStatus_t rtModuleDestroy(rtModule_t module) {
  if (module == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    epoch::collectAfterCall();  // its code is unloaded
    if (manager::modules.find(toBits(module)) != nullptr && manager::closeHandle(toBits(module))) return Status();
    return manager::invalidHandle(toBits(module), RT_HANDLE_MODULE, "module");
  });
}

rtStatus_t rtModuleGetBuildLog(char* buffer, size_t size, size_t* needed, rtModule_t module) {
  if (needed != nullptr) *needed = 0;
  if (buffer != nullptr && size != 0) buffer[0] = '\0';
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    return api::copyText(buffer, size, needed, object->native->buildLog().c_str());
  });
}

rtStatus_t rtModuleGetInfo(rtModuleInfo_t* info, rtModule_t module) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(info, "info"));
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    rtModuleInfo_t result = RT_MODULE_INFO_INIT;
    ops::moduleInfo(&result, *object);
    api::writeResult(info, result);
    return Status();
  });
}

rtStatus_t rtModuleWait(rtModule_t module, int32_t state, uint64_t timeout_ns) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    const Deadline deadline = timeout_ns == RT_TIMEOUT_INFINITE ? Deadline::never() : Deadline::after(timeout_ns);
    return ops::waitModule(*object, state, deadline, guard);
  });
}

rtStatus_t rtModuleGetKernel(rtKernel_t* kernel, const char* name, rtModule_t module) {
  if (kernel != nullptr) *kernel = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(kernel);
    RT_CHECK_ARG(name != nullptr, "The name of the kernel is NULL.");
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    const size_t index = object->native->find(name);
    if (index == object->kernels.size()) {
      return Status::error(RT_ERROR_NOT_FOUND, "The module has no kernel \"%s\". %s", name,
                           object->native->whatItHas().c_str());
    }
    *kernel = kernelOf(*object, index);
    return Status();
  });
}

rtStatus_t rtModuleGetKernelCount(uint32_t* count, rtModule_t module) {
  if (count != nullptr) *count = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(count);
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    *count = static_cast<uint32_t>(object->kernels.size());
    return Status();
  });
}

rtStatus_t rtModuleGetKernelByIndex(rtKernel_t* kernel, uint32_t index, rtModule_t module) {
  if (kernel != nullptr) *kernel = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(kernel);
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    RT_CHECK_ARG(index < object->kernels.size(), "There is no kernel %u: the module has %zu.", index, object->kernels.size());
    *kernel = kernelOf(*object, index);
    return Status();
  });
}

rtStatus_t rtModuleGetGlobal(void** pointer, uint64_t* size, const char* name, rtModule_t module) {
  if (pointer != nullptr) *pointer = nullptr;
  if (size != nullptr) *size = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(pointer);
    RT_CHECK_ARG(name != nullptr, "The name of the global variable is NULL.");
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    void* found = nullptr;
    uint64_t bytes = 0;
    RT_TRY(object->native->global(&found, &bytes, name));
    if (found == nullptr) return Status::error(RT_ERROR_NOT_FOUND, "The module has no global variable \"%s\".", name);
    RT_TRY(object->addGlobal(found, bytes));  // may throw: before the outputs are written
    *pointer = found;
    if (size != nullptr) *size = bytes;
    return Status();
  });
}
