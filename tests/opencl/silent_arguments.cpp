// A loader for RT_OPENCL whose programs have no information on arguments, and whose clSetKernelArg takes exactly what the
// standard says. So do Intel's runtime and binaries. With SILENT_ARGUMENTS=careless it takes any size instead, as other drivers
// do. It is linked with the real loader, whose other functions it has, and asks that one what an argument is.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <string>

namespace {

template <typename Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) real(&(name), #name)

// The size of a type, of those in tests/opencl/interop_test.cpp.
size_t sizeOf(const std::string& type) {
  static const std::map<std::string, size_t> kSizes = {{"uchar", 1},  {"short", 2}, {"uint", 4},   {"float", 4},
                                                       {"double", 8}, {"ulong", 8}, {"uint3", 16}, {"Pair", 16}};
  const auto found = kSizes.find(type);
  return found == kSizes.end() ? 0 : found->second;
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel, cl_uint, cl_kernel_arg_info, size_t, void*, size_t*) {
  return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  const auto ask = REAL(clGetKernelArgInfo);
  cl_kernel_arg_address_qualifier space = 0;
  char type[256] = "";
  (void)ask(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr);
  (void)ask(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr);
  const char* way = std::getenv("SILENT_ARGUMENTS");
  if (way != nullptr && std::string(way) == "careless") return CL_SUCCESS;
  if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
    if (value != nullptr) return CL_INVALID_ARG_VALUE;
    if (size == 0) return CL_INVALID_ARG_SIZE;
  } else if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
    if (size != sizeOf(type)) return CL_INVALID_ARG_SIZE;
    if (value == nullptr) return CL_INVALID_ARG_VALUE;
  } else if (size != sizeof(cl_mem)) {
    return CL_INVALID_ARG_SIZE;
  }
  return REAL(clSetKernelArg)(kernel, index, size, value);
}
}
