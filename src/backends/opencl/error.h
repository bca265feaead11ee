// Errors of OpenCL, translated once. Every call of a driver goes through one of these macros. It is a fault point, and it can
// be counted. For drivers that take calls of one thread only, it waits for its turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "backends/opencl/table.h"
#include "base/fault.h"
#include "base/status.h"

namespace manyrt::opencl {

inline constexpr Error kDriverLost = -9999;        // NVIDIA's, of a context that a kernel has destroyed
inline constexpr Error kPlatformNotFound = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, of a loader without drivers

// Whether nothing will ever work on the device again after this error.
bool isSticky(Error error);

// A failed call as a Status: the code, and "clCreateBuffer failed: CL_OUT_OF_RESOURCES (-5)."
Status failure(const char* call, Error error);

// Every function of the tables; the two names of one member are one.
enum class CallId : uint16_t {
#define X(name, ...) name,
  RT_OPENCL_TABLE(X) RT_OPENCL_POINTER_TABLE(X) RT_OPENCL_SVM_TABLE(X) RT_OPENCL_USM_TABLE(X) RT_OPENCL_IL_TABLE(X)
#undef X
      kCount
};

// Counting calls, for tests: off until asked for, then from zero.
namespace calls {
void startCounting();
void stopCounting();
uint64_t count(const char* name);  // of one function; "": of all
}  // namespace calls

void serializeCalls();  // from now on one thread at a time calls a driver: for drivers that take no more

namespace internal {
inline constexpr uint32_t kCounting = 1, kSerialized = 2;
// Relaxed loads: tests start and stop counting between their own calls. A device whose driver needs turns says so when it is
// found, before other threads can use the device.
extern std::atomic<uint32_t> watch;
}  // namespace internal

// Stands while a driver's function runs.
class Call {
 public:
  explicit Call(CallId id) {
    if (const uint32_t watched = internal::watch.load(std::memory_order_relaxed); watched != 0) [[unlikely]]
      enter(id, watched);
    if (fault::internal::armed.load(std::memory_order_relaxed)) [[unlikely]]
      inside_.emplace();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (locked_) [[unlikely]]
      leave();
  }

 private:
  void enter(CallId id, uint32_t watched);
  void leave();
  bool locked_ = false;
  std::optional<fault::Suspension> inside_;
};

}  // namespace manyrt::opencl

// The result of one call, without a fault point: releases, and looks at how far work has come.
#define RT_CL_PLAIN_VIA(functions, name, ...) \
  (::manyrt::opencl::Call(::manyrt::opencl::CallId::name), (functions).name(__VA_ARGS__))
#define RT_CL_PLAIN(name, ...) RT_CL_PLAIN_VIA(::manyrt::opencl::table(), name, __VA_ARGS__)

// The result of one call, or the failure that a test asked for.
#define RT_CL_VIA(functions, name, ...) \
  (::manyrt::fault::fails(#name) ? CL_OUT_OF_HOST_MEMORY : RT_CL_PLAIN_VIA(functions, name, __VA_ARGS__))
#define RT_CL_CALL(name, ...) RT_CL_VIA(::manyrt::opencl::table(), name, __VA_ARGS__)

// The same for calls that make something and put the error in their last parameter.
#define RT_CL_MAKE_VIA(functions, error, name, ...)                            \
  (::manyrt::fault::fails(#name) ? (*(error) = CL_OUT_OF_HOST_MEMORY, nullptr) \
                                 : RT_CL_PLAIN_VIA(functions, name, __VA_ARGS__, error))
#define RT_CL_MAKE(error, name, ...) RT_CL_MAKE_VIA(::manyrt::opencl::table(), error, name, __VA_ARGS__)

// Returns the failure of one call.
#define RT_CL_TRY(name, ...)                                                                        \
  do {                                                                                              \
    if (const ::manyrt::opencl::Error rt_cl_ = RT_CL_CALL(name, __VA_ARGS__); rt_cl_ != CL_SUCCESS) \
      return ::manyrt::opencl::failure(#name, rt_cl_);                                              \
  } while (0)
