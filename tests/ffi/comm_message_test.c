/* SPDX-License-Identifier: Apache-2.0
 *
 * rt_comm_message.h: a failed call of communicators gives its own message. Compiled as C99. */
#include <rt_comm_message.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int condition, const char* what) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "comm_message_test: %s\n", what);
}

int main(void) {
  char message[512];
  rtCommUniqueId_t id;
  rtComm_t comm = NULL;
  int32_t size = 0;
  expect(rtCommGetUniqueIdWithMessage(message, sizeof message, NULL) == RT_ERROR_INVALID_VALUE, "no output");
  expect(strstr(message, "rtCommGetUniqueId") != NULL, "the message names the call");
  expect(rtCommGetUniqueIdWithMessage(message, sizeof message, &id) == RT_SUCCESS, "an id");
  expect(message[0] == '\0', "success leaves an empty text");
  expect(
      rtCommGetSizeWithMessage(message, sizeof message, &size, (rtComm_t)(uintptr_t)0x1234567890u) == RT_ERROR_INVALID_HANDLE,
      "no communicator");
  expect(strstr(message, "rtCommGetSize") != NULL, "the message is that of the last call");
  rtCommOptions_t options = RT_COMM_OPTIONS_INIT;
  options.timeout_ns = 1000000;
  expect(rtCommCreateWithMessage(message, sizeof message, &comm, &options, &id, 0, 2, NULL) < 0, "a rank alone");
  expect(message[0] != '\0', "a time-out has a message here");
  return failures;
}
