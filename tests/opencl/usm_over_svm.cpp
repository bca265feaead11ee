// A loader for RT_OPENCL that gives the devices of the real one cl_intel_unified_shared_memory, by calling what they have
// instead: shared virtual memory. It is linked with the real loader, whose other functions it has. Strict where a driver may
// be: memory is freed only as it was allocated, and flags of kernels are of the extension.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace {

constexpr char kExtension[] = " cl_intel_unified_shared_memory";
constexpr cl_device_info kHostCapabilities = 0x4190, kSharedCapabilities = 0x4192;
constexpr cl_uint kFirstFlag = 0x4200, kLastFlag = 0x4202;

template <typename Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Allocations {
  std::mutex mutex;
  std::set<void*> all;
};
Allocations& allocations() {
  static auto* made = new Allocations;
  return *made;
}

void* allocate(cl_context context, size_t size, cl_int* error) {
  void* memory = real(clSVMAlloc, "clSVMAlloc")(context, CL_MEM_READ_WRITE, size, 0);
  *error = memory == nullptr ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
  std::lock_guard lock(allocations().mutex);
  if (memory != nullptr) allocations().all.insert(memory);
  return memory;
}

}  // namespace

extern "C" {

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* needed) {
  auto* call = real(clGetDeviceInfo, "clGetDeviceInfo");
  if (what == kHostCapabilities || what == kSharedCapabilities) {
    const cl_bitfield access = 1;
    if (size < sizeof access) return CL_INVALID_VALUE;
    memcpy(value, &access, sizeof access);
    return CL_SUCCESS;
  }
  if (what != CL_DEVICE_EXTENSIONS) return call(device, what, size, value, needed);
  size_t length = 0;
  if (const cl_int error = call(device, what, 0, nullptr, &length); error != CL_SUCCESS) return error;
  std::string names(length, '\0');
  if (const cl_int error = call(device, what, length, names.data(), nullptr); error != CL_SUCCESS) return error;
  names = names.c_str() + std::string(kExtension);
  if (needed != nullptr) *needed = names.size() + 1;
  if (value == nullptr) return CL_SUCCESS;
  if (size < names.size() + 1) return CL_INVALID_VALUE;
  memcpy(value, names.c_str(), names.size() + 1);
  return CL_SUCCESS;
}

void* clHostMemAllocINTEL(cl_context context, const cl_bitfield*, size_t size, cl_uint, cl_int* error) {
  return allocate(context, size, error);
}

void* clDeviceMemAllocINTEL(cl_context context, cl_device_id, const cl_bitfield*, size_t size, cl_uint, cl_int* error) {
  return allocate(context, size, error);
}

void* clSharedMemAllocINTEL(cl_context context, cl_device_id, const cl_bitfield*, size_t size, cl_uint, cl_int* error) {
  return allocate(context, size, error);
}

cl_int clMemFreeINTEL(cl_context context, void* pointer) {
  {
    std::lock_guard lock(allocations().mutex);
    if (allocations().all.erase(pointer) == 0) return CL_INVALID_VALUE;
  }
  real(clSVMFree, "clSVMFree")(context, pointer);
  return CL_SUCCESS;
}

cl_int clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint index, const void* value) {
  return real(clSetKernelArgSVMPointer, "clSetKernelArgSVMPointer")(kernel, index, value);
}

cl_int clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void* dst, const void* src, size_t size, cl_uint count,
                            const cl_event* list, cl_event* event) {
  return real(clEnqueueSVMMemcpy, "clEnqueueSVMMemcpy")(queue, blocking, dst, src, size, count, list, event);
}

cl_int clEnqueueMemFillINTEL(cl_command_queue queue, void* dst, const void* pattern, size_t pattern_size, size_t size,
                             cl_uint count, const cl_event* list, cl_event* event) {
  return real(clEnqueueSVMMemFill, "clEnqueueSVMMemFill")(queue, dst, pattern, pattern_size, size, count, list, event);
}

cl_int clSetKernelExecInfo(cl_kernel, cl_kernel_exec_info what, size_t size, const void*) {
  return what >= kFirstFlag && what <= kLastFlag && size == sizeof(cl_bool) ? CL_SUCCESS : CL_INVALID_VALUE;
}

}  // extern "C"
