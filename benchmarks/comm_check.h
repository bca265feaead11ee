// Ends a benchmark of communicators with the sentence of rt_comm.h where a call of it fails. Under mpirun the other processes
// end with it.
#pragma once

#include <rt_comm.h>

#include <cstdio>
#include <cstdlib>

namespace bench {

inline void checkComm(rtStatus_t status, const char* call) {
  if (status == RT_SUCCESS) return;
  char text[1024] = "";
  (void)rtCommGetLastErrorMessage(text, sizeof text, nullptr);
  fprintf(stderr, "%s failed: %s\n", call, text);
  exit(EXIT_FAILURE);
}
#define COMM_CHECK(call) ::bench::checkComm((call), #call)

}  // namespace bench
