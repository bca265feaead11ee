/* A C program against the installed library of communicators: two ranks on the default device add their numbers. With an
 * argument it asks for the engine of MPI, which is not installed. */
#include <rt_comm.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                            \
  do {                                                                         \
    rtStatus_t status = (call);                                                \
    if (status != RT_SUCCESS) {                                                \
      char message[1024] = "";                                                 \
      rtCommGetLastErrorMessage(message, sizeof message, NULL);                \
      fprintf(stderr, "%s: %s\n%s\n", #call, rtGetErrorName(status), message); \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static int expectNoEngine(void) {
  rtComm_t comm = NULL;
  const int no_communicator = 0;
  char message[1024] = "";
  const rtStatus_t status = rtCommCreateFromMpi(&comm, NULL, &no_communicator, NULL);
  rtCommGetLastErrorMessage(message, sizeof message, NULL);
  if (status == RT_ERROR_BACKEND_UNAVAILABLE && strstr(message, "libmanyrt-comm-mpi0") != NULL) return 0;
  fprintf(stderr, "rtCommCreateFromMpi: %s\n%s\n", rtGetErrorName(status), message);
  return 1;
}

int main(int argc, char** argv) {
  rtCommOptions_t options = RT_COMM_OPTIONS_INIT;
  const rtContext_t contexts[2] = {NULL, NULL};
  rtComm_t comms[2] = {NULL, NULL};
  void* memory[2] = {NULL, NULL};
  int32_t rank = 0;
  (void)argv;
  if (argc > 1) return expectNoEngine();
  CHECK(rtCommCreateAll(comms, &options, contexts, 2));
  for (rank = 0; rank < 2; ++rank) {
    const int32_t number = 20 + rank;
    CHECK(rtMalloc(&memory[rank], sizeof number, NULL));
    CHECK(rtMemcpy(memory[rank], &number, sizeof number, RT_MEMCPY_DEFAULT));
  }
  /* Both ranks work in one context, so they need two streams: on one, the first would wait for the second for ever. */
  for (rank = 0; rank < 2; ++rank) {
    rtStream_t stream = NULL;
    CHECK(rtStreamCreate(&stream, NULL, NULL));
    CHECK(rtCommAllReduce(memory[rank], memory[rank], 1, RT_COMM_I32, RT_COMM_SUM, stream, comms[rank]));
    CHECK(rtStreamDestroy(stream));
  }
  CHECK(rtContextSynchronize(NULL));
  for (rank = 0; rank < 2; ++rank) {
    int32_t sum = 0;
    CHECK(rtMemcpy(&sum, memory[rank], sizeof sum, RT_MEMCPY_DEFAULT));
    if (sum != 41) {
      fprintf(stderr, "rank %d has %d, not 41\n", (int)rank, (int)sum);
      return 1;
    }
    CHECK(rtFree(memory[rank]));
    CHECK(rtCommDestroy(comms[rank]));
  }
  puts("client_comm: ok");
  return 0;
}
