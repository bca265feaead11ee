// The table of OpenCL's errors, the counters of calls, and the lock for drivers that take one thread at a time.
#include "backends/opencl/error.h"

#include <cstring>
#include <mutex>

namespace manyrt::opencl {
namespace internal {
std::atomic<uint32_t> watch{0};
}
namespace {

// error, name, status
#define RT_OPENCL_ERRORS(X)                                                    \
  X(-1, CL_DEVICE_NOT_FOUND, RT_ERROR_BACKEND_UNAVAILABLE)                     \
  X(-2, CL_DEVICE_NOT_AVAILABLE, RT_ERROR_DEVICE_LOST)                         \
  X(-3, CL_COMPILER_NOT_AVAILABLE, RT_ERROR_COMPILER_NOT_FOUND)                \
  X(-4, CL_MEM_OBJECT_ALLOCATION_FAILURE, RT_ERROR_OUT_OF_MEMORY)              \
  X(-5, CL_OUT_OF_RESOURCES, RT_ERROR_OUT_OF_MEMORY)                           \
  X(-6, CL_OUT_OF_HOST_MEMORY, RT_ERROR_OUT_OF_MEMORY)                         \
  X(-7, CL_PROFILING_INFO_NOT_AVAILABLE, RT_ERROR_NOT_SUPPORTED)               \
  X(-8, CL_MEM_COPY_OVERLAP, RT_ERROR_INVALID_VALUE)                           \
  X(-11, CL_BUILD_PROGRAM_FAILURE, RT_ERROR_BUILD_FAILED)                      \
  X(-12, CL_MAP_FAILURE, RT_ERROR_DRIVER)                                      \
  X(-13, CL_MISALIGNED_SUB_BUFFER_OFFSET, RT_ERROR_NOT_SUPPORTED)              \
  X(-14, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, RT_ERROR_LAUNCH_FAILED) \
  X(-15, CL_COMPILE_PROGRAM_FAILURE, RT_ERROR_BUILD_FAILED)                    \
  X(-16, CL_LINKER_NOT_AVAILABLE, RT_ERROR_COMPILER_NOT_FOUND)                 \
  X(-17, CL_LINK_PROGRAM_FAILURE, RT_ERROR_BUILD_FAILED)                       \
  X(-19, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, RT_ERROR_NOT_SUPPORTED)             \
  X(-30, CL_INVALID_VALUE, RT_ERROR_INVALID_VALUE)                             \
  X(-33, CL_INVALID_DEVICE, RT_ERROR_INVALID_DEVICE)                           \
  X(-34, CL_INVALID_CONTEXT, RT_ERROR_WRONG_CONTEXT)                           \
  X(-35, CL_INVALID_QUEUE_PROPERTIES, RT_ERROR_NOT_SUPPORTED)                  \
  X(-36, CL_INVALID_COMMAND_QUEUE, RT_ERROR_DRIVER)                            \
  X(-38, CL_INVALID_MEM_OBJECT, RT_ERROR_INVALID_VALUE)                        \
  X(-42, CL_INVALID_BINARY, RT_ERROR_INVALID_IMAGE)                            \
  X(-43, CL_INVALID_BUILD_OPTIONS, RT_ERROR_INVALID_VALUE)                     \
  X(-44, CL_INVALID_PROGRAM, RT_ERROR_INVALID_IMAGE)                           \
  X(-45, CL_INVALID_PROGRAM_EXECUTABLE, RT_ERROR_INVALID_IMAGE)                \
  X(-46, CL_INVALID_KERNEL_NAME, RT_ERROR_NOT_FOUND)                           \
  X(-47, CL_INVALID_KERNEL_DEFINITION, RT_ERROR_INVALID_IMAGE)                 \
  X(-48, CL_INVALID_KERNEL, RT_ERROR_DRIVER)                                   \
  X(-49, CL_INVALID_ARG_INDEX, RT_ERROR_INVALID_VALUE)                         \
  X(-50, CL_INVALID_ARG_VALUE, RT_ERROR_INVALID_VALUE)                         \
  X(-51, CL_INVALID_ARG_SIZE, RT_ERROR_INVALID_VALUE)                          \
  X(-52, CL_INVALID_KERNEL_ARGS, RT_ERROR_INVALID_VALUE)                       \
  X(-53, CL_INVALID_WORK_DIMENSION, RT_ERROR_INVALID_VALUE)                    \
  X(-54, CL_INVALID_WORK_GROUP_SIZE, RT_ERROR_INVALID_VALUE)                   \
  X(-55, CL_INVALID_WORK_ITEM_SIZE, RT_ERROR_INVALID_VALUE)                    \
  X(-56, CL_INVALID_GLOBAL_OFFSET, RT_ERROR_INVALID_VALUE)                     \
  X(-57, CL_INVALID_EVENT_WAIT_LIST, RT_ERROR_DRIVER)                          \
  X(-58, CL_INVALID_EVENT, RT_ERROR_DRIVER)                                    \
  X(-59, CL_INVALID_OPERATION, RT_ERROR_NOT_SUPPORTED)                         \
  X(-61, CL_INVALID_BUFFER_SIZE, RT_ERROR_OUT_OF_MEMORY)                       \
  X(-63, CL_INVALID_GLOBAL_WORK_SIZE, RT_ERROR_INVALID_VALUE)                  \
  X(-1001, CL_PLATFORM_NOT_FOUND_KHR, RT_ERROR_BACKEND_UNAVAILABLE)            \
  X(-9999, NVIDIA_CONTEXT_LOST, RT_ERROR_DEVICE_LOST)

struct Translation {
  Error error;
  const char* name;
  rtStatus_t status;
};
// Any other error is RT_ERROR_DRIVER.
constexpr Translation kTranslations[] = {
#define X(error, name, status) {error, #name, status},
    RT_OPENCL_ERRORS(X)
#undef X
};

const Translation* find(Error error) {
  for (const Translation& each : kTranslations) {
    if (each.error == error) return &each;
  }
  return nullptr;
}

constexpr const char* kNames[] = {
#define X(name, ...) #name,
    RT_OPENCL_TABLE(X) RT_OPENCL_POINTER_TABLE(X) RT_OPENCL_SVM_TABLE(X) RT_OPENCL_USM_TABLE(X) RT_OPENCL_IL_TABLE(X)
#undef X
};
constexpr size_t kCalls = static_cast<size_t>(CallId::kCount);
// Relaxed: counters for tests, which read them after their own calls.
std::atomic<uint64_t> counted[kCalls];

std::recursive_mutex& turn() {
  // For all drivers, as the one that needs it mostly is the only one there.
  static auto* instance = new std::recursive_mutex;  // never destroyed; one expression may hold two calls
  return *instance;
}

}  // namespace

bool isSticky(Error error) { return error == CL_DEVICE_NOT_AVAILABLE || error == kDriverLost; }

Status failure(const char* call, Error error) {
  const Translation* known = find(error);
  return Status::error(known == nullptr ? RT_ERROR_DRIVER : known->status, "%s failed: %s (%d).", call,
                       known == nullptr ? "the driver's error has no name here" : known->name, error);
}

namespace calls {

void startCounting() {
  for (std::atomic<uint64_t>& each : counted) each.store(0, std::memory_order_relaxed);
  // One word for both reasons to watch a call: a call that is not watched reads it, and no more.
  internal::watch.fetch_or(internal::kCounting, std::memory_order_seq_cst);
}

void stopCounting() { internal::watch.fetch_and(~internal::kCounting, std::memory_order_seq_cst); }

uint64_t count(const char* name) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kCalls; ++i) {
    if (name[0] == '\0' || strcmp(name, kNames[i]) == 0) sum += counted[i].load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace calls

void serializeCalls() {
  (void)turn();
  internal::watch.fetch_or(internal::kSerialized, std::memory_order_seq_cst);
}

void Call::enter(CallId id, uint32_t watched) {
  if ((watched & internal::kCounting) != 0) counted[static_cast<size_t>(id)].fetch_add(1, std::memory_order_relaxed);
  // `watched` was read at the call's begin. So enter() and leave() agree, also if the word changes in between.
  if ((watched & internal::kSerialized) == 0) return;
  turn().lock();
  locked_ = true;
}

void Call::leave() { turn().unlock(); }

}  // namespace manyrt::opencl
