/* SPDX-License-Identifier: Apache-2.0
 *
 * error_handling: what a failure looks like. A call that is wrong says so at once, in a sentence. Work that fails later latches
 * on its stream, is told by the next call that waits for it, and is cleared by rtStreamSynchronize alone. */
#include "common.h"

/* Every failure leaves a sentence on its thread. */
static void expectFailure(rtStatus_t status, rtStatus_t expected, const char* what) {
  char message[512] = "";
  CHECK(rtGetLastErrorMessage(message, sizeof message, NULL));
  printf("%s\n  %s: %s\n", what, rtGetErrorName(status), message);
  EXPECT(status == expected);
  EXPECT(message[0] != '\0');
}

static void wrongCalls(void) {
  void* memory = NULL;
  char host[128] = {0};
  rtStream_t stream = NULL;
  rtDevice_t device = NULL;
  CHECK(rtMalloc(&memory, 64, NULL));
  CHECK(rtStreamCreate(&stream, NULL, NULL));

  expectFailure(rtMemcpy(memory, host, sizeof host, RT_MEMCPY_HOST_TO_DEVICE), RT_ERROR_INVALID_VALUE,
                "128 bytes into an allocation of 64");
  expectFailure(rtMemcpy(memory, host, 64, RT_MEMCPY_DEVICE_TO_HOST), RT_ERROR_INVALID_VALUE,
                "A direction that contradicts the addresses");
  expectFailure(rtFree((char*)memory + 8), RT_ERROR_INVALID_VALUE, "A free of an address inside an allocation");
  expectFailure(rtDeviceGetByName(&device, "toaster:0"), RT_ERROR_NOT_FOUND, "A device that there is not");
  EXPECT(device == NULL); /* after a failure every output is NULL or 0 */

  /* A handle is checked on every call: one that was destroyed is refused, not followed. */
  CHECK(rtStreamDestroy(stream));
  expectFailure(rtMemsetAsync(memory, 0, 64, stream), RT_ERROR_INVALID_HANDLE, "A stream that was destroyed");
  CHECK(rtFree(memory));
}

/* RT_NOT_READY is above zero, so not a failure; `status < 0` is the test. */
static void notAnError(void) {
  rtFence_t gate = NULL;
  rtStream_t stream = NULL;
  CHECK(rtFenceCreate(&gate, 0, NULL));
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtStreamWaitFence(gate, 1, stream));
  EXPECT(rtStreamQuery(stream) == RT_NOT_READY);
  EXPECT(rtStreamSynchronizeFor(1000000, stream) == RT_ERROR_TIMEOUT);
  CHECK(rtFenceSignal(1, gate));
  CHECK(rtStreamSynchronize(stream));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtFenceDestroy(gate));
  printf("A stream that waits is %s: %s\n", rtGetErrorName(RT_NOT_READY), rtGetErrorString(RT_NOT_READY));
}

static void keepStatus(void* user, rtStatus_t status) { *(rtStatus_t*)user = status; }

static void laterFailure(void) {
  rtFence_t gate = NULL;
  rtStream_t stream = NULL;
  void* memory = NULL;
  unsigned char bytes[4] = {0};
  rtStatus_t seen = RT_SUCCESS;
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtFenceCreate(&gate, 0, NULL));
  CHECK(rtMalloc(&memory, sizeof bytes, NULL));
  CHECK(rtMemset(memory, 1, sizeof bytes));

  /* The stream waits for a fence that goes away: what stands after it cannot run any more. */
  CHECK(rtStreamWaitFence(gate, 1, stream));
  CHECK(rtMemsetAsync(memory, 2, sizeof bytes, stream));
  CHECK(rtLaunchHostFunction(keepStatus, &seen, stream)); /* is called in any case, and told */
  CHECK(rtFenceDestroy(gate));
  expectFailure(rtStreamSynchronize(stream), RT_ERROR_INVALID_HANDLE, "Work after a fence that was destroyed");
  EXPECT(seen == RT_ERROR_INVALID_HANDLE);

  /* The fill was skipped. The failure is cleared now, and the stream works again. */
  CHECK(rtMemcpy(bytes, memory, sizeof bytes, RT_MEMCPY_DEVICE_TO_HOST));
  EXPECT(bytes[0] == 1 && bytes[3] == 1);
  CHECK(rtMemsetAsync(memory, 3, sizeof bytes, stream));
  CHECK(rtStreamSynchronize(stream));
  CHECK(rtMemcpy(bytes, memory, sizeof bytes, RT_MEMCPY_DEVICE_TO_HOST));
  EXPECT(bytes[0] == 3 && bytes[3] == 3);
  printf("The stream was cleared by the call that told of the failure, and works again\n");
  CHECK(rtFree(memory));
  CHECK(rtStreamDestroy(stream));
}

int main(void) {
  wrongCalls();
  notAnError();
  laterFailure();

  uint64_t live = 0; /* no failure has lost anything */
  CHECK(rtGetLiveHandleCount(&live, RT_HANDLE_ALL));
  EXPECT(live == 0);
  return EXIT_SUCCESS;
}
