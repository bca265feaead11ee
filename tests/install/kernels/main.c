/* Loads the image that is in it and prints what its kernel makes of 1 to 4. */
#include <rt.h>
#include <stdio.h>

#include "kernels/scale.h"

#define CHECK(call)                                         \
  do {                                                      \
    if ((call) != RT_SUCCESS) {                             \
      char message[1024] = "";                              \
      rtGetLastErrorMessage(message, sizeof message, NULL); \
      fprintf(stderr, "%s\n", message);                     \
      return 1;                                             \
    }                                                       \
  } while (0)

int main(void) {
  int numbers[4] = {1, 2, 3, 4};
  rtDevice_t device;
  rtContext_t context;
  rtModule_t module;
  rtKernel_t kernel;
  rtStream_t stream;
  void* memory;
  void* args[1] = {&memory};
  CHECK(rtDeviceGetByName(&device, "cpu"));
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK(rtStreamCreate(&stream, NULL, context));
  CHECK(rtModuleLoadData(&module, scale_image, scale_image_size, NULL, context));
  CHECK(rtModuleGetKernel(&kernel, "scale", module));
  CHECK(rtMalloc(&memory, sizeof numbers, context));
  CHECK(rtMemcpy(memory, numbers, sizeof numbers, RT_MEMCPY_DEFAULT));
  CHECK(rtLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, stream, args, RT_ARGS_ALL));
  CHECK(rtStreamSynchronize(stream));
  CHECK(rtMemcpy(numbers, memory, sizeof numbers, RT_MEMCPY_DEFAULT));
  printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
  return rtShutdown() == RT_SUCCESS ? 0 : 1;
}
