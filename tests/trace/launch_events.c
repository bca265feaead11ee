/* Times by events around launches of kernels and of graphs, beside RT_TRACE: loaded ahead of the library (LD_PRELOAD), it
 * stands between a program and rt.h. LAUNCH_EVENTS_TIMES makes each launch as many, back to back between one pair of events;
 * what the program computes is lost then. The file that LAUNCH_EVENTS names gets a line for each pair when its stream is
 * destroyed: kind, name, nanoseconds. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt.h"

enum { kFlying = 4096 };

typedef struct Flying {
  rtEvent_t before, after;
  rtStream_t stream;
  char kind;
  char name[256];
} Flying;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE* file;
static Flying flying[kFlying];
static int flying_count;
static int times = 1;

/* The library's own function; C has no cast from an object's pointer to a function's. */
#define NEXT(type, name)                             \
  type name##Next = NULL;                            \
  void* const name##Found = dlsym(RTLD_NEXT, #name); \
  memcpy(&name##Next, &name##Found, sizeof name##Next)

typedef rtStatus_t (*LaunchKernel)(rtKernel_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, rtStream_t,
                                   void* const*, uint32_t);
typedef rtStatus_t (*LaunchGraph)(rtGraphExec_t, rtStream_t);
typedef rtStatus_t (*DestroyStream)(rtStream_t);

static void check(rtStatus_t status, const char* call) {
  if (status == RT_SUCCESS) return;
  fprintf(stderr, "launch_events: %s: %s\n", call, rtGetErrorName(status));
  abort();
}
#define OK(call) check(call, #call)

/* Collects the events of one stream, or of all. */
static void collect(rtStream_t stream) {
  int kept = 0;
  for (int i = 0; i < flying_count; ++i) {
    Flying* const of = &flying[i];
    int64_t nanoseconds = 0;
    if (stream != NULL && of->stream != stream) {
      flying[kept++] = *of;
      continue;
    }
    OK(rtEventSynchronize(of->after));
    OK(rtEventElapsedNanoseconds(&nanoseconds, of->before, of->after));
    fprintf(file, "%c %s %lld\n", of->kind, of->name, (long long)nanoseconds);
    OK(rtEventDestroy(of->before));
    OK(rtEventDestroy(of->after));
  }
  flying_count = kept;
}

/* Null: nothing is timed, since the launch is captured. */
static Flying* begin(char kind, const char* name, rtStream_t stream) {
  rtContext_t context = NULL;
  int32_t state = RT_CAPTURE_NONE;
  OK(rtStreamIsCapturing(&state, stream));
  if (state != RT_CAPTURE_NONE) return NULL;
  if (flying_count == kFlying) collect(NULL);
  Flying* const of = &flying[flying_count++];
  OK(rtStreamGetContext(&context, stream));
  OK(rtEventCreate(&of->before, NULL, context));
  OK(rtEventCreate(&of->after, NULL, context));
  of->stream = stream;
  of->kind = kind;
  snprintf(of->name, sizeof of->name, "%s", name);
  OK(rtEventRecord(of->before, stream));
  return of;
}

static void end(Flying* of) {
  if (of != NULL) OK(rtEventRecord(of->after, of->stream));
}

rtStatus_t rtLaunchKernel(rtKernel_t kernel, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t group_x,
                          uint32_t group_y, uint32_t group_z, uint32_t local_bytes, rtStream_t stream, void* const* args,
                          uint32_t arg_count) {
  NEXT(LaunchKernel, rtLaunchKernel);
  char name[256] = "";
  OK(rtKernelGetName(name, sizeof name, NULL, kernel));
  pthread_mutex_lock(&mutex);
  Flying* const of = begin('k', name, stream);
  rtStatus_t status = RT_SUCCESS;
  for (int i = 0; i < (of == NULL ? 1 : times) && status == RT_SUCCESS; ++i)
    status =
        rtLaunchKernelNext(kernel, grid_x, grid_y, grid_z, group_x, group_y, group_z, local_bytes, stream, args, arg_count);
  end(of);
  pthread_mutex_unlock(&mutex);
  return status;
}

rtStatus_t rtGraphLaunch(rtGraphExec_t exec, rtStream_t stream) {
  NEXT(LaunchGraph, rtGraphLaunch);
  pthread_mutex_lock(&mutex);
  Flying* const of = begin('g', "graph", stream);
  rtStatus_t status = RT_SUCCESS;
  for (int i = 0; i < (of == NULL ? 1 : times) && status == RT_SUCCESS; ++i) status = rtGraphLaunchNext(exec, stream);
  end(of);
  pthread_mutex_unlock(&mutex);
  return status;
}

rtStatus_t rtStreamDestroy(rtStream_t stream) {
  NEXT(DestroyStream, rtStreamDestroy);
  pthread_mutex_lock(&mutex);
  if (stream != NULL) collect(stream);
  pthread_mutex_unlock(&mutex);
  return rtStreamDestroyNext(stream);
}

__attribute__((constructor)) static void openFile(void) {
  const char* const path = getenv("LAUNCH_EVENTS");
  const char* const given = getenv("LAUNCH_EVENTS_TIMES");
  times = given == NULL ? 1 : atoi(given);
  if (times < 1) {
    fprintf(stderr, "launch_events: LAUNCH_EVENTS_TIMES is no number from 1.\n");
    abort();
  }
  file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) {
    fprintf(stderr, "launch_events: LAUNCH_EVENTS names no file that can be written.\n");
    abort();
  }
}

__attribute__((destructor)) static void closeFile(void) { fclose(file); }
