/* SPDX-License-Identifier: Apache-2.0
 *
 * What every example shares: a call that fails ends the program with the library's own sentence, and so does a wrong result. */
#ifndef MANYRT_EXAMPLES_COMMON_H_
#define MANYRT_EXAMPLES_COMMON_H_

#include <rt.h>
#include <stdio.h>
#include <stdlib.h>

/* CHECK(rtMalloc(...)): a status below zero is a failure; RT_NOT_READY, the only one above, is none. */
#define CHECK(call) checkStatus((call), #call, __FILE__, __LINE__)
/* EXPECT(sum == 10): the result of the example itself. */
#define EXPECT(condition) checkResult((condition) != 0, #condition, __FILE__, __LINE__)

static inline void checkStatus(rtStatus_t status, const char* call, const char* file, int line) {
  if (status >= 0) return;
  char message[1024] = "";
  (void)rtGetLastErrorMessage(message, sizeof message, NULL);
  fprintf(stderr, "%s:%d: %s\n  is %s: %s\n", file, line, call, rtGetErrorName(status), message);
  exit(EXIT_FAILURE);
}

static inline void checkResult(int holds, const char* condition, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: wrong result: %s does not hold\n", file, line, condition);
  exit(EXIT_FAILURE);
}

/* Kernels that are C functions run on a CPU device only. Makes it this thread's current one: what NULL means for a context. */
static inline void useCpuDevice(void) {
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  CHECK(rtDeviceGetByName(&device, "cpu"));
  CHECK(rtContextGetPrimary(&context, device));
  CHECK(rtContextSetCurrent(context));
}

#endif /* MANYRT_EXAMPLES_COMMON_H_ */
