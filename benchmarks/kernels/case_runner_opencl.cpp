// A case through the OpenCL loader, on PoCL or on Intel's runtime.
#include "case_runner_opencl.h"

#if BENCH_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace sixty {
namespace {

void require(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw RunError(std::string(what) + " fails with " + std::to_string(status));
}

template <class Object, class Query>
std::string textOf(Object object, Query what, cl_int (*ask)(Object, Query, size_t, void*, size_t*)) {
  std::size_t size = 0;
  if (ask(object, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (ask(object, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(size - 1);
  return text;
}
std::string nameOf(cl_platform_id platform) {
  return textOf<cl_platform_id, cl_platform_info>(platform, CL_PLATFORM_NAME, clGetPlatformInfo);
}
std::string textOfDevice(cl_device_id device, cl_device_info what) {
  return textOf<cl_device_id, cl_device_info>(device, what, clGetDeviceInfo);
}

class ClRunner final : public CaseRunner {
 public:
  ClRunner(cl_context context, cl_device_id device, cl_command_queue queue, const Kernel& kernel, const Case& given,
           bool relaxed)
      : case_(given), queue_(queue) {
    try {
      build(context, device, readSource(kernel), optionsOf(kernel, relaxed));
      for (const Buffer& buffer : case_.buffers) {
        cl_int status;
        cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, buffer.bytes.size(), nullptr, &status);
        require(status, "clCreateBuffer");
        memory_.push_back(memory);
      }
      for (const Launch& launch : case_.launches) prepare(launch);
      restore();
    } catch (...) {
      release();
      throw;
    }
  }
  ~ClRunner() override { release(); }

  void restore() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::vector<std::byte>& bytes = case_.buffers[i].bytes;
      require(clEnqueueWriteBuffer(queue_, memory_[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
  }
  void run() override {
    for (std::size_t i = 0; i < case_.launches.size(); ++i) {
      const Launch& launch = case_.launches[i];
      require(clEnqueueNDRangeKernel(queue_, kernels_[i], 3, nullptr, launch.global.data(), launch.local.data(), 0, nullptr,
                                     nullptr),
              "clEnqueueNDRangeKernel");
    }
    require(clFinish(queue_), "clFinish");
  }
  std::vector<std::byte> read(std::size_t index) override {
    std::vector<std::byte> bytes(case_.buffers[index].bytes.size());
    require(clEnqueueReadBuffer(queue_, memory_[index], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    return bytes;
  }

 private:
  void build(cl_context context, cl_device_id device, const std::string& source, const std::string& options) {
    cl_int status;
    const char* text = source.c_str();
    program_ = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    require(status, "clCreateProgramWithSource");
    status = clBuildProgram(program_, 1, &device, options.c_str(), nullptr, nullptr);
    if (status == CL_SUCCESS) return;
    std::size_t size = 0;
    (void)clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    (void)clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    throw RunError("build: " + log);
  }
  // Each launch has a kernel object of its own, so that its arguments are set once.
  void prepare(const Launch& launch) {
    cl_int status;
    kernels_.push_back(clCreateKernel(program_, launch.kernel.c_str(), &status));
    require(status, "clCreateKernel");
    cl_uint index = 0;
    for (const Argument& argument : launch.arguments) {
      switch (argument.kind) {
        case Argument::Kind::Buffer:
          status = clSetKernelArg(kernels_.back(), index, sizeof(cl_mem), &memory_.at(argument.buffer_or_size));
          break;
        case Argument::Kind::Scalar:
          status = clSetKernelArg(kernels_.back(), index, argument.scalar_size, argument.scalar.data());
          break;
        case Argument::Kind::Local:
          status = clSetKernelArg(kernels_.back(), index, argument.buffer_or_size, nullptr);
          break;
      }
      require(status, "clSetKernelArg");
      ++index;
    }
  }
  void release() {
    for (cl_kernel kernel : kernels_) {
      if (kernel != nullptr) (void)clReleaseKernel(kernel);
    }
    for (cl_mem memory : memory_) (void)clReleaseMemObject(memory);
    if (program_ != nullptr) (void)clReleaseProgram(program_);
  }

  const Case& case_;
  cl_command_queue queue_;
  cl_program program_ = nullptr;
  std::vector<cl_mem> memory_;
  std::vector<cl_kernel> kernels_;
};

class ClDriver final : public OpenClDriver {
 public:
  ClDriver(cl_platform_id platform, cl_device_id device) : platform_(platform), device_(device) {
    cl_int status;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    require(status, "clCreateCommandQueue");
  }
  ~ClDriver() override {
    (void)clReleaseCommandQueue(queue_);
    (void)clReleaseContext(context_);
  }
  std::string version() const override { return nameOf(platform_) + " " + textOfDevice(device_, CL_DRIVER_VERSION); }
  std::unique_ptr<CaseRunner> runner(const Kernel& kernel, const Case& given, bool relaxed) override {
    return std::make_unique<ClRunner>(context_, device_, queue_, kernel, given, relaxed);
  }

 private:
  cl_platform_id platform_;
  cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_;
};

}  // namespace

std::unique_ptr<OpenClDriver> OpenClDriver::find(const std::string& name, std::string* why) {
  const std::string word = name == "PoCL" ? "Portable Computing Language" : name;
  *why = name + " is not installed";
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    if (nameOf(platforms[i]).find(word) == std::string::npos) continue;
    cl_device_id devices[16];
    cl_uint found = 0;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 16, devices, &found) != CL_SUCCESS) continue;
    for (cl_uint k = 0; k < found && k < 16; ++k) {
      // PoCL's device "basic" runs everything on one thread.
      if (textOfDevice(devices[k], CL_DEVICE_NAME).rfind("basic", 0) == 0) continue;
      try {
        return std::make_unique<ClDriver>(platforms[i], devices[k]);
      } catch (const RunError& error) {
        *why = name + ": " + error.what();
      }
    }
  }
  return nullptr;
}

}  // namespace sixty

#else

namespace sixty {
std::unique_ptr<OpenClDriver> OpenClDriver::find(const std::string&, std::string* why) {
  *why = "built without OpenCL";
  return nullptr;
}
}  // namespace sixty

#endif
