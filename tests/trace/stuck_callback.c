/* SPDX-License-Identifier: Apache-2.0
 *
 * A callback of the trace that never returns: stuck_callback DEVICE WHERE END. WHERE is "call", on the thread of a call, or
 * "work", on a thread that delivers the queue; END is "shutdown" or "exit". Other threads go on, and the process comes to its
 * end all the same. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <rt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call)                                                      \
  do {                                                                   \
    if ((call) < 0) {                                                    \
      char message[512] = "";                                            \
      (void)rtGetLastErrorMessage(message, sizeof message, NULL);        \
      fprintf(stderr, "stuck_callback: %s fails: %s\n", #call, message); \
      _exit(EXIT_FAILURE);                                               \
    }                                                                    \
  } while (0)

static atomic_bool is_stuck;
static atomic_bool in_thread; /* the thread is in the call that is told */
static int32_t wanted;        /* a record of this type */
static rtDevice_t device;

static void callback(const rtTraceRecord_t* record, void* user) {
  (void)user;
  if (record->type != wanted || !atomic_load(&in_thread)) return;
  if (atomic_exchange(&is_stuck, 1)) return;
  for (;;) pause();
}

/* Work and a call, one of which is told to the callback that stays. */
static void* work(void* user) {
  rtContext_t context;
  rtStream_t stream;
  void* memory;
  CHECK(rtContextCreate(&context, NULL, device));
  CHECK(rtStreamCreate(&stream, NULL, context));
  CHECK(rtMalloc(&memory, 4096, context));
  if (user != NULL) atomic_store(&in_thread, 1);
  for (int i = 0; i < 100; ++i) {
    CHECK(rtMemsetAsync(memory, i, 4096, stream));
    CHECK(rtStreamSynchronize(stream));
  }
  CHECK(rtFree(memory));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtContextDestroy(context));
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  if (rtDeviceGetByName(&device, argv[1]) < 0) {
    printf("SKIP: there is no device %s\n", argv[1]);
    return 77;
  }
  wanted = strcmp(argv[2], "work") == 0 ? RT_TRACE_RECORD_WORK : RT_TRACE_RECORD_ENTER;
  CHECK(rtTraceSetCallback(callback, NULL, RT_TRACE_CALLS | RT_TRACE_WORK));
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, &wanted) != 0) return EXIT_FAILURE;
  const struct timespec nap = {0, 1000000};
  while (!atomic_load(&is_stuck)) nanosleep(&nap, NULL);
  work(NULL); /* the others are not held up */
  if (strcmp(argv[3], "shutdown") == 0) CHECK(rtShutdown());
  puts("over");
  return EXIT_SUCCESS;
}
