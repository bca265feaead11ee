// Simulated CUDA: a shared library that stands in for cudart, the driver and NVRTC on a machine without a GPU. Name it in
// RT_CUDART (and RT_NVRTC) before the first call. Devices are host memory and threads; streams are asynchronous; an error is
// returned where CUDA returns one. A call that CUDA leaves undefined is a violation. It gives a line "simulated CUDA: ..." on
// stderr, one more in simulatedCudaViolations(), and abort() where memory would be harmed.
//
// This header is what tests call beside CUDA's own functions: by linking, or by dlsym on the handle of the library.
//
// Environment, read at the first call:
//
//   SIMULATED_CUDA_DEVICES    how many; 2. With 0 every call returns cudaErrorNoDevice
//   SIMULATED_CUDA_MEMORY     bytes of each device; 1 GiB
//   SIMULATED_CUDA_VERSION    of driver and runtime; 12090
//   SIMULATED_CUDA_SEED       of the delays and of defects that act at times; 1
//   SIMULATED_CUDA_DELAY_US   mean delay in front of every command of a stream, in microseconds; 20. 0: none
//   SIMULATED_CUDA_STRICT     1: abort() at a violation that harms memory; 0: report it and go on. 1
//   SIMULATED_CUDA_CHECK      1: every access of a kernel is checked; 0: only those to unmapped addresses are found. 1
//   SIMULATED_CUDA_CURRENT    1: calls of the driver insist on the context of their stream or event being current; 0: any
//                             context will do, but there must be one where a stream is named. 0
//   SIMULATED_CUDA_VIRTUAL_MEMORY  0: the devices have none (cuMemCreate and its like). 1
//   SIMULATED_CUDA_FAIL       "name:N:code[,...]": the N-th call of that function ("cudaMalloc", "cuLaunchKernel") returns code
//   SIMULATED_CUDA_LEAKS      1: prints at exit what is live
//   SIMULATED_CUDA_CXX        the compiler of kernels; g++
//   SIMULATED_CUDA_DEFECT     a name of the table below, or several with commas
#pragma once

#if defined(__cplusplus)
extern "C" {
#endif

#if !defined(SIMULATED_CUDA_API)
#define SIMULATED_CUDA_API __attribute__((visibility("default")))
#endif

SIMULATED_CUDA_API int simulatedCudaCount(const char* function);  // calls so far, refused and failed ones included
// Live objects: "stream", "event", "device memory" (managed and mappings too), "reservation" (of addresses), "host memory"
// (registered too), "module", "graph", "executable graph", "context". -1: what?
SIMULATED_CUDA_API int simulatedCudaLive(const char* kind);
SIMULATED_CUDA_API int simulatedCudaViolations(void);
// Counters of calls and violations, armed failures and defects, as after start without environment. Live objects go on.
SIMULATED_CUDA_API void simulatedCudaReset(void);

// The `call`-th call of the function from now on returns `code` and does nothing. 0: every call. Code 0 disarms the function.
SIMULATED_CUDA_API void simulatedCudaFail(const char* function, int call, int code);
// As though a kernel had broken the device's context: `code` (700, 719, ...) is what every later call on it returns.
SIMULATED_CUDA_API void simulatedCudaLoseDevice(int device, int code);
// Puts a broken device's context right again, which CUDA can do only in a new process.
SIMULATED_CUDA_API void simulatedCudaMendDevice(int device);
// Names as in SIMULATED_CUDA_DEFECT; null or empty: none. 0: a name is unknown, and nothing was changed.
SIMULATED_CUDA_API int simulatedCudaDefect(const char* names);
SIMULATED_CUDA_API void simulatedCudaDelay(int microseconds);
// As though the program captured a stream in global mode, from 1 to 0. Meanwhile waits, queries, allocations and frees fail,
// but for threads that have said that they take no part. 0: whether the capture has come through.
SIMULATED_CUDA_API int simulatedCudaCapture(int on);
// Has a function run in the order of the stream, as a library's kernel would, and says whether that is a part of a capture. The
// function may block. An error of CUDA is returned.
SIMULATED_CUDA_API int simulatedCudaRunInStream(void* stream, void (*function)(void*), void* user, int* captured);
SIMULATED_CUDA_API void simulatedCudaInsistOnCurrent(int on);  // SIMULATED_CUDA_CURRENT from now on

#if defined(__cplusplus)
}
#endif

// Planted defects. Each acts as though the program had made the mistake itself, so that a suite of tests can be asked whether
// it would notice. "At times" is one call in three, drawn from the seed.
//
//   name                 what happens                                                       what a test can see
//   missing_wait         waits of streams for events are dropped                            results of work that ran too early
//   wrong_event          a wait uses the record made before the one it was given            the same
//   event_reused_early   recording an event again is left out at times                      an event complete before its work
//   memory_reused_early  frees do not wait; the memory gets a pattern at once               pattern in results; use after free
//   host_read_early      synchronising a stream or an event returns at once                 the host reads too early
//   stale_device         a push of a context pushes the current one again, if there is one  objects on the wrong device
//   argument_lifetime    kernel parameters are read when the kernel starts                  a kernel with changed parameters
//   leak                 frees and destroys are left out at times                           simulatedCudaLive
//   double_free          cudaFree and cudaFreeHost free twice                               simulatedCudaViolations
//   foreign_context      streams are created in the context of the next device              launches and records fail
//   ignored_error        what fails returns success                                         outputs that were never written
//   callback_early       host functions run before the work ahead of them                   a function that sees old data
#define SIMULATED_CUDA_DEFECTS(X) \
  X(missing_wait)                 \
  X(wrong_event)                  \
  X(event_reused_early)           \
  X(memory_reused_early)          \
  X(host_read_early)              \
  X(stale_device)                 \
  X(argument_lifetime)            \
  X(leak)                         \
  X(double_free)                  \
  X(foreign_context)              \
  X(ignored_error)                \
  X(callback_early)
