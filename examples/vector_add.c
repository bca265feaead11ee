/* SPDX-License-Identifier: Apache-2.0
 *
 * vector_add: the first program of every runtime. Two vectors go to the device, a kernel adds them, the sum comes back. */
#include "common.h"

enum { kCount = 1000000, kGroup = 256 };

/* A kernel is written in OpenCL C 1.2 and built for the device when the program runs. Each work-item adds one pair; work-items
 * form groups of kGroup, and the last group may reach beyond the end. */
static const char kSource[] =
    "__kernel void add(__global const float* a, __global const float* b, __global float* sum, uint count) {\n"
    "  const uint i = get_global_id(0);\n"
    "  if (i < count) sum[i] = a[i] + b[i];\n"
    "}\n";

int main(void) {
  const size_t size = kCount * sizeof(float);

  /* Pinned host memory, so that copies need not block. One block holds a, b and the sum. */
  void* host = NULL;
  void* device = NULL;
  CHECK(rtMallocHost(&host, 3 * size, NULL));
  CHECK(rtMalloc(&device, 3 * size, NULL));
  float* host_a = host;
  float* host_b = host_a + kCount;
  float* host_sum = host_b + kCount;
  float* a = device; /* addresses of device memory allow arithmetic on every backend */
  float* b = a + kCount;
  float* sum = b + kCount;
  for (int i = 0; i < kCount; ++i) {
    host_a[i] = (float)i;
    host_b[i] = (float)(kCount - i);
  }

  /* Everything on a stream runs in order and returns at once; the last call waits. */
  rtStream_t stream = NULL;
  rtModule_t module = NULL;
  rtKernel_t add = NULL;
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtModuleCreateFromSource(&module, kSource, NULL, NULL));
  CHECK(rtModuleGetKernel(&add, "add", module));
  CHECK(rtMemcpyAsync(a, host_a, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(rtMemcpyAsync(b, host_b, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
  uint32_t count = kCount;
  void* args[] = {&a, &b, &sum, &count}; /* where the values are; they are copied */
  CHECK(rtLaunchKernel(add, (kCount + kGroup - 1) / kGroup, 1, 1, kGroup, 1, 1, 0, stream, args, RT_ARGS_ALL));
  CHECK(rtMemcpyAsync(host_sum, sum, size, RT_MEMCPY_DEVICE_TO_HOST, stream));
  CHECK(rtStreamSynchronize(stream));

  for (int i = 0; i < kCount; ++i) EXPECT(host_sum[i] == (float)kCount);
  printf("%d sums, all %.0f\n", kCount, (double)host_sum[0]);
  printf("%.0f + %.0f = %.0f\n", (double)host_a[12345], (double)host_b[12345], (double)host_sum[12345]);

  CHECK(rtModuleDestroy(module)); /* its kernels end with it */
  CHECK(rtStreamDestroy(stream));
  CHECK(rtFree(device));
  CHECK(rtFree(host));
  return EXIT_SUCCESS;
}
