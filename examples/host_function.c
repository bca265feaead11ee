/* SPDX-License-Identifier: Apache-2.0
 *
 * host_function: calls back into the program from the middle of a stream. Each step fills device memory, copies it to the host
 * and hands it to a C function. That runs in the stream's order on a thread of the library; main() submits all steps and waits
 * once. */
#include "common.h"

enum { kSteps = 6, kCount = 1000 };

typedef struct Step {
  const uint32_t* values; /* pinned; the stream has filled it when the function runs */
  uint32_t number;
  uint64_t sum;
  struct Report* report;
} Step;

typedef struct Report {
  uint32_t calls;
  uint32_t in_order;
  rtFence_t done;
} Report;

/* `status` tells whether the stream's work before this point went well. The stream calls one function at a time, in order, so
 * that the report needs no lock. */
static void addUp(void* user, rtStatus_t status) {
  Step* step = user;
  Report* report = step->report;
  if (status >= 0) {
    for (int i = 0; i < kCount; ++i) step->sum += step->values[i];
    report->in_order += report->calls == step->number ? 1 : 0;
    ++report->calls;
    printf("step %u: %d values add up to %llu\n", step->number, kCount, (unsigned long long)step->sum);
  }
  if (step->number == kSteps - 1) CHECK(rtFenceSignal(1, report->done)); /* rt calls are legal here */
}

int main(void) {
  rtStream_t stream = NULL;
  void* device = NULL;
  void* host = NULL;
  Report report = {0, 0, NULL};
  Step steps[kSteps];
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtFenceCreate(&report.done, 0, NULL));
  CHECK(rtMalloc(&device, kCount * sizeof(uint32_t), NULL));
  CHECK(rtMallocHost(&host, kCount * sizeof(uint32_t), NULL));

  /* All steps share one buffer: the next copy into it comes after the function that reads it, because a stream runs in order.
   */
  for (uint32_t i = 0; i < kSteps; ++i) {
    const uint32_t value = i * i;
    steps[i].values = host;
    steps[i].number = i;
    steps[i].sum = 0;
    steps[i].report = &report;
    CHECK(rtMemFillAsync(device, &value, sizeof value, kCount, stream)); /* the pattern is copied before the call returns */
    CHECK(rtMemcpyAsync(host, device, kCount * sizeof(uint32_t), RT_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(rtLaunchHostFunction(addUp, &steps[i], stream));
  }
  CHECK(rtFenceWait(1, report.done));
  CHECK(rtStreamSynchronize(stream));

  EXPECT(report.calls == kSteps && report.in_order == kSteps);
  for (uint64_t i = 0; i < kSteps; ++i) EXPECT(steps[i].sum == i * i * kCount);
  printf("%u calls, all in order\n", report.calls);

  CHECK(rtFree(device));
  CHECK(rtFree(host));
  CHECK(rtFenceDestroy(report.done));
  CHECK(rtStreamDestroy(stream));
  return EXIT_SUCCESS;
}
