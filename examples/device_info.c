/* SPDX-License-Identifier: Apache-2.0
 *
 * device_info: which backends and devices there are, why a backend is missing, and what each device can do. */
#include <inttypes.h>

#include "common.h"

static const struct {
  int32_t index;
  const char* name;
} kCapabilities[] = {
    {RT_CAPABILITY_KERNELS, "kernels"},
    {RT_CAPABILITY_HOST_KERNELS, "host kernels"},
    {RT_CAPABILITY_SHARED_MEMORY, "shared memory"},
    {RT_CAPABILITY_COOPERATIVE_LAUNCH, "cooperative launch"},
    {RT_CAPABILITY_TIMING, "timing"},
    {RT_CAPABILITY_NATIVE_INTEROP, "native interop"},
    {RT_CAPABILITY_DOUBLE, "double"},
    {RT_CAPABILITY_HALF, "half"},
    {RT_CAPABILITY_HOST_REGISTER, "host register"},
    {RT_CAPABILITY_STREAM_PRIORITIES, "stream priorities"},
    {RT_CAPABILITY_SUBGROUPS, "sub-groups"},
};

static void showBackend(int32_t backend, int32_t* devices) {
  rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
  CHECK(rtBackendGetInfo(&info, backend));
  if (info.available) {
    printf("%-7s %d device%s, %s %s\n", info.name, info.device_count, info.device_count == 1 ? "" : "s", info.driver_name,
           info.driver_version);
    *devices += info.device_count;
  } else {
    printf("%-7s unavailable: %s\n", info.name, info.reason);
  }
}

static void showDevice(rtDevice_t device) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  CHECK(rtDeviceGetProperties(&properties, device));
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
  CHECK(rtDeviceGetMemInfo(&free_bytes, &total_bytes, device));

  printf("\n%s: %s\n", properties.id, properties.name);
  printf("  vendor          %s, driver %s\n", properties.vendor, properties.driver_version);
  printf("  architecture    %s, %" PRIu32 " compute units, SIMD width %" PRIu32 "\n", properties.architecture,
         properties.compute_units, properties.simd_width);
  printf("  memory          %.1f GiB, %.1f free, largest allocation %.1f\n", (double)total_bytes / (double)(1u << 30),
         (double)free_bytes / (double)(1u << 30), (double)properties.max_allocation_bytes / (double)(1u << 30));
  const uint64_t caches[] = {properties.l1_bytes, properties.l2_bytes, properties.l3_bytes};
  for (int level = 0; level < 3; ++level) { /* 0: the driver does not tell it */
    if (caches[level] != 0) printf("  L%d cache        %" PRIu64 " KiB\n", level + 1, caches[level] >> 10);
  }
  printf("  work-group      %" PRIu32 " items, %" PRIu64 " KiB of local memory\n", properties.max_group_items,
         properties.local_bytes_per_group >> 10);
  printf("  can do         ");
  const char* separator = "";
  for (size_t i = 0; i < sizeof kCapabilities / sizeof kCapabilities[0]; ++i) {
    int32_t has = 0;
    CHECK(rtDeviceHasCapability(&has, kCapabilities[i].index, device));
    if (!has) continue;
    printf("%s %s", separator, kCapabilities[i].name);
    separator = ",";
  }
  printf("\n");

  rtDevice_t same = NULL; /* the id names the device: RT_DEVICE=cpu makes it the default */
  CHECK(rtDeviceGetByName(&same, properties.id));
  EXPECT(same == device);
  EXPECT(properties.name[0] != '\0' && properties.compute_units > 0 && total_bytes >= free_bytes);
}

int main(void) {
  uint32_t version = 0;
  CHECK(rtGetVersion(&version));
  printf("manyrt %" PRIu32 ".%" PRIu32 ".%" PRIu32 "\n\n", version / 10000, version / 100 % 100, version % 100);

  int32_t available = 0;
  for (int32_t backend = RT_BACKEND_CPU; backend <= RT_BACKEND_OPENCL; ++backend) showBackend(backend, &available);

  int32_t count = 0;
  CHECK(rtDeviceGetCount(&count, RT_BACKEND_ALL));
  EXPECT(count == available);
  for (int32_t i = 0; i < count; ++i) {
    rtDevice_t device = NULL;
    CHECK(rtDeviceGet(&device, RT_BACKEND_ALL, i));
    showDevice(device);
  }

  rtDevice_t best = NULL;
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  CHECK(rtDeviceGetByName(&best, NULL));
  CHECK(rtDeviceGetProperties(&properties, best));
  printf("\nDefault device: %s\n", properties.id);
  return EXIT_SUCCESS;
}
