// The OpenCL backend beside raw OpenCL in one process, on every device that is no emulator. It has launches (P17), memory from
// the pool beside buffers of the driver (P8), the replay of a graph beside its launches, and copies. A comparison's name ends
// with the device and its tier of memory; RT_OPENCL_MEMORY forces another one.
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "machine.h"

namespace {

using namespace bench;

#define CL_CHECK(call)                                                            \
  do {                                                                            \
    if (const cl_int error = (call); error != CL_SUCCESS) {                       \
      fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, error); \
      exit(EXIT_FAILURE);                                                         \
    }                                                                             \
  } while (0)

// Eight arguments, and next to nothing to do; both sides build this text.
constexpr char kSource[] =
    "__kernel void eight(__global float* a, __global float* b, __global float* c, __global float* d, uint rows, uint columns,\n"
    "                    ulong stride, float scale) { if (rows == columns) a[0] = b[0] + c[0] * d[stride] * scale; }\n";
constexpr size_t kBlock = 64 << 10;  // of P8

uint32_t rows = 3, columns = 4;
uint64_t stride = 5;
float scale = 1;

template <class Make>
auto made(Make make) {
  cl_int outcome = CL_SUCCESS;
  const auto object = make(&outcome);
  CL_CHECK(outcome);
  return object;
}

// One device, from both sides.
struct Both {
  explicit Both(rtDevice_t device);
  void finish() const { CL_CHECK(clFinish(queue)); }
  void synchronize() const { RT_CHECK(rtStreamSynchronize(stream)); }

  std::string name;  // "pocl_basic_svm"
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  rtKernel_t kernel = nullptr;
  void* memory = nullptr;
  void* args[8];
  cl_context raw_context = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel rawKernel() const;  // another one, with its arguments

  cl_program raw_program = nullptr;
  cl_kernel raw_kernel = nullptr;
  cl_kernel raw_svm_kernel = nullptr;  // with addresses of shared virtual memory, where ours has such
  cl_mem raw_memory = nullptr;
};

const char* tierName(int32_t tier) {
  return tier == RT_MEMORY_TIER_USM ? "usm" : tier == RT_MEMORY_TIER_SVM ? "svm" : "buffer";
}

std::string slug(const rtDeviceProperties_t& properties) {
  const std::string name = properties.name;
  for (const char* driver : {"basic", "pthread"}) {
    if (name.rfind(std::string(driver) + "-", 0) == 0) return std::string("pocl_") + driver;
  }
  if (name.rfind("cpu-", 0) == 0) return "pocl_cpu";
  if (name.find("NVIDIA") != name.npos) return "nvidia";
  return "device" + std::to_string(properties.ordinal);
}

void setValues(cl_kernel kernel) {
  CL_CHECK(clSetKernelArg(kernel, 4, sizeof rows, &rows));
  CL_CHECK(clSetKernelArg(kernel, 5, sizeof columns, &columns));
  CL_CHECK(clSetKernelArg(kernel, 6, sizeof stride, &stride));
  CL_CHECK(clSetKernelArg(kernel, 7, sizeof scale, &scale));
}

