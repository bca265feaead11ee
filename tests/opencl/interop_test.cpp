// The library beside a program's own OpenCL calls: buffers, queues and binaries that the program made, in the library's
// context.
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "opencl_test.h"

namespace rttest {
namespace {

using manyrt::opencl::table;

class OpenClInteropTest : public OpenClDeviceTest {
 protected:
  void SetUp() override {
    OpenClDeviceTest::SetUp();
    uint64_t native[2] = {0, 0};
    ASSERT_RT_OK(rtContextGetNative(native, context_));
    cl_context_ = reinterpret_cast<cl_context>(native[0]);
    ASSERT_RT_OK(rtDeviceGetNative(native, device_));
    cl_device_ = reinterpret_cast<cl_device_id>(native[0]);
  }
  template <typename T>
  static uint64_t number(T* object) {
    return reinterpret_cast<uintptr_t>(object);
  }
  // The binary that the driver made of a module.
  std::vector<unsigned char> binaryOf(rtModule_t module) {
    uint64_t native[2] = {0, 0};
    EXPECT_RT_OK(rtModuleGetNative(native, module));
    auto* program = reinterpret_cast<cl_program>(native[0]);
    size_t size = 0;
    EXPECT_EQ(table().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
    std::vector<unsigned char> binary(size);
    unsigned char* into = binary.data();
    EXPECT_EQ(table().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof into, &into, nullptr), CL_SUCCESS);
    return binary;
  }
  rtStatus_t loadBinary(const std::vector<unsigned char>& binary) {
    rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
    options.format = RT_IMAGE_OPENCL_BINARY;
    return rtModuleLoadData(loaded_.out(), binary.data(), binary.size(), &options, context_);
  }
  void TearDown() override {
    EXPECT_RT_OK(loaded_.reset());
    OpenClDeviceTest::TearDown();
  }

