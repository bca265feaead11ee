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

class PoclKernel final : public OpenClKernel {
 public:
  PoclKernel(cl_device_id device, const std::string& source, const char* options, const char* name) {
    cl_int status;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device, 0, &status);
    require(status, "clCreateCommandQueue");
    const char* text = source.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
    require(status, "clCreateProgramWithSource");
    require(clBuildProgram(program_, 1, &device, options, nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, name, &status);
    require(status, "clCreateKernel");
  }
  ~PoclKernel() override {
    for (cl_mem memory : memory_) {
      if (memory != nullptr) clReleaseMemObject(memory);
    }
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  void buffer(uint32_t argument, size_t size, const void* contents) override {
    cl_int status;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (contents != nullptr ? CL_MEM_COPY_HOST_PTR : 0);
    memory_[argument] = clCreateBuffer(context_, flags, size, const_cast<void*>(contents), &status);
    require(status, "clCreateBuffer");
    require(clSetKernelArg(kernel_, argument, sizeof(cl_mem), &memory_[argument]), "clSetKernelArg");
  }
  void value(uint32_t argument, size_t size, const void* value) override {
    require(clSetKernelArg(kernel_, argument, size, value), "clSetKernelArg");
  }
  void run(const size_t global[2], const size_t local[2]) override {
    require(clEnqueueNDRangeKernel(queue_, kernel_, 2, nullptr, global, local, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
    require(clFinish(queue_), "clFinish");
  }
  void read(uint32_t argument, size_t size, void* contents) override {
    require(clEnqueueReadBuffer(queue_, memory_[argument], CL_TRUE, 0, size, contents, 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
  }

 private:
  cl_context context_;
  cl_command_queue queue_;
  cl_program program_;
  cl_kernel kernel_;
  cl_mem memory_[16] = {};
};

cl_device_id deviceOf(const char* driver, std::string* why) {
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
    if (strncmp(name, driver, strlen(driver)) == 0) return devices[i];
  }
  *why = std::string("PoCL has no driver \"") + driver + "\" here";
  return nullptr;
}

}  // namespace

std::unique_ptr<OpenClPeer> OpenClPeer::find(const char* driver, std::string* why) {
  cl_device_id device = deviceOf(driver, why);
  return device != nullptr ? std::make_unique<Pocl>(device) : nullptr;
}

std::unique_ptr<OpenClKernel> OpenClKernel::build(const char* driver, const std::string& source, const char* options,
                                                  const char* name, std::string* why) {
  cl_device_id device = deviceOf(driver, why);
  return device != nullptr ? std::make_unique<PoclKernel>(device, source, options, name) : nullptr;
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
