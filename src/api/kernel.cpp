// rt.h, chapter "Kernels": checks descriptions of host kernels; ops/launch checks launches. Getters answer from the kernel of
// the backend.
#include "manager/kernel.h"

#include <algorithm>
#include <cstdio>

#include "api/guard.h"
#include "api/structs.h"
#include "base/text.h"
#include "manager/context.h"
#include "manager/device.h"
#include "manager/stream.h"
#include "ops/launch.h"

using namespace manyrt;

namespace {

using backend::kMaxArgumentBytes;
using backend::kMaxArguments;

// Local memory of a launch, without the kernel's own.
Status checkLocalBytes(const manager::Kernel& kernel, uint32_t local_bytes) {
  const uint64_t limit = kernel.limits.local_bytes_per_group, own = kernel.native->ownLocalBytes();
  RT_CHECK_ARG(own <= limit && local_bytes <= limit - own,
               "Local memory of %u bytes is more than a work-group has: %llu, of which the kernel \"%s\" itself uses %llu.",
               local_bytes, static_cast<unsigned long long>(limit), kernel.native->name(),
               static_cast<unsigned long long>(own));
  return Status();
}

Status checkHost(const rtHostKernel_t& host) {
  RT_CHECK_ARG(host.function != nullptr, "The kernel's function is NULL.");
  RT_CHECK_ARG(host.flags == 0, "The flags 0x%x of a kernel are unknown.", host.flags);
  RT_CHECK_ARG(host.arg_count == 0 || host.args != nullptr, "The kernel has %u argument%s; args is NULL.", host.arg_count,
               plural(host.arg_count));
  RT_CHECK_ARG(host.arg_count <= kMaxArguments, "A kernel of %u arguments has too many: at most %u.", host.arg_count,
               kMaxArguments);
  for (uint32_t i = 0; i < host.arg_count; ++i) {
    const rtHostArg_t& argument = host.args[i];
    RT_CHECK_ARG(argument.kind >= RT_ARG_VALUE && argument.kind <= RT_ARG_LOCAL,
                 "Argument %u has the kind %d: RT_ARG_* goes to %d.", i, argument.kind, RT_ARG_LOCAL);
    if (argument.kind == RT_ARG_VALUE) {
      RT_CHECK_ARG(argument.size != 0 && argument.size <= kMaxArgumentBytes, "Argument %u has %u bytes: it has 1 to %u.", i,
                   argument.size, kMaxArgumentBytes);
    } else {
      RT_CHECK_ARG(argument.size == 8, "Argument %u has %u bytes: an address and a local size have 8.", i, argument.size);
    }
  }
  return Status();
}

}  // namespace

rtStatus_t rtKernelCreateFromHost(rtKernel_t* kernel, const rtHostKernel_t* host, rtContext_t context) {
  if (kernel != nullptr) *kernel = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(kernel);
    RT_CHECK_ARG(host != nullptr, "The description \"host\" is NULL.");
    rtHostKernel_t chosen;
    RT_TRY(api::readOptions(&chosen, host, RT_HOST_KERNEL_INIT, "host"));
    RT_TRY(checkHost(chosen));
    api::Creation in;
    RT_TRY(in.open(context));
    manager::Kernel* object = nullptr;
    RT_TRY(manager::createHostKernel(&object, in.context(), in.resources(), chosen));
    *kernel = reinterpret_cast<rtKernel_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtKernelDestroy(rtKernel_t kernel) {
  if (kernel == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    const manager::Kernel* object = manager::kernels.find(toBits(kernel));
    if (object != nullptr && (object->of_module || manager::closeHandle(toBits(kernel)))) return Status();
    return manager::invalidHandle(toBits(kernel), RT_HANDLE_KERNEL, "kernel");
  });
}

