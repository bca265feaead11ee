// Failures around the CUDA backend: kernels that fault, no memory, images that are none, a compiler or a driver that is missing
// or old. Also the end of the process and a fork. A test that ends a device or a process runs in a process of its own.
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "failing_process.h"
#include "support/device_test.h"
#include "support/process.h"
#include "support/simulated_cuda.h"

namespace rttest {
namespace {

std::string self() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length <= 0 ? std::string() : std::string(path, static_cast<size_t>(length));
}

void expectScene(const char* scene) {
  for (const std::string& device : cudaDevices()) {
    const Outcome outcome = run({self(), "--scene", scene, device});
    EXPECT_EQ(outcome.exit_code, 0) << scene << " on " << device << ": " << outcome.text();
    EXPECT_EQ(outcome.err.find("violation"), std::string::npos) << outcome.err;
  }
}

TEST(CudaFailures, AKernelThatLeavesMemoryLosesItsDeviceAlone) { expectScene("bad address"); }
TEST(CudaFailures, AKernelThatTrapsLosesItsDeviceAlone) { expectScene("trap"); }
TEST(CudaFailures, ADeviceThatDiesUnderWhatTheProgramHasDestroyedIsLetGo) { expectScene("destroyed first"); }
TEST(CudaFailures, CallsAfterTheEndOfTheRuntimeReturn) {
  expectScene("static destructor");
  expectScene("exit handler");
}
TEST(CudaFailures, AForkedChildIsToldAndTheParentGoesOn) { expectScene("fork"); }

class CudaDeviceFailures : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, CudaDeviceFailures, testing::Values("cuda:0"), testName);

TEST_P(CudaDeviceFailures, WithoutMemoryTheMessageSaysWhatWasAskedForAndWhatIsFree) {
  uint64_t free_bytes = 0, total = 0;
  ASSERT_RT_OK(rtDeviceGetMemInfo(&free_bytes, &total, device_));
  const uint64_t asked = total + (size_t{2} << 20);
  void* memory = nullptr;
  ASSERT_RT(RT_ERROR_OUT_OF_MEMORY, rtMalloc(&memory, asked, context_));
  EXPECT_EQ(memory, nullptr);
  const std::string message = lastMessage();
  EXPECT_NE(message.find(std::to_string(asked)), std::string::npos) << message;
  EXPECT_NE(message.find("free"), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(total)), std::string::npos) << message;
  Memory small;
  EXPECT_RT_OK(rtMalloc(small.out(), 4096, context_));
}

