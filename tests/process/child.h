// Shared parts of the scenarios of process_child. A scenario is a function that returns the exit code; EXPECT prints the line
// that failed and ends the process with 1. It runs no destructors, so that the first cause is the one that is reported.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "rt.h"
#include "support/handles.h"
#include "support/kernels.h"

#define EXPECT(condition)                                                                 \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      char message_[512] = "";                                                            \
      (void)rtGetLastErrorMessage(message_, sizeof message_, nullptr);                    \
      std::fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, message_); \
      _exit(1);                                                                           \
    }                                                                                     \
  } while (0)

#define EXPECT_STATUS(code, call)                                               \
  do {                                                                          \
    const rtStatus_t status_ = (call);                                          \
    if (status_ != (code)) {                                                    \
      std::fprintf(stderr, "%s returned %s\n", #call, rtGetErrorName(status_)); \
      EXPECT(status_ == (code));                                                \
    }                                                                           \
  } while (0)

#define OK(call) EXPECT_STATUS(RT_SUCCESS, call)

namespace child {

constexpr int kSkipped = 77;  // the exit code where the machine lacks what the scenario needs

struct Scenario {
  const char* name;
  int (*run)(int argc, char** argv);  // the words after the name
};

extern const Scenario kExit[];  // each list ends with a null name
extern const Scenario kFork[];
extern const Scenario kShutdown[];
extern const Scenario kEnvironment[];
extern const Scenario kSandbox[];
extern const Scenario kDebugger[];
extern const Scenario kCrash[];
extern const Scenario kBuilds[];

// Handles of every kind on the CPU device; leaked on purpose unless a scenario destroys them.
struct World {
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  rtEvent_t event = nullptr;
  rtFence_t fence = nullptr;
  rtMemPool_t pool = nullptr;
  rtKernel_t kernel = nullptr;
  void* memory = nullptr;
  void* host = nullptr;

  void make() {
    OK(rtDeviceGetByName(&device, "cpu"));
    OK(rtContextCreate(&context, nullptr, device));
    OK(rtStreamCreate(&stream, nullptr, context));
    OK(rtEventCreate(&event, nullptr, context));
    OK(rtFenceCreate(&fence, 0, context));
    OK(rtMemPoolCreate(&pool, nullptr, context));
    rttest::Kernel made;
    OK(rttest::makeKernel(&made, context, rttest::emptyKernel, {}, "empty"));
    kernel = made.release();
    OK(rtMalloc(&memory, 5000, context));
    OK(rtMallocHost(&host, 5000, context));
    OK(rtMemsetAsync(memory, 1, 5000, stream));
    OK(rtLaunchKernel(kernel, 4, 1, 1, 1, 1, 1, 0, stream, nullptr, 0));
    OK(rtEventRecord(event, stream));
  }

  // Legal at any time: after rtShutdown, in a forked child, in destructors.
  void destroy() {
    OK(rtFree(memory));
    OK(rtFree(host));
    OK(rtKernelDestroy(kernel));
    OK(rtMemPoolDestroy(pool));
    OK(rtFenceDestroy(fence));
    OK(rtEventDestroy(event));
    OK(rtStreamDestroy(stream));
    OK(rtContextDestroy(context));
  }
};

}  // namespace child
