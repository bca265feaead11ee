// A loader for RT_OPENCL whose device dies when a test says so: from then on nothing can be enqueued, and no event is over
// well. It is linked with the real loader, whose other functions it has.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <atomic>
#include <cstring>

namespace {

constexpr cl_int kLost = -9999;  // as NVIDIA's driver says of a context that a kernel has destroyed
std::atomic<bool> lost{false};

template <typename Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void loseDevice() { lost = true; }

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                              const size_t* global, const size_t* local, cl_uint count, const cl_event* list, cl_event* event) {
  if (lost) return kLost;
  return real(clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel")(queue, kernel, dimensions, offset, global, local, count, list,
                                                                event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* list, cl_event* event) {
  if (lost) return kLost;
  return real(clEnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList")(queue, count, list, event);
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void* value, size_t* needed) {
  if (!lost || what != CL_EVENT_COMMAND_EXECUTION_STATUS) {
    return real(clGetEventInfo, "clGetEventInfo")(event, what, size, value, needed);
  }
  memcpy(value, &kLost, sizeof kLost);
  return CL_SUCCESS;
}

}  // extern "C"
