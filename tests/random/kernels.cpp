// Builds the driver's module. Each kernel takes any number of work-items and any range, so that op.cpp can choose both freely.
#include "random/kernels.h"

#include "random/call_log.h"

namespace rtrandom {
namespace {

constexpr char kSource[] = R"(
kernel void add_constant(global uint* data, uint value, uint count) {
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) data[i] += value;
}
kernel void xor_copy(global uint* dst, global const uint* src, uint mask, uint count) {
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) dst[i] = src[i] ^ mask;
}
kernel void sum(global uint* dst, global const uint* a, global const uint* b, uint count) {
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) dst[i] = a[i] + b[i];
}
kernel void reverse_groups(global uint* data, local uint* scratch) {
  const uint item = get_local_id(0), items = get_local_size(0);
  global uint* mine = data + get_group_id(0) * items;
  scratch[item] = mine[item];
  barrier(CLK_LOCAL_MEM_FENCE);
  mine[item] = scratch[items - 1 - item];
}
)";

void hostKernel(const rtHostGroup_t* group, void* const* args) {
  (void)logOfThread();  // prepares the thread for a crash
  uint32_t* dst = *static_cast<uint32_t* const*>(args[0]);
  const uint32_t* src = *static_cast<const uint32_t* const*>(args[1]);
  const uint32_t mask = *static_cast<const uint32_t*>(args[2]);
  const uint32_t count = *static_cast<const uint32_t*>(args[3]);
  const uint32_t items = group->group_size[0] * group->group_count[0];
  for (uint32_t item = 0; item < group->group_size[0]; ++item) {
    for (uint32_t i = group->group_id[0] * group->group_size[0] + item; i < count; i += items) dst[i] = src[i] ^ mask;
  }
}

}  // namespace

bool hasCapability(rtDevice_t device, int32_t capability) {
  int32_t has = 0;
  OK(rtDeviceHasCapability, &has, capability, device);
  return has != 0;
}

Kernels makeKernels(rtContext_t context, rtDevice_t device) {
  Kernels kernels;
  int32_t backend = 0;
  OK(rtDeviceGetBackend, &backend, nullptr, device);
  kernels.native = hasCapability(device, RT_CAPABILITY_NATIVE_INTEROP);
  if (backend == RT_BACKEND_NULL) return kernels;  // accepts kernels and runs none
  kernels.cooperative = hasCapability(device, RT_CAPABILITY_COOPERATIVE_LAUNCH);
  if (hasCapability(device, RT_CAPABILITY_KERNELS)) {
    OK(rtModuleCreateFromSource, &kernels.module, kSource, nullptr, context);
    OK(rtModuleGetKernel, &kernels.add_constant, "add_constant", kernels.module);
    OK(rtModuleGetKernel, &kernels.xor_copy, "xor_copy", kernels.module);
    OK(rtModuleGetKernel, &kernels.sum, "sum", kernels.module);
    OK(rtModuleGetKernel, &kernels.reverse_groups, "reverse_groups", kernels.module);
  }
  if (hasCapability(device, RT_CAPABILITY_HOST_KERNELS)) {
    const rtHostArg_t args[] = {{8, RT_ARG_POINTER}, {8, RT_ARG_POINTER}, {4, RT_ARG_VALUE}, {4, RT_ARG_VALUE}};
    rtHostKernel_t host = RT_HOST_KERNEL_INIT;
    host.arg_count = 4;
    host.function = hostKernel;
    host.args = args;
    host.name = "xor_copy_on_host";
    OK(rtKernelCreateFromHost, &kernels.host_kernel, &host, context);
  }
  return kernels;
}

void destroyKernels(Kernels* kernels) {
  if (kernels->module != nullptr) OK(rtModuleDestroy, kernels->module);
  if (kernels->host_kernel != nullptr) OK(rtKernelDestroy, kernels->host_kernel);
  *kernels = Kernels{};
}

}  // namespace rtrandom
