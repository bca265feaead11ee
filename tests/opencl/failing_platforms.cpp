// A loader for RT_OPENCL. It is linked with the real one, whose functions it has but for these four. It has two platforms more,
// in front of and after the real ones. One cannot list its devices, the other has a device that cannot describe itself.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstring>

namespace {

char first, last, broken;  // their addresses stand for the objects

template <typename Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <typename Handle>
bool is(Handle handle, const char& object) {
  return reinterpret_cast<const char*>(handle) == &object;
}

}  // namespace

extern "C" {

cl_int clGetPlatformIDs(cl_uint capacity, cl_platform_id* platforms, cl_uint* count) {
  auto* call = real(clGetPlatformIDs, "clGetPlatformIDs");
  cl_uint there = 0;
  if (call(0, nullptr, &there) != CL_SUCCESS) there = 0;
  if (count != nullptr) *count = there + 2;
  if (platforms == nullptr) return CL_SUCCESS;
  if (capacity < there + 2) return CL_INVALID_VALUE;
  platforms[0] = reinterpret_cast<cl_platform_id>(&first);
  platforms[there + 1] = reinterpret_cast<cl_platform_id>(&last);
  return there == 0 ? CL_SUCCESS : call(there, platforms + 1, nullptr);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void* value, size_t* needed) {
  if (!is(platform, first) && !is(platform, last)) {
    return real(clGetPlatformInfo, "clGetPlatformInfo")(platform, what, size, value, needed);
  }
  const char* name = is(platform, first) ? "First that fails" : "Last that fails";
  if (needed != nullptr) *needed = strlen(name) + 1;
  if (value == nullptr) return CL_SUCCESS;
  if (size < strlen(name) + 1) return CL_INVALID_VALUE;
  memcpy(value, name, strlen(name) + 1);
  return CL_SUCCESS;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint capacity, cl_device_id* devices, cl_uint* count) {
  if (is(platform, first)) return CL_OUT_OF_RESOURCES;
  if (!is(platform, last)) return real(clGetDeviceIDs, "clGetDeviceIDs")(platform, type, capacity, devices, count);
  if (count != nullptr) *count = 1;
  if (devices != nullptr) devices[0] = reinterpret_cast<cl_device_id>(&broken);
  return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* needed) {
  if (is(device, broken)) return CL_INVALID_DEVICE;
  return real(clGetDeviceInfo, "clGetDeviceInfo")(device, what, size, value, needed);
}

}  // extern "C"
