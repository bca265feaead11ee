/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the examples with communicators. A call of rt_comm.h that fails, or a rank that fails another, ends the program
 * with the sentence of that library. */
#ifndef MANYRT_EXAMPLES_COMMON_COMM_H_
#define MANYRT_EXAMPLES_COMMON_COMM_H_

#include <rt_comm.h>

#include "common.h"

enum { kMostRanks = 64 }; /* of a communicator in one process */

/* CHECK_COMM(rtCommBarrier(...)) */
#define CHECK_COMM(call) checkComm((call), #call, __FILE__, __LINE__)

static inline void checkComm(rtStatus_t status, const char* call, const char* file, int line) {
  char message[1024] = "";
  if (status >= 0) return;
  (void)rtCommGetLastErrorMessage(message, sizeof message, NULL);
  fprintf(stderr, "%s:%d: %s\n  is %s: %s\n", file, line, call, rtGetErrorName(status), message);
  exit(EXIT_FAILURE);
}

/* Waits for the stream of a rank. The stream itself knows that an operation failed; the communicator knows which rank is why.
 */
static inline void synchronizeRank(rtStream_t stream, rtComm_t comm) {
  const rtStatus_t status = rtStreamSynchronize(stream);
  rtStatus_t failure = RT_SUCCESS;
  char message[1024] = "";
  if (status >= 0) return;
  CHECK_COMM(rtCommGetStatus(&failure, NULL, comm));
  if (failure == RT_SUCCESS) CHECK(status); /* it was other work of the stream */
  (void)rtCommGetStatusMessage(message, sizeof message, NULL, comm);
  fprintf(stderr, "The communicator is %s: %s\n", rtGetErrorName(failure), message);
  exit(EXIT_FAILURE);
}

#endif /* MANYRT_EXAMPLES_COMMON_COMM_H_ */