rtStatus_t rtKernelGetName(char* buffer, size_t size, size_t* needed, rtKernel_t kernel) {
  if (needed != nullptr) *needed = 0;
  if (buffer != nullptr && size != 0) buffer[0] = '\0';
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Kernel, object, kernels, kernel, RT_HANDLE_KERNEL);
    return api::copyText(buffer, size, needed, object->native->name());
  });
}

rtStatus_t rtKernelGetInfo(rtKernelInfo_t* info, rtKernel_t kernel) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(info, "info", api::firstSizeOf<rtKernelInfo_t>()));
    RT_RESOLVE(Kernel, object, kernels, kernel, RT_HANDLE_KERNEL);
    RT_TRY(object->native->prepare());
    const backend::Kernel& native = *object->native;
    rtKernelInfo_t result = RT_KERNEL_INFO_INIT;
    result.arg_count = static_cast<uint32_t>(native.arguments().size());
    result.max_group_items = native.maxGroupItems();
    result.local_bytes = native.ownLocalBytes();
    result.private_bytes = native.privateBytes();
    if (native.rules() != nullptr) std::copy_n(native.rules()->group, 3, result.required_group_size);
    result.preferred_group_multiple = native.preferredGroupMultiple();
    snprintf(result.name, sizeof result.name, "%s", native.name());
    native.describeCode(&result);
    api::writeResult(info, result);
    return Status();
  });
}

rtStatus_t rtKernelGetArgInfo(rtKernelArgInfo_t* info, uint32_t index, rtKernel_t kernel) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(info, "info", api::firstSizeOf<rtKernelArgInfo_t>()));
    RT_RESOLVE(Kernel, object, kernels, kernel, RT_HANDLE_KERNEL);
    const std::vector<backend::Argument>& arguments = object->native->arguments();
    RT_CHECK_ARG(index < arguments.size(), "There is no argument %u: the kernel \"%s\" takes %zu.", index,
                 object->native->name(), arguments.size());
    rtKernelArgInfo_t result = RT_KERNEL_ARG_INFO_INIT;
    result.index = index;
    result.size = arguments[index].size;
    result.kind = arguments[index].kind;
    if (const backend::Kernel::ArgumentText* text = object->native->argumentText(index)) {
      copyLetters(result.name, sizeof result.name, text->name.c_str());
      copyLetters(result.type_name, sizeof result.type_name, text->type_name.c_str());
      result.qualifiers = text->use.qualifiers;
      result.address_space = text->use.space;
      result.access = text->use.access;
    }
    api::writeResult(info, result);
    return Status();
  });
}

rtStatus_t rtKernelSuggestGroupSize(uint32_t group[3], const uint32_t items[3], uint32_t local_bytes, rtKernel_t kernel) {
  if (group != nullptr) group[0] = group[1] = group[2] = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(group);
    RT_CHECK_ARG(items != nullptr, "The numbers of work-items are NULL.");
    RT_RESOLVE(Kernel, object, kernels, kernel, RT_HANDLE_KERNEL);
    RT_TRY(object->native->prepare());
    const backend::Limits& limits = object->limits;
    RT_TRY(checkLocalBytes(*object, local_bytes));
    if (const backend::LaunchRules* rules = object->native->rules(); rules != nullptr && rules->group[0] != 0) {
      std::copy_n(rules->group, 3, group);
      return Status();
    }
    // Fills x first, since neighbours in x share cache lines. Powers of two, so that few items of the last group are idle.
    uint32_t left = std::min(object->native->maxGroupItems(), 256u);
    uint32_t sizes[3] = {1, 1, 1};
    for (int i = 0; i < 3; ++i) {
      while (sizes[i] * 2 <= left && sizes[i] < items[i] && sizes[i] * 2 <= limits.max_group_size[i]) sizes[i] *= 2;
      left /= sizes[i];
    }
    std::copy(sizes, sizes + 3, group);
    return Status();
  });
}

