/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by all examples: a call that fails ends the program with the library's own sentence, and so does a wrong result. */
#ifndef MANYRT_EXAMPLES_COMMON_H_
#define MANYRT_EXAMPLES_COMMON_H_

#include <rt.h>
#include <stdio.h>
#include <stdlib.h>

/* CHECK(rtMalloc(...)): a status below zero is a failure; RT_NOT_READY, the only one above, is none. */
#define CHECK(call) checkStatus((call), #call, __FILE__, __LINE__)
/* EXPECT(sum == 10): the result of the example itself. */
#define EXPECT(condition) checkResult((condition) != 0, #condition, __FILE__, __LINE__)

/* The sentence about this thread's last failure, for free(). It is as long as it must be: that of a kernel which does not build
 * carries the compiler's log. */
static inline char* lastMessage(void) {
  size_t needed = 0;
  (void)rtGetLastErrorMessage(NULL, 0, &needed);
  char* message = calloc(1, needed + 1);
  if (message != NULL) (void)rtGetLastErrorMessage(message, needed, NULL);
  return message;
}

static inline void checkStatus(rtStatus_t status, const char* call, const char* file, int line) {
  if (status >= 0) return;
  char* message = lastMessage();
  fprintf(stderr, "%s:%d: %s\n  is %s: %s\n", file, line, call, rtGetErrorName(status), message != NULL ? message : "");
  free(message);
  exit(EXIT_FAILURE);
}

static inline void checkResult(int holds, const char* condition, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: wrong result: %s does not hold\n", file, line, condition);
  exit(EXIT_FAILURE);
}

#endif /* MANYRT_EXAMPLES_COMMON_H_ */
