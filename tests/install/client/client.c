/* A C program against the installed package: fills memory on the default device, copies it back, looks at every byte. */
#include <rt.h>
#include <stdio.h>

#define CHECK(call)                                                 \
  do {                                                              \
    rtStatus_t status = (call);                                     \
    if (status != RT_SUCCESS) {                                     \
      fprintf(stderr, "%s: %s\n", #call, rtGetErrorString(status)); \
      return 1;                                                     \
    }                                                               \
  } while (0)

int main(void) {
  unsigned char host[4096];
  void* device = NULL;
  rtStream_t stream = NULL;
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
  CHECK(rtMemcpyAsync(host, device, sizeof host, RT_MEMCPY_DEFAULT, stream));
  CHECK(rtStreamSynchronize(stream));
  for (i = 0; i < sizeof host; ++i) {
    if (host[i] != 0x5a) {
      fprintf(stderr, "Byte %u is wrong.\n", (unsigned)i);
      return 1;
    }
  }
  CHECK(rtFree(device));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtShutdown());
  puts("client_c: ok");
  return 0;
}