TEST_P(CudaDeviceFailures, ImagesThatAreNoneAreRefused) {
  struct Bad {
    int32_t format;
    std::string bytes;
  };
  std::string damaged(4096, '\0');
  std::memcpy(damaged.data(), "\177ELF\2\1\1", 7);
  damaged[18] = static_cast<char>(190);  // EM_CUDA
  for (const Bad& bad :
       {Bad{RT_IMAGE_PTX, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry broken( {\n"},
        Bad{RT_IMAGE_PTX, "no PTX at all"}, Bad{RT_IMAGE_CUBIN, damaged}, Bad{RT_IMAGE_CUBIN, damaged.substr(0, 80)}}) {
    Module module;
    rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
    options.format = bad.format;
    options.name = "broken image";
    EXPECT_RT(RT_ERROR_INVALID_IMAGE, rtModuleLoadData(module.out(), bad.bytes.data(), bad.bytes.size(), &options, context_));
    EXPECT_EQ(module.get(), nullptr);
  }
  EXPECT_RT_OK(rtMemPrefetchAsync(nullptr, 0, nullptr, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_)) << "the device lives";
}

// The device may have got a part of a refused call, above all of a fill of several commands. Memory of another context is held
// for the stream as after a success. The refusals here are of the simulated driver, which is told where to fail.
class CudaRefusals : public CudaDeviceFailures {
 protected:
  static constexpr size_t kSize = 4096;

  void SetUp() override {
    if (!simulatedCuda().here()) GTEST_SKIP() << "calls fail on demand on the simulated driver alone";
    CudaDeviceFailures::SetUp();
    ASSERT_RT_OK(rtContextCreate(lender_.out(), nullptr, device_));
    ASSERT_RT_OK(rtMalloc(own_.out(), kSize, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(own_.reset());
    EXPECT_RT_OK(lender_.reset());
    if (simulatedCuda().here()) CudaDeviceFailures::TearDown();
  }

  // Pinned memory of another context goes to `submit`, which meets a driver that refuses the n-th call of a function; then
  // `let_go` ends what still names it. The stream is at work all the while.
  template <class Submit, class LetGo>
  void expectHeld(const char* function, int call, Submit submit, LetGo let_go) {
    SCOPED_TRACE(function);
    std::atomic<bool> open{false};
    uint64_t native[2];
    ASSERT_RT_OK(rtStreamGetNative(native, stream_));
    auto* callback = cudaFunction<int(void*, void (*)(void*), void*)>("cudaLaunchHostFunc");
    const auto wait = [](void* user) {
      while (!static_cast<std::atomic<bool>*>(user)->load()) std::this_thread::yield();
    };
    ASSERT_EQ(callback(reinterpret_cast<void*>(native[0]), wait, &open), 0);
    Memory lent, next;
    EXPECT_RT_OK(rtMallocHost(lent.out(), kSize, lender_));
    void* const address = lent.get();
    constexpr int kNoMemory = 2;
    EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, submit(address, [&] { simulatedCuda().fail(function, call, kNoMemory); }));
    EXPECT_RT_OK(lent.reset());
    let_go();
    EXPECT_RT_OK(rtMallocHost(next.out(), kSize, lender_));
    EXPECT_NE(next.get(), address);
    open.store(true);
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
  }
  template <class Submit>
  void expectHeld(const char* function, int call, Submit submit) {
    expectHeld(function, call, submit, [] {});
  }
  // The same with an exec whose nodes fill a buffer that is bound to the memory.
  void expectHeldByExec(const char* function, int call, int nodes, uint32_t pattern_size, bool host_node) {
    Graph graph;
    GraphExec exec;
    rtGraphBuffer_t buffer = nullptr;
    rtGraphNode_t last = nullptr;
    rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
    ASSERT_RT_OK(rtGraphCreate(graph.out()));
    ASSERT_RT_OK(rtGraphAddBuffer(&buffer, kSize, RT_GRAPH_BUFFER_OUTPUT, "out", graph));
    params.dst.buffer = buffer;
    params.pattern_size = pattern_size;
    params.pattern[0] = 1;
    params.count = kSize / pattern_size;
    for (int i = 0; i < nodes; ++i) {
      const rtGraphNode_t before = last;
      ASSERT_RT_OK(rtGraphAddFillNode(&last, &params, &before, before == nullptr ? 0 : 1, graph));
    }
    if (host_node) {
      rtGraphHostParams_t host = RT_GRAPH_HOST_PARAMS_INIT;
      host.function = [](void*, rtStatus_t) {};
      const rtGraphNode_t before = last;
      ASSERT_RT_OK(rtGraphAddHostNode(&last, &host, &before, 1, graph));
    }
    ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
    const auto launch = [&](void* lent, auto fail) {
      EXPECT_RT_OK(rtGraphExecBindBuffer(buffer, lent, exec));
      fail();
      return rtGraphLaunch(exec, stream_);
    };
    expectHeld(function, call, launch, [&] { EXPECT_RT_OK(rtGraphExecBindBuffer(buffer, own_, exec)); });
  }

  Context lender_;
  Memory own_;
};
INSTANTIATE_TEST_SUITE_P(, CudaRefusals, testing::Values("cuda:0"), testName);

TEST_P(CudaRefusals, ForeignMemoryIsHeldAfterCopiesFillsAndLaunches) {
  Module module;
  rtKernel_t kernel = nullptr;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), "__kernel void k(__global int* p) { p[0] = 7; }", nullptr, context_));
  ASSERT_RT_OK(rtModuleGetKernel(&kernel, "k", module));
  expectHeld("cudaMemcpyAsync", 1, [&](void* lent, auto fail) {
    fail();
    return rtMemcpyAsync(own_, lent, kSize, RT_MEMCPY_DEFAULT, stream_);
  });
  expectHeld("cuMemsetD2D32Async", 2, [&](void* lent, auto fail) {
    fail();
    return rtMemFillAsync(lent, "12345678", 8, kSize / 8, stream_);
  });
  expectHeld("cuLaunchKernel", 1, [&](void* lent, auto fail) {
    void* args[] = {&lent};
    fail();
    return rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream_, args, 1);
  });
}

TEST_P(CudaRefusals, ForeignMemoryIsHeldAfterLaunchesOfExecs) {
  expectHeldByExec("cuGraphLaunch", 1, 1, 1, false);       // one replay
  expectHeldByExec("cuGraphLaunch", 1, 4, 1, true);        // a replay among pieces
  expectHeldByExec("cuMemsetD2D32Async", 2, 1, 8, false);  // a step by itself
}

// Starts the library with this environment: its exit status 0, and the reason on standard output.
Outcome reasonWith(const Environment& environment) { return run({self(), "--reason"}, environment); }

