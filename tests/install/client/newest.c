/* A C99 program against the installed package that uses functions of the newest version node. A stream waits for memory that
 * another one fills, a host function releases what it was lent, and poll() waits for an event. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <rt.h>
#include <stdio.h>
#include <unistd.h>

#define CHECK(call)                                                            \
  do {                                                                         \
    rtStatus_t status = (call);                                                \
    if (status != RT_SUCCESS) {                                                \
      char message[4096] = "";                                                 \
      rtGetLastErrorMessage(message, sizeof message, NULL);                    \
      fprintf(stderr, "%s: %s\n%s\n", #call, rtGetErrorName(status), message); \
      return 1;                                                                \
    }                                                                          \
  } while (0)

typedef struct Calls {
  int functions, releases, releases_before;
} Calls;

static void called(void* user, rtStatus_t status) {
  Calls* calls = user;
  calls->releases_before = calls->releases;
  calls->functions += status == RT_SUCCESS ? 1 : 100;
}

static void released(void* user) { ++((Calls*)user)->releases; }

int main(void) {
  static unsigned char host[4096];
  Calls calls = {0, 0, 0};
  void* memory = NULL;
  rtStream_t writer = NULL, reader = NULL;
  rtFence_t gate = NULL;
  rtEvent_t event = NULL;
  struct pollfd waiting = {-1, POLLIN, 0};
  size_t i;

  CHECK(rtStreamCreate(&writer, NULL, NULL));
  CHECK(rtStreamCreate(&reader, NULL, NULL));
  CHECK(rtFenceCreate(&gate, 0, NULL));
  CHECK(rtEventCreate(&event, NULL, NULL));
  CHECK(rtMalloc(&memory, sizeof host, NULL));
  CHECK(rtStreamWaitFence(gate, 1, writer));
  CHECK(rtMemsetAsync(memory, 0x5a, sizeof host, writer));
  CHECK(rtStreamWaitPointer(memory, reader));
  CHECK(rtMemcpyAsync(host, memory, sizeof host, RT_MEMCPY_DEFAULT, reader));
  CHECK(rtLaunchHostFunctionWithRelease(called, &calls, released, reader));
  CHECK(rtEventRecord(event, reader));
  CHECK(rtEventGetDescriptor(&waiting.fd, event));
  if (poll(&waiting, 1, 0) != 0) {
    fprintf(stderr, "The event is reached while the fence holds the memory's last use back.\n");
    return 1;
  }
  CHECK(rtFenceSignal(1, gate));
  if (poll(&waiting, 1, 60000) != 1) {
    fprintf(stderr, "poll() does not see the event.\n");
    return 1;
  }
  close(waiting.fd);
  CHECK(rtStreamSynchronize(reader));
  for (i = 0; i < sizeof host; ++i) {
    if (host[i] != 0x5a) {
      fprintf(stderr, "Byte %u is wrong.\n", (unsigned)i);
      return 1;
    }
  }
  CHECK(rtEventDestroy(event));
  CHECK(rtFenceDestroy(gate));
  CHECK(rtFree(memory));
  CHECK(rtStreamDestroy(reader));
  CHECK(rtStreamDestroy(writer));
  CHECK(rtShutdown()); /* release functions have run when it returns */
  if (calls.functions != 1 || calls.releases != 1 || calls.releases_before != 0) {
    fprintf(stderr, "%d calls, %d releases, %d of them before the call\n", calls.functions, calls.releases,
            calls.releases_before);
    return 1;
  }
  puts("newest: ok");
  return 0;
}
