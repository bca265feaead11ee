// A loader for RT_OPENCL whose writes of buffers are late. One that blocks returns when it has copied its source, as OpenCL 1.2
// allows; the buffer has the bytes 5 ms later. Intel's runtime for CPUs does so, within microseconds. It is linked with the
// real loader, whose other functions it has.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

constexpr std::chrono::milliseconds kLate(5);

template <typename Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) real(&(name), #name)

void CL_CALLBACK sleepInQueue(void*) { std::this_thread::sleep_for(kLate); }

void CL_CALLBACK freeCopy(cl_event, cl_int, void* copy) { std::free(copy); }

// The queue sleeps, then writes from a copy of the source.
template <typename Write>
cl_int writeLate(cl_command_queue queue, const void* source, size_t bytes, cl_event* event, Write write) {
  void* copy = std::malloc(bytes);
  if (copy == nullptr) return CL_OUT_OF_HOST_MEMORY;
  std::memcpy(copy, source, bytes);
  cl_int error = clEnqueueNativeKernel(queue, sleepInQueue, nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr);
  cl_event written = nullptr;
  if (error == CL_SUCCESS) error = write(copy, &written);
  if (error != CL_SUCCESS) return std::free(copy), error;
  error = clSetEventCallback(written, CL_COMPLETE, freeCopy, copy);
  (void)clFlush(queue);
  if (event != nullptr) return *event = written, error;
  (void)clReleaseEvent(written);
  return error;
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                                                     size_t size, const void* source, cl_uint count, const cl_event* events,
                                                     cl_event* event) {
  const auto write = [&](const void* from, cl_event* written) {
    return REAL(clEnqueueWriteBuffer)(queue, memory, CL_FALSE, offset, size, from, count, events, written);
  };
  return blocking == CL_TRUE ? writeLate(queue, source, size, event, write) : write(source, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                                         const size_t* to, const size_t* from, const size_t* region,
                                                         size_t pitch, size_t slice, size_t host_pitch, size_t host_slice,
                                                         const void* source, cl_uint count, const cl_event* events,
                                                         cl_event* event) {
  const auto write = [&](const void* bytes, cl_event* written) {
    return REAL(clEnqueueWriteBufferRect)(queue, memory, CL_FALSE, to, from, region, pitch, slice, host_pitch, host_slice,
                                          bytes, count, events, written);
  };
  const size_t end = (from[1] + region[1] - 1) * host_pitch + from[0] + region[0];  // the library copies single planes
  return blocking == CL_TRUE ? writeLate(queue, source, end, event, write) : write(source, event);
}
}
