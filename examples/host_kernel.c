/* SPDX-License-Identifier: Apache-2.0
 *
 * host_kernel: a kernel that is a C function of the program. It needs no compiler when the program runs and may call what the
 * program calls; only a CPU device takes it (RT_CAPABILITY_HOST_KERNELS). Here it counts primes: each work-group sieves a
 * stretch of numbers in local memory and leaves how many it found. */
#include <string.h>

#include "common.h"

enum { kStretch = 1 << 15, kStretches = 128, kMaxNumber = kStretch * kStretches, kRoot = 2048 };

/* The device calls the function once for each work-group, on several threads at the same time; it loops over the work-items
 * itself, where there is more than one. args[i] points to the value of argument i, for local memory to its address. */
static void countPrimes(const rtHostGroup_t* group, void* const* args) {
  const uint32_t* primes = *(uint32_t* const*)args[0]; /* up to kRoot, the root of kMaxNumber, or a little more */
  const uint32_t prime_count = *(const uint32_t*)args[1];
  uint32_t* found = *(uint32_t* const*)args[2];
  unsigned char* composite = *(unsigned char* const*)args[3]; /* private to this work-group, contents undefined */

  const uint32_t first = group->group_id[0] * kStretch;
  memset(composite, 0, kStretch);
  for (uint32_t i = 0; i < prime_count; ++i) {
    const uint32_t prime = primes[i];
    uint32_t multiple = (first + prime - 1) / prime * prime;
    if (multiple < prime * prime) multiple = prime * prime;
    for (; multiple < first + kStretch; multiple += prime) composite[multiple - first] = 1;
  }
  uint32_t count = 0;
  for (uint32_t i = first == 0 ? 2 : 0; i < kStretch; ++i) count += composite[i] == 0;
  found[group->group_id[0]] = count;
}

static rtKernel_t createKernel(rtContext_t context) {
  const rtHostArg_t args[] = {{8, RT_ARG_POINTER}, {sizeof(uint32_t), RT_ARG_VALUE}, {8, RT_ARG_POINTER}, {8, RT_ARG_LOCAL}};
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = countPrimes;
  host.name = "count_primes";
  host.args = args;
  host.arg_count = 4;
  rtKernel_t kernel = NULL;
  CHECK(rtKernelCreateFromHost(&kernel, &host, context));
  return kernel;
}

/* By division, another way than the kernel's. */
static int isPrime(uint32_t number) {
  for (uint32_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return 0;
  }
  return number >= 2;
}

int main(void) {
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtStream_t stream = NULL;
  int32_t takes_functions = 0;
  CHECK(rtDeviceGetByName(&device, "cpu"));
  CHECK(rtDeviceHasCapability(&takes_functions, RT_CAPABILITY_HOST_KERNELS, device));
  EXPECT(takes_functions);
  CHECK(rtContextGetPrimary(&context, device));
  CHECK(rtStreamCreate(&stream, NULL, context));

  uint32_t small[kRoot];
  uint32_t small_count = 0;
  for (uint32_t i = 2; i < kRoot; ++i) {
    if (isPrime(i)) small[small_count++] = i;
  }
  void* primes = NULL;
  void* found = NULL;
  CHECK(rtMalloc(&primes, sizeof small, context));
  CHECK(rtMalloc(&found, kStretches * sizeof(uint32_t), context));
  CHECK(rtMemcpyAsync(primes, small, small_count * sizeof *small, RT_MEMCPY_HOST_TO_DEVICE, stream));

  /* For local memory, the argument of the launch is how much of it there shall be. */
  rtKernel_t kernel = createKernel(context);
  size_t sieve_bytes = kStretch;
  void* args[] = {&primes, &small_count, &found, &sieve_bytes};
  CHECK(rtLaunchKernel(kernel, kStretches, 1, 1, 1, 1, 1, 0, stream, args, RT_ARGS_ALL));
  uint32_t counts[kStretches];
  CHECK(rtMemcpyAsync(counts, found, sizeof counts, RT_MEMCPY_DEVICE_TO_HOST, stream));
  CHECK(rtStreamSynchronize(stream));

  uint32_t total = 0;
  for (int i = 0; i < kStretches; ++i) total += counts[i];
  uint32_t first = 0;
  uint32_t last = 0;
  for (uint32_t i = 0; i < kStretch; ++i) {
    first += (uint32_t)isPrime(i);
    last += (uint32_t)isPrime(kMaxNumber - kStretch + i);
  }
  EXPECT(counts[0] == first && counts[kStretches - 1] == last);
  printf("%u primes below %d, %u of them in the first of %d stretches and %u in the last\n", total, kMaxNumber, first,
         kStretches, last);

  CHECK(rtKernelDestroy(kernel));
  CHECK(rtFree(primes));
  CHECK(rtFree(found));
  CHECK(rtStreamDestroy(stream));
  return EXIT_SUCCESS;
}
