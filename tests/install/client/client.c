/* A C program against the installed package. It fills memory on the default device, lets a kernel from source change it, copies
 * it back and looks at every byte. */
#include <rt.h>
#include <stdio.h>

#define CHECK(call)                                                            \
  do {                                                                         \
    rtStatus_t status = (call);                                                \
    if (status != RT_SUCCESS) {                                                \
      char message[4096] = "";                                                 \
      rtGetLastErrorMessage(message, sizeof message, NULL);                    \
      fprintf(stderr, "%s: %s\n%s\n", #call, rtGetErrorName(status), message); \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static const char kSource[] =
    "__kernel void add(__global uchar* data, uchar amount) {\n"
    "  data[get_global_id(0)] += amount;\n"
    "}\n";

int main(void) {
  unsigned char host[4096];
  void* device = NULL;
  rtStream_t stream = NULL;
  rtModule_t module = NULL;
  rtKernel_t add = NULL;
  unsigned char amount = 3;
  void* args[] = {&device, &amount};
  uint32_t version = 0;
  size_t i;

  CHECK(rtGetVersion(&version));
  if (version != MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH) {
    fprintf(stderr, "The header and the library differ: %u\n", version);
    return 1;
  }
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtMalloc(&device, sizeof host, NULL));
  CHECK(rtMemsetAsync(device, 0x5a, sizeof host, stream));
  CHECK(rtModuleCreateFromSource(&module, kSource, NULL, NULL));
  CHECK(rtModuleGetKernel(&add, "add", module));
  CHECK(rtLaunchKernel(add, sizeof host / 256, 1, 1, 256, 1, 1, 0, stream, args, RT_ARGS_ALL));
  CHECK(rtMemcpyAsync(host, device, sizeof host, RT_MEMCPY_DEFAULT, stream));
  CHECK(rtStreamSynchronize(stream));
  for (i = 0; i < sizeof host; ++i) {
    if (host[i] != 0x5d) {
      fprintf(stderr, "Byte %u is wrong.\n", (unsigned)i);
      return 1;
    }
  }
  CHECK(rtModuleDestroy(module));
  CHECK(rtFree(device));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtShutdown());
  puts("client_c: ok");
  return 0;
}
