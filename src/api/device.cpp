// rt.h, chapter "Backends and devices": what there is and what it can do.
// Reads what the device manager has found; creates no context.
#include "manager/device.h"

#include "api/guard.h"
#include "api/structs.h"
#include "ops/wait.h"

using namespace manyrt;

rtStatus_t rtBackendGetInfo(rtBackendInfo_t* info, int32_t backend) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(info, "info"));
    rtBackendInfo_t result = RT_BACKEND_INFO_INIT;
    RT_TRY(manager::backendInfo(&result, backend));
    api::writeResult(info, result);
    return Status();
  });
}

rtStatus_t rtDeviceGetCount(int32_t* count, int32_t backend) {
  if (count != nullptr) *count = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(count);
    int32_t found = manager::deviceCount(backend);
    RT_CHECK_ARG(found >= 0, "%d is not a backend: RT_BACKEND_* goes from %d to %d.", backend, RT_BACKEND_ALL, RT_BACKEND_NULL);
    *count = found;
    return Status();
  });
}

rtStatus_t rtDeviceGet(rtDevice_t* device, int32_t backend, int32_t ordinal) {
  if (device != nullptr) *device = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(device);
    manager::Device* object = nullptr;
    RT_TRY(manager::getDevice(&object, backend, ordinal));
    *device = reinterpret_cast<rtDevice_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtDeviceGetByName(rtDevice_t* device, const char* name) {
  if (device != nullptr) *device = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(device);
    manager::Device* object = nullptr;
    RT_TRY(manager::getDeviceByName(&object, name));
    *device = reinterpret_cast<rtDevice_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtDeviceGetBackend(int32_t* backend, int32_t* ordinal, rtDevice_t device) {
  if (backend != nullptr) *backend = 0;
  if (ordinal != nullptr) *ordinal = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(backend);
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    *backend = object->backend;
    if (ordinal != nullptr) *ordinal = object->ordinal;
    return Status();
  });
}

rtStatus_t rtDeviceGetProperties(rtDeviceProperties_t* properties, rtDevice_t device) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(properties, "properties"));
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    const rtDeviceProperties_t* known = nullptr;
    RT_TRY(object->native.properties(&known));
    api::writeResult(properties, *known);
    return Status();
  });
}

namespace {

// DLDeviceType of DLPack's header.
int64_t dlpackType(int32_t backend) {
  constexpr int64_t kCpu = 1, kCuda = 2, kOpenCl = 4, kExtension = 12;
  switch (backend) {
    case RT_BACKEND_CPU:
      return kCpu;
    case RT_BACKEND_CUDA:
      return kCuda;
    case RT_BACKEND_OPENCL:
      return kOpenCl;
    default:
      return kExtension;
  }
}

// Sizes and speeds that are 0 in rtDeviceProperties_t where a driver does not tell them. A 0 of any other attribute is its
// value.
bool mayBeUntold(int32_t attribute) {
  return attribute == RT_ATTRIBUTE_CLOCK_MHZ ||
         (attribute >= RT_ATTRIBUTE_CACHE_LINE_BYTES && attribute <= RT_ATTRIBUTE_L3_BYTES);
}

}  // namespace

rtStatus_t rtDeviceGetAttribute(int64_t* value, int32_t attribute, rtDevice_t device) {
  if (value != nullptr) *value = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(value);
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    RT_CHECK_ARG(attribute >= 0 && attribute <= RT_ATTRIBUTE_DLPACK_ID, "%d is no attribute: RT_ATTRIBUTE_* goes to %d.",
                 attribute, RT_ATTRIBUTE_DLPACK_ID);
    if (attribute == RT_ATTRIBUTE_DLPACK_TYPE) return *value = dlpackType(object->backend), Status();
    if (attribute == RT_ATTRIBUTE_DLPACK_ID) return *value = object->ordinal, Status();
    if (attribute >= RT_ATTRIBUTE_NUMA_NODES) return object->native.attribute(value, attribute);
    const rtDeviceProperties_t* known = nullptr;
    RT_TRY(object->native.properties(&known));
    const rtDeviceProperties_t& p = *known;
    // In the order of RT_ATTRIBUTE_*.
    const int64_t values[] = {p.kind,
                              p.compute_units,
                              p.clock_mhz,
                              p.simd_width,
                              p.max_group_items,
                              p.max_group_size[0],
                              p.max_group_size[1],
                              p.max_group_size[2],
                              static_cast<int64_t>(p.max_grid_size[0]),
                              static_cast<int64_t>(p.max_grid_size[1]),
                              static_cast<int64_t>(p.max_grid_size[2]),
                              static_cast<int64_t>(p.memory_bytes),
                              static_cast<int64_t>(p.max_allocation_bytes),
                              static_cast<int64_t>(p.cache_line_bytes),
                              static_cast<int64_t>(p.l1_bytes),
                              static_cast<int64_t>(p.l2_bytes),
                              static_cast<int64_t>(p.l3_bytes),
                              static_cast<int64_t>(p.local_bytes_per_group),
                              p.unified_memory,
                              p.memory_tier,
                              p.priority_least,
                              p.priority_greatest};
    static_assert(sizeof values / sizeof values[0] == RT_ATTRIBUTE_NUMA_NODES);
    if (values[attribute] == 0 && mayBeUntold(attribute)) {
      return Status::error(RT_ERROR_NOT_SUPPORTED,
                           "The driver of %s does not tell this attribute, or the device has no such thing.", p.id);
    }
    *value = values[attribute];
    return Status();
  });
}

rtStatus_t rtDeviceHasCapability(int32_t* has, int32_t capability, rtDevice_t device) {
  if (has != nullptr) *has = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(has);
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    RT_CHECK_ARG(capability >= 0 && capability <= RT_CAPABILITY_SUBGROUPS, "%d is no capability: RT_CAPABILITY_* goes to %d.",
                 capability, RT_CAPABILITY_SUBGROUPS);
    *has = object->native.has(capability) ? 1 : 0;
    return Status();
  });
}

rtStatus_t rtDeviceGetMemInfo(uint64_t* free_bytes, uint64_t* total_bytes, rtDevice_t device) {
  if (free_bytes != nullptr) *free_bytes = 0;
  if (total_bytes != nullptr) *total_bytes = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    uint64_t free_now = 0, total = 0;
    RT_TRY(object->native.memInfo(&free_now, &total));
    if (free_bytes != nullptr) *free_bytes = free_now;
    if (total_bytes != nullptr) *total_bytes = total;
    return Status();
  });
}

rtStatus_t rtDeviceCanAccessPeer(int32_t* can, rtDevice_t peer, rtDevice_t device) {
  if (can != nullptr) *can = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(can);
    RT_RESOLVE(Device, other, devices, peer, RT_HANDLE_DEVICE);
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    *can = object->native.canAccess(other->native) ? 1 : 0;
    return Status();
  });
}

rtStatus_t rtDeviceSynchronize(rtDevice_t device) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    return ops::synchronize(*object, guard);
  });
}

rtStatus_t rtDeviceGetStatus(rtStatus_t* status, rtDevice_t device) {
  if (status != nullptr) *status = RT_SUCCESS;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(status);
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    *status = object->native.isLost() ? RT_ERROR_DEVICE_LOST : RT_SUCCESS;
    return Status();
  });
}

rtStatus_t rtDeviceGetLossMessage(char* buffer, size_t size, size_t* needed, rtDevice_t device) {
  if (needed != nullptr) *needed = 0;
  if (buffer != nullptr && size != 0) buffer[0] = '\0';
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    return api::copyText(buffer, size, needed, object->native.lost().message());
  });
}
