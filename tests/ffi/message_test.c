/* SPDX-License-Identifier: Apache-2.0
 *
 * rt_message.h: a failed call gives its own message, and others give an empty text. Compiled as C99. */
#include <rt_message.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int condition, const char* what) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "message_test: %s\n", what);
}

int main(void) {
  char message[512];
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtFence_t fence = NULL;
  expect(rtDeviceGetByNameWithMessage(message, sizeof message, &device, "no such device") == RT_ERROR_NOT_FOUND, "not found");
  expect(strstr(message, "no such device") != NULL, "the message names what was asked for");
  expect(rtDeviceGetByNameWithMessage(message, sizeof message, &device, "cpu") == RT_SUCCESS, "the CPU is there");
  expect(message[0] == '\0', "success leaves an empty text");
  expect(rtContextCreateWithMessage(message, sizeof message, &context, NULL, device) == RT_SUCCESS, "a context");
  expect(rtFenceCreateWithMessage(message, sizeof message, &fence, 0, context) == RT_SUCCESS, "a fence");
  (void)rtStreamSynchronizeWithMessage(message, sizeof message, (rtStream_t)(uintptr_t)0x1234567890u);
  expect(rtFenceWaitForWithMessage(message, sizeof message, 1, 1, fence) == RT_ERROR_TIMEOUT, "a time-out");
  expect(message[0] == '\0', "a time-out does not give the message of the call before it");
  expect(rtStreamSynchronizeWithMessage(NULL, 0, (rtStream_t)(uintptr_t)0x1234567890u) == RT_ERROR_INVALID_HANDLE, "no buffer");
  char tiny[4] = "xyz";
  expect(rtStreamSynchronizeWithMessage(tiny, sizeof tiny, (rtStream_t)(uintptr_t)0x1234567890u) == RT_ERROR_INVALID_HANDLE,
         "a short buffer");
  expect(strlen(tiny) == 3, "a short buffer is filled and ends with a zero");
  (void)rtFenceDestroy(fence);
  (void)rtContextDestroy(context);
  return failures;
}
