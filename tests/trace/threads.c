#include "threads.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kItems = 1 << 10, kGroup = 64 };

typedef struct Worker {
  pthread_t thread;
  rtKernel_t kernel;
  rtContext_t context;
  rtStatus_t status;
  int index;
} Worker;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int round_begun, rounds_done,
    ended; /* guarded by mutex: rounds that have begun, counted workers that are done with theirs */

static rtStatus_t first(rtStatus_t earlier, rtStatus_t later) { return earlier != RT_SUCCESS ? earlier : later; }

static rtStatus_t makeStream(rtStream_t* stream, float** memory, const char* name, const Worker* worker) {
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  snprintf(options.label, sizeof options.label, "%s %d", name, worker->index);
  rtStatus_t status = rtStreamCreate(stream, &options, worker->context);
  return first(status, rtMalloc((void**)memory, kItems * sizeof(float), worker->context));
}

static rtStatus_t launch(const Worker* worker, float* memory, rtStream_t stream) {
  float by = 2.0f;
  void* args[] = {&memory, &by};
  return rtLaunchKernel(worker->kernel, kItems / kGroup, 1, 1, kGroup, 1, 1, 0, stream, args, 2);
}

static rtStatus_t countedWork(const Worker* worker, float* memory, float* host, rtStream_t stream) {
  const size_t bytes = kItems * sizeof(float);
  rtStatus_t status = rtMemcpyAsync(memory, host, bytes, RT_MEMCPY_HOST_TO_DEVICE, stream);
  for (int i = 0; i < kCountedLaunches; ++i) status = first(status, launch(worker, memory, stream));
  status = first(status, rtMemcpyAsync(host, memory, bytes, RT_MEMCPY_DEVICE_TO_HOST, stream));
  status = first(status, rtMemsetAsync(memory, 0, bytes, stream));
  return first(status, rtStreamSynchronize(stream));
}

static void* countedThread(void* user) {
  Worker* worker = user;
  rtStream_t stream = NULL;
  float *memory = NULL, *host = NULL;
  rtStatus_t status = makeStream(&stream, &memory, "counted", worker);
  status = first(status, rtMallocHost((void**)&host, kItems * sizeof(float), worker->context));
  if (status == RT_SUCCESS) status = rtMemset(host, 0, kItems * sizeof(float));
  for (int round = 1; round <= kTimelines; ++round) {
    pthread_mutex_lock(&mutex);
    while (round_begun < round) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    if (status == RT_SUCCESS) status = countedWork(worker, memory, host, stream);
    pthread_mutex_lock(&mutex);
    ++rounds_done;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  (void)rtFree(memory);
  (void)rtFree(host);
  worker->status = first(status, rtStreamDestroy(stream));
  return NULL;
}

static void* busyThread(void* user) {
  Worker* worker = user;
  rtStream_t stream = NULL;
  float* memory = NULL;
  rtStatus_t status = makeStream(&stream, &memory, "busy", worker);
  for (int over = 0, i = 0; !over && status == RT_SUCCESS; ++i) {
    status = launch(worker, memory, stream);
    if (i % 8 == 7) status = first(status, rtStreamSynchronize(stream));
    pthread_mutex_lock(&mutex);
    over = ended;
    pthread_mutex_unlock(&mutex);
  }
  status = first(status, rtStreamSynchronize(stream));
  (void)rtFree(memory);
  worker->status = first(status, rtStreamDestroy(stream));
  return NULL;
}

static rtStatus_t oneTimeline(const char* file, int index) {
  char name[1024];
  snprintf(name, sizeof name, "%s.%d", file, index);
  const rtStatus_t status = rtTraceStart(name);
  pthread_mutex_lock(&mutex);
  ++round_begun;
  pthread_cond_broadcast(&changed);
  while (rounds_done < (index + 1) * kCountedThreads) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return first(status, rtTraceStop());
}

rtStatus_t threadedTimelines(const char* file, rtKernel_t kernel, rtContext_t context) {
  enum { kThreads = kCountedThreads + kBusyThreads };
  Worker workers[kThreads];
  rtStatus_t status = RT_SUCCESS;
  for (int i = 0; i < kThreads; ++i) {
    workers[i] = (Worker){.kernel = kernel, .context = context, .status = RT_SUCCESS, .index = i};
    if (pthread_create(&workers[i].thread, NULL, i < kCountedThreads ? countedThread : busyThread, &workers[i]) != 0) {
      return RT_ERROR_INTERNAL;
    }
  }
  for (int i = 0; i < kTimelines; ++i) status = first(status, oneTimeline(file, i));
  pthread_mutex_lock(&mutex);
  ended = 1;
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(workers[i].thread, NULL);
    status = first(status, workers[i].status);
  }
  return status;
}