TEST(CudaStart, WhatIsMissingIsSaidAndThereAreNoDevices) {
  struct Case {
    Environment environment;
    const char* word;
  };
  std::vector<Case> cases = {{{{"RT_CUDART", "/nonexistent/libcudart.so"}}, "/nonexistent"},
                             {{{"RT_CUDART", "libc.so.6"}}, "has no cuda"}};
  if (simulatedCuda().here()) {
    cases.push_back({{{"SIMULATED_CUDA_VERSION", "11000"}}, "too old"});
    cases.push_back({{{"SIMULATED_CUDA_DEVICES", "0"}}, "no CUDA-capable device"});
    cases.push_back({{{"SIMULATED_CUDA_FAIL", "cudaGetDeviceCount:0:35"}}, "CUDA has no devices"});
    cases.push_back({{{"SIMULATED_CUDA_FAIL", "cuDeviceGetUuid:1:999"}}, "cuDeviceGetUuid failed"});
  }
  for (const Case& each : cases) {
    const Outcome outcome = reasonWith(each.environment);
    EXPECT_EQ(outcome.exit_code, 10) << "no device: " << outcome.text();
    EXPECT_NE(outcome.out.find(each.word), std::string::npos) << outcome.text();
  }
  EXPECT_EQ(reasonWith({}).exit_code, 0) << "and without that there are some";
}

TEST(CudaStart, WithoutNvrtcKernelsFromSourceSaySo) {
  const Outcome outcome = run({self(), "--build"}, {{"RT_NVRTC", "/nonexistent/libnvrtc.so"}});
  EXPECT_EQ(outcome.exit_code, 10) << outcome.text();
  EXPECT_NE(outcome.out.find("/nonexistent/libnvrtc.so"), std::string::npos) << outcome.text();
}

// It knows no kernels of an image that brings no description; what is built from OpenCL C brings one.
TEST(CudaStart, ADriverBefore124RunsOpenClCAndSaysWhyItTakesNoImages) {
  if (!simulatedCuda().here()) return;
  const Outcome outcome = run({self(), "--old-driver"}, {{"SIMULATED_CUDA_VERSION", "12020"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("older than 12.4"), std::string::npos) << outcome.text();
}

int oldDriverMain() {
  constexpr char kSource[] = "extern \"C\" __global__ void k(int* p) { *p = 1; }";
  rtDevice_t device = nullptr;
  Context context;
  Module module;
  if (rtDeviceGetByName(&device, "cuda:0") != RT_SUCCESS || rtContextCreate(context.out(), nullptr, device) != RT_SUCCESS)
    return 1;
  if (rtModuleCreateFromSource(module.out(), "__kernel void k(__global int* p) { *p = 1; }", nullptr, context) != RT_SUCCESS)
    return 2;
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = RT_IMAGE_CUDA_CXX;
  const rtStatus_t status = rtModuleLoadData(module.out(), kSource, std::strlen(kSource), &options, context);
  std::printf("%s\n", lastMessage().c_str());
  return status == RT_ERROR_NOT_SUPPORTED ? 0 : 3;
}

int reasonMain() {
  rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
  if (rtBackendGetInfo(&info, RT_BACKEND_CUDA) != RT_SUCCESS) return 1;
  std::printf("%s\n", info.reason);
  rtDevice_t cpu = nullptr, device = nullptr;
  if (rtDeviceGetByName(&cpu, "cpu") != RT_SUCCESS) return 2;
  const bool found = rtDeviceGetByName(&device, "cuda:0") == RT_SUCCESS;
  if (found != (info.device_count > 0) || found != (info.reason[0] == '\0')) return 3;
  return found ? 0 : 10;
}

int buildMain() {
  rtDevice_t device = nullptr;
  Context context;
  Module module;
  if (rtDeviceGetByName(&device, "cuda:0") != RT_SUCCESS || rtContextCreate(context.out(), nullptr, device) != RT_SUCCESS)
    return 1;
  const rtStatus_t status =
      rtModuleCreateFromSource(module.out(), "__kernel void k(__global int* p) { p[0] = 77; }", nullptr, context);
  std::printf("%s\n", lastMessage().c_str());
  return status == RT_ERROR_COMPILER_NOT_FOUND ? 10 : 1;
}

}  // namespace
}  // namespace rttest

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--scene") == 0) return rttest::runScene(argv[2], argv[3]);
  if (argc == 2 && std::strcmp(argv[1], "--reason") == 0) return rttest::reasonMain();
  if (argc == 2 && std::strcmp(argv[1], "--build") == 0) return rttest::buildMain();
  if (argc == 2 && std::strcmp(argv[1], "--old-driver") == 0) return rttest::oldDriverMain();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