Both::Both(rtDevice_t device) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  uint64_t native[2];
  rtModule_t module;
  RT_CHECK(rtDeviceGetProperties(&properties, device));
  RT_CHECK(rtDeviceGetNative(native, device));
  name = slug(properties) + "_" + tierName(properties.memory_tier);
  RT_CHECK(rtContextCreate(&context, nullptr, device));
  stream = createStream(context);
  RT_CHECK(rtModuleCreateFromSource(&module, kSource, nullptr, context));
  RT_CHECK(rtModuleGetKernel(&kernel, "eight", module));
  RT_CHECK(rtMalloc(&memory, 4096, context));
  void* values[] = {&memory, &memory, &memory, &memory, &rows, &columns, &stride, &scale};
  memcpy(args, values, sizeof args);

  auto id = reinterpret_cast<cl_device_id>(native[0]);
  raw_context = made([&](cl_int* error) { return clCreateContext(nullptr, 1, &id, nullptr, nullptr, error); });
  queue = made([&](cl_int* error) { return clCreateCommandQueue(raw_context, id, 0, error); });
  const char* text = kSource;
  raw_program = made([&](cl_int* error) { return clCreateProgramWithSource(raw_context, 1, &text, nullptr, error); });
  CL_CHECK(clBuildProgram(raw_program, 1, &id, "", nullptr, nullptr));
  raw_memory = made([&](cl_int* error) { return clCreateBuffer(raw_context, CL_MEM_READ_WRITE, 4096, nullptr, error); });
  raw_kernel = rawKernel();
  if (properties.memory_tier != RT_MEMORY_TIER_SVM) return;
  raw_svm_kernel = made([&](cl_int* error) { return clCreateKernel(raw_program, "eight", error); });
  void* shared = clSVMAlloc(raw_context, CL_MEM_READ_WRITE, 4096, 0);
  for (cl_uint i = 0; i < 4; ++i) CL_CHECK(clSetKernelArgSVMPointer(raw_svm_kernel, i, shared));
  setValues(raw_svm_kernel);
}

cl_kernel Both::rawKernel() const {
  cl_kernel fresh = made([&](cl_int* error) { return clCreateKernel(raw_program, "eight", error); });
  for (cl_uint i = 0; i < 4; ++i) CL_CHECK(clSetKernelArg(fresh, i, sizeof raw_memory, &raw_memory));
  setValues(fresh);
  return fresh;
}

void launch(const Both& on) { RT_CHECK(rtLaunchKernel(on.kernel, 1, 1, 1, 1, 1, 1, 0, on.stream, on.args, RT_ARGS_ALL)); }

void launchRaw(const Both& on, cl_kernel kernel) {
  const size_t one = 1;
  CL_CHECK(clEnqueueNDRangeKernel(on.queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr));
}

void registerLaunches(const Both& on) {
  Comparison launches("P17_launch_" + on.name);
  launches.ours("manyrt", calls([&on] { launch(on); }, [&on] { on.synchronize(); }))
      .peer("clEnqueueNDRangeKernel", calls([&on] { launchRaw(on, on.raw_kernel); }, [&on] { on.finish(); }));
  if (on.raw_svm_kernel != nullptr) {
    launches.peer("clEnqueueNDRangeKernel_svm", calls([&on] { launchRaw(on, on.raw_svm_kernel); }, [&on] { on.finish(); }));
  }
  registerComparison(std::move(launches));
  registerComparison(Comparison("P17_launch_synchronize_" + on.name)
                         .ours("manyrt", hot([&on] {
                                 launch(on);
                                 on.synchronize();
                               }))
                         .peer("opencl", hot([&on] {
                                 launchRaw(on, on.raw_kernel);
                                 on.finish();
                               })));
}

rtGraphExec_t graphOf(const Both& on, int count) {
  rtGraph_t graph;
  rtGraphExec_t exec;
  RT_CHECK(rtStreamBeginCapture(on.stream));
  for (int i = 0; i < count; ++i) launch(on);
  RT_CHECK(rtStreamEndCapture(&graph, on.stream));
  RT_CHECK(rtGraphInstantiate(&exec, graph, on.context));
  RT_CHECK(rtGraphDestroy(graph));
  return exec;
}

// Each of a hundred small kernels in a line. The peer has a cl_kernel with its arguments for each, too.
void registerReplays(const Both& on) {
  constexpr int kNodes = 100;
  const rtGraphExec_t exec = graphOf(on, kNodes);
  std::vector<cl_kernel> kernels;
  for (int i = 0; i < kNodes; ++i) kernels.push_back(on.rawKernel());
  const auto replay = [&on, exec] {
    RT_CHECK(rtGraphLaunch(exec, on.stream));
    on.synchronize();
  };
  const auto each = [&on] {
    for (int i = 0; i < kNodes; ++i) launch(on);
    on.synchronize();
  };
  const auto raw = [&on, kernels] {
    for (cl_kernel kernel : kernels) launchRaw(on, kernel);
    on.finish();
  };
  registerComparison(Comparison("replay_100_" + on.name)
                         .ours("manyrt", hot(replay, kNodes))
                         .ours("manyrt_launches", hot(each, kNodes))
                         .peer("clEnqueueNDRangeKernel", hot(raw, kNodes)));
}

