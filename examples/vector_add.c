/* SPDX-License-Identifier: Apache-2.0
 *
 * vector_add: the first program of every runtime. Two vectors go to the device, a kernel adds them, the sum comes back. */
#include "common.h"

enum { kCount = 1 << 20, kGroup = 1024 };

/* A kernel is a C function that is called once for each work-group and loops over the work-items of it. args[i] points to the
 * value of argument i. */
static void addKernel(const rtHostGroup_t* group, void* const* args) {
  const float* a = *(float* const*)args[0];
  const float* b = *(float* const*)args[1];
  float* sum = *(float* const*)args[2];
  const uint32_t count = *(const uint32_t*)args[3];

  const uint32_t first = group->group_id[0] * group->group_size[0];
  for (uint32_t item = 0; item < group->group_size[0]; ++item) {
    const uint32_t i = first + item;
    if (i < count) sum[i] = a[i] + b[i]; /* the last group may reach beyond the end */
  }
}

static rtKernel_t createAddKernel(void) {
  const rtHostArg_t args[] = {{8, RT_ARG_POINTER}, {8, RT_ARG_POINTER}, {8, RT_ARG_POINTER}, {sizeof(uint32_t), RT_ARG_VALUE}};
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = addKernel;
  host.name = "add";
  host.args = args;
  host.arg_count = 4;
  rtKernel_t kernel = NULL;
  CHECK(rtKernelCreateFromHost(&kernel, &host, NULL));
  return kernel;
}

int main(void) {
  useCpuDevice();
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
  rtKernel_t add = createAddKernel();
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtMemcpyAsync(a, host_a, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(rtMemcpyAsync(b, host_b, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
  uint32_t count = kCount;
  void* args[] = {&a, &b, &sum, &count};
  CHECK(rtLaunchKernel(add, (kCount + kGroup - 1) / kGroup, 1, 1, kGroup, 1, 1, 0, stream, args, RT_ARGS_ALL));
  CHECK(rtMemcpyAsync(host_sum, sum, size, RT_MEMCPY_DEVICE_TO_HOST, stream));
  CHECK(rtStreamSynchronize(stream));

  for (int i = 0; i < kCount; ++i) EXPECT(host_sum[i] == (float)kCount);
  printf("%d sums, all %.0f\n", kCount, (double)host_sum[0]);
  printf("%.0f + %.0f = %.0f\n", (double)host_a[12345], (double)host_b[12345], (double)host_sum[12345]);

  CHECK(rtKernelDestroy(add));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtFree(device));
  CHECK(rtFree(host));
  return EXIT_SUCCESS;
}