  cl_context cl_context_ = nullptr;
  cl_device_id cl_device_ = nullptr;
  Module loaded_;
};
INSTANTIATE_TEST_SUITE_P(, OpenClInteropTest, testing::ValuesIn(openClDevices()), testName);

TEST_P(OpenClInteropTest, ABufferOfTheProgramIsImportedAndGivenBack) {
  cl_int error = CL_SUCCESS;
  cl_mem buffer = table().clCreateBuffer(cl_context_, CL_MEM_READ_WRITE, 4096, nullptr, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const uint64_t native[2] = {number(buffer), 256};
  void* pointer = nullptr;
  uint32_t seen = 0;
  ASSERT_RT_OK(rtMemImport(&pointer, native, 1024, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(pointer, 0, 1025, stream_)) << "the range is what was imported";
  ASSERT_RT_OK(rtMemFillAsync(pointer, "abcd", 4, 256, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, static_cast<char*>(pointer) + 1020, 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(std::memcmp(&seen, "abcd", 4), 0);
  uint64_t back[2] = {0, 0};
  ASSERT_RT_OK(rtPointerGetNative(back, static_cast<char*>(pointer) + 8));
  EXPECT_EQ(back[0], native[0]);
  ASSERT_RT_OK(rtFree(pointer));
  const uint64_t outside[2] = {number(buffer), 4000};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemImport(&pointer, outside, 1024, context_));
  EXPECT_EQ(table().clReleaseMemObject(buffer), CL_SUCCESS);
}

TEST_P(OpenClInteropTest, AnAddressOfTheLibraryIsNoBufferToImport) {
  Memory device, host;
  ASSERT_RT_OK(rtMalloc(device.out(), 64, context_));
  ASSERT_RT_OK(rtMallocHost(host.out(), 64, context_));
  for (void* address : {device.as<void>(), device.as<void>(8), host.as<void>(8)}) {
    const uint64_t native[2] = {number(address), 0};
    void* pointer = address;
    EXPECT_RT(RT_ERROR_NOT_FOUND, rtMemImport(&pointer, native, 16, context_));
    EXPECT_EQ(pointer, nullptr);
    EXPECT_NE(lastMessage().find("no cl_mem"), std::string::npos) << lastMessage();
  }
}

TEST_P(OpenClInteropTest, AQueueOfTheProgramIsImported) {
  cl_int error = CL_SUCCESS;
  cl_command_queue queue = table().clCreateCommandQueue(cl_context_, cl_device_, CL_QUEUE_PROFILING_ENABLE, &error);
  ASSERT_EQ(error, CL_SUCCESS);
  const uint64_t native[2] = {number(queue), 0};
  Stream imported;
  Memory memory;
  uint32_t seen = 0;
  ASSERT_RT_OK(rtStreamImport(imported.out(), native, context_));
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  ASSERT_RT_OK(rtMemFillAsync(memory, "wxyz", 4, 16, imported));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, memory, 4, RT_MEMCPY_DEFAULT, imported));
  ASSERT_RT_OK(rtStreamSynchronize(imported));
  EXPECT_EQ(std::memcmp(&seen, "wxyz", 4), 0);
  ASSERT_RT_OK(imported.reset());
  EXPECT_EQ(table().clReleaseCommandQueue(queue), CL_SUCCESS);
}

constexpr char kSource[] =
    "__kernel void sum(__global uint* out, __global const uint* in, uint count, __local uint* scratch) {\n"
    "  scratch[0] = 0;\n"
    "  for (uint i = 0; i < count; ++i) scratch[0] += in[i];\n"
    "  out[0] = scratch[0];\n"
    "}\n";

// The binary of a program that knows nothing of offsets: made by the driver alone.
std::vector<unsigned char> compileNatively(cl_context context, cl_device_id device, const char* text = kSource) {
  cl_int error = CL_SUCCESS;
  cl_program program = table().clCreateProgramWithSource(context, 1, &text, nullptr, &error);
  EXPECT_EQ(error, CL_SUCCESS);
  EXPECT_EQ(table().clBuildProgram(program, 1, &device, "-cl-kernel-arg-info", nullptr, nullptr), CL_SUCCESS);
  size_t size = 0;
  EXPECT_EQ(table().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
  std::vector<unsigned char> binary(size);
  unsigned char* into = binary.data();
  EXPECT_EQ(table().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof into, &into, nullptr), CL_SUCCESS);
  EXPECT_EQ(table().clReleaseProgram(program), CL_SUCCESS);
  return binary;
}

TEST_P(OpenClInteropTest, ABinaryOfTheDriverRunsAndKnowsItsArguments) {
  ASSERT_RT_OK(loadBinary(compileNatively(cl_context_, cl_device_)));
  rtKernel_t sum = nullptr;
  ASSERT_RT_OK(rtModuleGetKernel(&sum, "sum", loaded_));
  rtKernelArgInfo_t info = RT_KERNEL_ARG_INFO_INIT;
  ASSERT_RT_OK(rtKernelGetArgInfo(&info, 2, sum));
  EXPECT_EQ(info.size, 4u);
  EXPECT_EQ(info.kind, RT_ARG_VALUE);
  ASSERT_RT_OK(rtKernelGetArgInfo(&info, 3, sum));
  EXPECT_EQ(info.kind, RT_ARG_LOCAL);
  Memory memory;
  const uint32_t values[4] = {1, 20, 300, 4000};
  uint32_t seen = 0;
  ASSERT_RT_OK(rtMalloc(memory.out(), 8192, context_));
  ASSERT_RT_OK(rtMemcpyAsync(memory.as<void>(4096), values, sizeof values, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(launchOver(sum, stream_, 1, 1, memory.get(), memory.as<void>(4096), 4u, size_t{4}));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, memory, 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen, 4321u);
  if (inBuffers()) {
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, launchOver(sum, stream_, 1, 1, memory.get(), memory.as<void>(4), 1u, size_t{4}));
    EXPECT_NE(lastMessage().find("rgument 1"), std::string::npos) << lastMessage();
  }
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

// Without information on arguments the driver is asked by clSetKernelArg, which tells the size of a struct, too.
TEST_P(OpenClInteropTest, ABinaryIsTakenAlsoWithoutInformationOnItsArguments) {
  const char* text =
      "kernel void mixed(global uint *out, constant uint *in, local uint *own, uchar a, uint3 b, ulong c, short d, float e) {\n"
      "  own[0] = in[0];\n"
      "  out[0] = own[0] + a * 10u + b.z * 100u + (uint)(c >> 32) * 1000u + d * 10000u + (uint)e * 100000u;\n}\n";
  ASSERT_RT_OK(loadBinary(compileNatively(cl_context_, cl_device_, text)));
  rtKernel_t mixed = nullptr;
  ASSERT_RT_OK(rtModuleGetKernel(&mixed, "mixed", loaded_));
  const struct {
    int32_t kind;
    uint32_t size;
  } kinds[] = {{RT_ARG_POINTER, 8}, {RT_ARG_POINTER, 8}, {RT_ARG_LOCAL, 8}, {RT_ARG_VALUE, 1},
               {RT_ARG_VALUE, 16},  {RT_ARG_VALUE, 8},   {RT_ARG_VALUE, 2}, {RT_ARG_VALUE, 4}};
  rtKernelArgInfo_t info = RT_KERNEL_ARG_INFO_INIT;
  for (uint32_t i = 0; i < std::size(kinds); ++i) {
    ASSERT_RT_OK(rtKernelGetArgInfo(&info, i, mixed));
    EXPECT_EQ(info.kind, kinds[i].kind) << i;
    EXPECT_EQ(info.size, kinds[i].size) << i;
  }
  Memory memory;
  const uint32_t one = 1;
  uint32_t seen = 0;
  struct alignas(16) {
    uint32_t s[4] = {0, 0, 3, 0};
  } three;
  ASSERT_RT_OK(rtMalloc(memory.out(), 8192, context_));
  ASSERT_RT_OK(rtMemcpyAsync(memory.as<void>(4096), &one, sizeof one, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(launchOver(mixed, stream_, 1, 1, memory.get(), memory.as<void>(4096), size_t{4}, uint8_t{2}, three,
                          uint64_t{4} << 32, int16_t{5}, 6.0f));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, memory, 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen, 654321u);
}

TEST_P(OpenClInteropTest, ABinaryWithAStructIsTakenWhereTheDriverTellsItsSize) {
  const char* text =
      "typedef struct { ulong a; uint b; } Pair;\n"
      "kernel void first(global uint *out, Pair pair) { out[0] = pair.b; }\n";
  const std::vector<unsigned char> binary = compileNatively(cl_context_, cl_device_, text);
  const rtStatus_t status = loadBinary(binary);
  if (status == RT_ERROR_NOT_SUPPORTED) {  // the name of the type alone
    EXPECT_NE(lastMessage().find("Pair"), std::string::npos) << lastMessage();
    return;
  }
  ASSERT_RT_OK(status);
  rtKernel_t first = nullptr;
  ASSERT_RT_OK(rtModuleGetKernel(&first, "first", loaded_));
  struct {
    uint64_t a;
    uint32_t b;
  } pair = {1, 2};
  Memory memory;
  uint32_t seen = 0;
  ASSERT_RT_OK(rtMalloc(memory.out(), 4096, context_));
  ASSERT_RT_OK(launchOver(first, stream_, 1, 1, memory.get(), pair));
  ASSERT_RT_OK(rtMemcpyAsync(&seen, memory, 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(seen, 2u);
  if (inBuffers()) {  // an address inside reaches nothing
    pair.a = number(memory.as<void>(0));
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, launchOver(first, stream_, 1, 1, memory.get(), pair));
  }
  // tests/opencl/silent_arguments.cpp reads this: a driver that takes any size tells nothing.
  EXPECT_RT_OK(loaded_.reset());
  ASSERT_EQ(setenv("SILENT_ARGUMENTS", "careless", 1), 0);
  const rtStatus_t careless = loadBinary(binary);
  const std::string message = lastMessage();
  ASSERT_EQ(unsetenv("SILENT_ARGUMENTS"), 0);
  const char* loader = getenv("RT_OPENCL");
  if (loader != nullptr && strstr(loader, "silent_arguments") != nullptr) {
    EXPECT_EQ(careless, RT_ERROR_NOT_SUPPORTED) << message;
    EXPECT_NE(message.find("-cl-kernel-arg-info"), std::string::npos) << message;
  } else {
    EXPECT_EQ(careless, RT_SUCCESS) << message;
  }
}

// In buffers each node has parts of roots of its own.
TEST_P(OpenClInteropTest, ABinaryOfTheDriverIsReplayed) {
  ASSERT_RT_OK(loadBinary(compileNatively(cl_context_, cl_device_)));
  rtKernel_t sum = nullptr;
  ASSERT_RT_OK(rtModuleGetKernel(&sum, "sum", loaded_));
  Memory memory;
  Graph graph;
  GraphExec exec;
  const uint32_t values[4] = {1, 20, 300, 4000};
  uint32_t seen[2] = {};
  ASSERT_RT_OK(rtMalloc(memory.out(), 16384, context_));
  ASSERT_RT_OK(rtMemcpy(memory.as<void>(4096), values, sizeof values, RT_MEMCPY_DEFAULT));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  for (uint32_t count = 1; count <= 4; ++count) {
    ASSERT_RT_OK(launchOver(sum, stream_, 1, 1, memory.get(), memory.as<void>(4096), count, size_t{4}));
    ASSERT_RT_OK(launchOver(sum, stream_, 1, 1, memory.as<void>(8192), memory.get(), 1u, size_t{4}));
  }
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  for (int i = 0; i < 3; ++i) {
    ASSERT_RT_OK(rtMemset(memory, 0, 16));
    ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(&seen[0], memory, 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(&seen[1], memory.as<void>(8192), 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(seen[0], 4321u);
    EXPECT_EQ(seen[1], 4321u);
  }
}

TEST_P(OpenClInteropTest, BytesThatAreNoBinaryOfThisDeviceAreAnInvalidImage) {
  EXPECT_RT(RT_ERROR_INVALID_IMAGE, loadBinary(std::vector<unsigned char>(1000, 0x5A)));
  EXPECT_EQ(loaded_.get(), nullptr);
  ASSERT_NE(kernelOf(kSource, "sum"), nullptr);
  std::vector<unsigned char> binary = binaryOf(module_);
  ASSERT_GT(binary.size(), 64u);
  binary.resize(binary.size() / 2);
  for (size_t i = 0; i < 64; ++i) binary[i] = static_cast<unsigned char>(~binary[i]);
  EXPECT_RT(RT_ERROR_INVALID_IMAGE, loadBinary(binary));
}

}  // namespace
}  // namespace rttest
