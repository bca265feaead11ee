// PoCL as a peer: its drivers "basic" (runs kernels on the calling thread) and "pthread" (on threads of its own).
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "peers.h"

namespace bench {
namespace {

constexpr char kSource[] = "__kernel void nothing() {}";

void require(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "%s fails with %d\n", what, status);
  exit(EXIT_FAILURE);
}

cl_platform_id platform() {
  cl_platform_id all[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, all, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    char name[256] = "";
    clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    if (strcmp(name, "Portable Computing Language") == 0) return all[i];
  }
  return nullptr;
}

class Pocl final : public OpenClPeer {
 public:
  explicit Pocl(cl_device_id device) {
    cl_int status;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context, device, 0, &status);
    require(status, "clCreateCommandQueue");
    const char* source = kSource;
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    require(status, "clCreateProgramWithSource");
    require(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program, "nothing", &status);
    require(status, "clCreateKernel");
  }
  void launch(uint64_t groups) override {
    const size_t global = groups, local = 1;
    require(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &global, &local, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
  }
  void flush() override { clFlush(queue_); }
  void finish() override { require(clFinish(queue_), "clFinish"); }

 private:
  cl_command_queue queue_;
  cl_kernel kernel_;
};

}  // namespace

std::unique_ptr<OpenClPeer> OpenClPeer::find(const char* driver, std::string* why) {
  cl_platform_id pocl = platform();
  cl_device_id devices[16];
  cl_uint count = 0;
  if (pocl == nullptr || clGetDeviceIDs(pocl, CL_DEVICE_TYPE_ALL, 16, devices, &count) != CL_SUCCESS) {
    *why = "PoCL is not installed";
    return nullptr;
  }
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    char name[256] = "";
    clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
    // "basic", or "pthread-" and the model; newer ones are called "cpu".
    if (strncmp(name, driver, strlen(driver)) == 0) return std::make_unique<Pocl>(devices[i]);
  }
  *why = std::string("PoCL has no driver \"") + driver + "\" here";
  return nullptr;
}

std::string OpenClPeer::version() {
  cl_platform_id pocl = platform();
  char text[256] = "";
  if (pocl == nullptr || clGetPlatformInfo(pocl, CL_PLATFORM_VERSION, sizeof text - 1, text, nullptr) != CL_SUCCESS)
    return "missing";
  const char* name = strstr(text, "PoCL");
  std::string version = name != nullptr ? name : text;
  return version.substr(0, version.find("  "));
}

bool startOpenCl(std::string* why) {
  cl_platform_id pocl = platform();
  cl_device_id device;
  cl_int status;
  if (pocl == nullptr || clGetDeviceIDs(pocl, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) {
    *why = "PoCL is not installed";
    return false;
  }
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  require(status, "clCreateContext");
  (void)clCreateCommandQueue(context, device, 0, &status);
  require(status, "clCreateCommandQueue");
  return true;
}

}  // namespace bench