rtStatus_t rtKernelGetMaxActiveGroups(uint32_t* groups, uint32_t group_size, uint32_t local_bytes, rtKernel_t kernel) {
  if (groups != nullptr) *groups = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(groups);
    RT_RESOLVE(Kernel, object, kernels, kernel, RT_HANDLE_KERNEL);
    RT_TRY(object->native->prepare());
    RT_CHECK_ARG(group_size != 0 && group_size <= object->native->maxGroupItems(),
                 "A work-group of %u work-items: the kernel \"%s\" takes 1 to %u.", group_size, object->native->name(),
                 object->native->maxGroupItems());
    RT_TRY(checkLocalBytes(*object, local_bytes));
    *groups = object->native->maxActiveGroups(group_size, local_bytes);
    return Status();
  });
}

[[gnu::hot]] rtStatus_t rtLaunchKernel(rtKernel_t kernel, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t group_x,
                                       uint32_t group_y, uint32_t group_z, uint32_t local_bytes, rtStream_t stream,
                                       void* const* args, uint32_t arg_count) {
  return api::guardedHot<trace::HotCall::kLaunchKernel>(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_HOT(Kernel, object, kernels, kernel, RT_HANDLE_KERNEL);
    RT_RESOLVE_STREAM(order, stream);
    const backend::Launch launch{{grid_x, grid_y, grid_z}, {group_x, group_y, group_z}, local_bytes, false, args};
    return ops::launch(*object, launch, arg_count, *order);
  });
}

rtStatus_t rtLaunchKernelWithOptions(rtKernel_t kernel, const uint32_t grid[3], const uint32_t group[3], uint32_t local_bytes,
                                     const rtLaunchOptions_t* options, void* const* args, uint32_t arg_count,
                                     rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Kernel, object, kernels, kernel, RT_HANDLE_KERNEL);
    RT_CHECK_ARG(grid != nullptr && group != nullptr, "The grid or the work-group is NULL.");
    rtLaunchOptions_t chosen;
    RT_TRY(api::readOptions(&chosen, options, RT_LAUNCH_OPTIONS_INIT, "options", api::firstSizeOf<rtLaunchOptions_t>()));
    RT_CHECK_ARG((chosen.flags & ~uint32_t{RT_LAUNCH_COOPERATIVE}) == 0 && chosen.reserved == 0,
                 "The flags 0x%x of a launch are unknown.", chosen.flags | chosen.reserved);
    const std::vector<backend::Argument>& arguments = object->native->arguments();
    RT_CHECK_ARG(chosen.arg_sizes != nullptr || chosen.arg_size_count == 0, "%u argument size%s %s given; arg_sizes is NULL.",
                 chosen.arg_size_count, plural(chosen.arg_size_count), were(chosen.arg_size_count));
    RT_CHECK_ARG(chosen.arg_sizes == nullptr || chosen.arg_size_count == arguments.size(),
                 "%u argument size%s %s given; the kernel \"%s\" takes %zu argument%s.", chosen.arg_size_count,
                 plural(chosen.arg_size_count), were(chosen.arg_size_count), object->native->name(), arguments.size(),
                 plural(arguments.size()));
    for (uint32_t i = 0; chosen.arg_sizes != nullptr && i < chosen.arg_size_count; ++i) {
      RT_CHECK_ARG(chosen.arg_sizes[i] == arguments[i].size,
                   "Argument %u has %u bytes in the options and %u in the kernel \"%s\".", i, chosen.arg_sizes[i],
                   arguments[i].size, object->native->name());
    }
    RT_RESOLVE_STREAM(order, stream);
    const backend::Launch launch{{grid[0], grid[1], grid[2]},
                                 {group[0], group[1], group[2]},
                                 local_bytes,
                                 (chosen.flags & RT_LAUNCH_COOPERATIVE) != 0,
                                 args,
                                 {chosen.global_offset[0], chosen.global_offset[1], chosen.global_offset[2]}};
    return ops::launch(*object, launch, arg_count, *order);
  });
}
