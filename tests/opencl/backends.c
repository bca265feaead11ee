/* Prints what the library says of OpenCL: available, devices, driver, reason, and each device's name and tier. With "plant" it
 * runs a kernel that writes after its memory, with "race" one whose work-items race: for a device that watches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rt.h"

static const char kPlanted[] =
    "__kernel void plant(__global uint* out) { out[64 + get_global_id(0)] = 1; }\n"
    "__kernel void race(__global uint* out) { out[0] = get_global_id(0); }\n";

static int run(const char* name) {
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtStream_t stream = NULL;
  rtModule_t module = NULL;
  rtKernel_t kernel = NULL;
  void* memory = NULL;
  void* arguments[] = {&memory};
  if (rtDeviceGetByName(&device, "opencl:0") != RT_SUCCESS || rtContextCreate(&context, NULL, device) != RT_SUCCESS ||
      rtStreamCreate(&stream, NULL, context) != RT_SUCCESS ||
      rtModuleCreateFromSource(&module, kPlanted, NULL, context) != RT_SUCCESS ||
      rtModuleGetKernel(&kernel, name, module) != RT_SUCCESS || rtMalloc(&memory, 256, context) != RT_SUCCESS ||
      rtLaunchKernel(kernel, 2, 1, 1, 4, 1, 1, 0, stream, arguments, 1) != RT_SUCCESS ||
      rtStreamSynchronize(stream) != RT_SUCCESS) {
    char message[1024] = "";
    (void)rtGetLastErrorMessage(message, sizeof message, NULL);
    printf("failed: %s\n", message);
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
  int32_t i;
  if (argc > 1) return run(argv[1]);
  if (rtBackendGetInfo(&info, RT_BACKEND_OPENCL) != RT_SUCCESS) return 1;
  printf("available %" PRId32 "\ndevices %" PRId32 "\ndriver %s\nreason %s\n", info.available, info.device_count,
         info.driver_name, info.reason);
  for (i = 0; i < info.device_count; ++i) {
    rtDevice_t device = NULL;
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    if (rtDeviceGet(&device, RT_BACKEND_OPENCL, i) != RT_SUCCESS) return 1;
    if (rtDeviceGetProperties(&properties, device) != RT_SUCCESS) return 1;
    printf("device %s, tier %" PRId32 "\n", properties.name, properties.memory_tier);
  }
  return 0;
}