void registerMemory(const Both& on) {
  registerComparison(Comparison("P8_malloc_free_" + on.name)
                         .ours("manyrt", hot([&on] {
                                 void* block;
                                 RT_CHECK(rtMallocAsync(&block, kBlock, on.stream));
                                 RT_CHECK(rtFreeAsync(block, on.stream));
                               }))
                         .peer("clCreateBuffer", hot([&on] {
                                 cl_mem block = made([&](cl_int* error) {
                                   return clCreateBuffer(on.raw_context, CL_MEM_READ_WRITE, kBlock, nullptr, error);
                                 });
                                 CL_CHECK(clReleaseMemObject(block));
                               })));
}

void registerCopies(const Both& on) {
  static std::vector<char> host(64 << 20, 1);
  const struct {
    size_t bytes;
    const char* text;
  } sizes[] = {{4 << 10, "4KiB"}, {1 << 20, "1MiB"}, {64 << 20, "64MiB"}};
  for (const auto& size : sizes) {
    void* device;
    RT_CHECK(rtMalloc(&device, size.bytes, on.context));
    RT_CHECK(rtMemset(device, 1, size.bytes));
    cl_mem raw =
        made([&](cl_int* error) { return clCreateBuffer(on.raw_context, CL_MEM_READ_WRITE, size.bytes, nullptr, error); });
    const size_t bytes = size.bytes;
    CL_CHECK(clEnqueueWriteBuffer(on.queue, raw, CL_TRUE, 0, bytes, host.data(), 0, nullptr, nullptr));
    const std::string suffix = std::string(size.text) + "_" + on.name;
    registerComparison(
        Comparison("copy_to_device_" + suffix)
            .bytes(bytes)
            .ours("manyrt", hot([=] { RT_CHECK(rtMemcpy(device, host.data(), bytes, RT_MEMCPY_DEFAULT)); }))
            .peer("clEnqueueWriteBuffer", hot([=, &on] {
                    CL_CHECK(clEnqueueWriteBuffer(on.queue, raw, CL_TRUE, 0, bytes, host.data(), 0, nullptr, nullptr));
                  })));
    registerComparison(Comparison("copy_to_host_" + suffix)
                           .bytes(bytes)
                           .ours("manyrt", hot([=] { RT_CHECK(rtMemcpy(host.data(), device, bytes, RT_MEMCPY_DEFAULT)); }))
                           .peer("clEnqueueReadBuffer", hot([=, &on] {
                                   CL_CHECK(
                                       clEnqueueReadBuffer(on.queue, raw, CL_TRUE, 0, bytes, host.data(), 0, nullptr, nullptr));
                                 })));
  }
}

}  // namespace

int main(int argc, char** argv) {
  setenv("POCL_DEVICES", "basic pthread", 0);
  begin(&argc, argv);
  int32_t count = 0;
  RT_CHECK(rtDeviceGetCount(&count, RT_BACKEND_OPENCL));
  if (count == 0) {
    printf("SKIP: there is no OpenCL device\n");
    return 77;
  }
  std::vector<std::unique_ptr<Both>> devices;
  for (int32_t i = 0; i < count; ++i) {
    rtDevice_t device;
    RT_CHECK(rtDeviceGet(&device, RT_BACKEND_OPENCL, i));
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    RT_CHECK(rtDeviceGetProperties(&properties, device));
    if (strstr(properties.name, "Oclgrind") != nullptr) continue;
    devices.push_back(std::make_unique<Both>(device));
    note(("device_" + devices.back()->name).c_str(), std::string(properties.name) + ", " + properties.driver_version);
  }
  for (const auto& each : devices) {
    registerLaunches(*each);
    registerReplays(*each);
    registerMemory(*each);
    registerCopies(*each);
  }
  return finish();
}
