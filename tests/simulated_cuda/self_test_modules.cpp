// Kernels: what the compiler takes, what a module knows of them, how their threads wait for each other, and what stops them.
#include "self_test.h"

namespace manyrt::simulated {
namespace {

using ModuleTest = SimulatedTest;

constexpr const char* kBasics = R"cuda(
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void __launch_bounds__(256, 2) sums(const int* in, int* out) {
  __shared__ int part[256];
  int i = threadIdx.x;
  part[i] = in[blockIdx.x * blockDim.x + i];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (i < half) part[i] += part[i + half];
    __syncthreads();
  }
  if (i == 0) out[blockIdx.x] = part[0];
}
extern "C" __global__ void reversed(int* data) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void counts(unsigned* counter, float* total) {
  atomicAdd(counter, 1u);
  atomicAdd(total, 0.5f);
  atomicMax(counter + 1, threadIdx.x);
  atomicCAS(counter + 2, 7u, blockIdx.x);
}
extern "C" __global__ void warps(int* out) {
  int value = threadIdx.x;
  for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(0xffffffffu, value, by);
  unsigned odd = __ballot_sync(0xffffffffu, threadIdx.x & 1);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = odd == 0xaaaaaaaau ? value : -1;
}
struct Pair { char tag; double value; };
extern "C" __global__ void layout(char a, Pair b, short c, void* d) {
  Pair* out = (Pair*)d;
  out->tag = (char)(a + c);
  out->value = b.value;
}
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int total = 5;
extern "C" __global__ void variables(int* out) { total += table[threadIdx.x]; out[threadIdx.x] = total; }
namespace inner { __global__ void named(int* out) { *out = 77; } }
template <class T> __global__ void shaped(T* out) { *out = (T)2.5; }
)cuda";

TEST_F(ModuleTest, KernelsComputeWhatTheySay) {
  NativeModule module = load(kBasics);
  const int n = 1000;
  auto* x = pinned<float>(n);
  auto* y = pinned<float>(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i), y[i] = 1;
  float a = 2;
  int count = n;
  ASSERT_EQ(launch(kernel(module, "saxpy"), 4, 256, {&a, &x, &y, &count}), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  for (int i = 0; i < n; ++i) ASSERT_EQ(y[i], 2.0f * static_cast<float>(i) + 1);

  int* in = onDevice(512);
  int* out = onDevice(2);
  ASSERT_EQ(cu().MemsetD32Async(address(in), 3, 512, stream_), kSuccess);
  ASSERT_EQ(launch(kernel(module, "sums"), 2, 256, {&in, &out}), kSuccess);
  EXPECT_EQ(read(out, 2), (std::vector<int>{768, 768}));

  auto* data = pinned<int>(64);
  for (int i = 0; i < 64; ++i) data[i] = i;
  ASSERT_EQ(launch(kernel(module, "reversed"), 1, 64, {&data}, 64 * sizeof(int)), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(data[i], 63 - i);
  EXPECT_EQ(simulatedCudaViolations(), 0);
}

TEST_F(ModuleTest, AtomicsAndWarps) {
  NativeModule module = load(kBasics);
  auto* counter = pinned<unsigned>(3);
  auto* total = pinned<float>(1);
  memset(counter, 0, 12);
  *total = 0;
  counter[2] = 7;
  ASSERT_EQ(launch(kernel(module, "counts"), 4, 100, {&counter, &total}), kSuccess);
  auto* sums = pinned<int>(2);
  ASSERT_EQ(launch(kernel(module, "warps"), 1, 64, {&sums}), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(counter[0], 400u);
  EXPECT_EQ(counter[1], 99u);
  EXPECT_EQ(counter[2], 0u);
  EXPECT_EQ(*total, 200.0f);
  EXPECT_EQ(sums[0], 496);
  EXPECT_EQ(sums[1], 496 + 32 * 32);
}

TEST_F(ModuleTest, ParametersVariablesAndNames) {
  const Build made = build(kBasics, {"--gpu-architecture=sm_90", "-std=c++17"}, {"shaped<float>", "&total", "inner::named"});
  ASSERT_EQ(made.code, 0) << made.log;
  ASSERT_EQ(made.lowered, (std::vector<std::string>{"_Z6shapedIfEvPT_", "total", "_ZN5inner5namedEPi"}));
  NativeModule module = nullptr;
  ASSERT_EQ(cu().ModuleLoadDataEx(&module, made.cubin.data(), 0, nullptr, nullptr), kSuccess);
  unsigned count = 0;
  ASSERT_EQ(cu().ModuleGetFunctionCount(&count, module), kSuccess);
  EXPECT_EQ(count, 9u);
  std::vector<NativeFunction> all(count);
  ASSERT_EQ(cu().ModuleEnumerateFunctions(all.data(), count, module), kSuccess);
  const char* first = nullptr;
  ASSERT_EQ(cu().FuncGetName(&first, all[0]), kSuccess);
  EXPECT_STREQ(first, "saxpy");

  NativeFunction function = kernel(module, "layout");
  size_t offset = 0, size = 0;
  const size_t expected[][2] = {{0, 1}, {8, 16}, {24, 2}, {32, 8}};
  for (size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(cu().FuncGetParamInfo(function, i, &offset, &size), kSuccess);
    EXPECT_EQ(offset, expected[i][0]);
    EXPECT_EQ(size, expected[i][1]);
  }
  EXPECT_EQ(cu().FuncGetParamInfo(function, 4, &offset, &size), kInvalidValue);

  struct Pair {
    char tag;
    double value;
  };
  auto* out = pinned<Pair>(1);
  char a = 3;
  Pair b{1, 2.5};
  short c = 4;
  ASSERT_EQ(launch(function, 1, 1, {&a, &b, &c, &out}), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(out->tag, 7);
  EXPECT_EQ(out->value, 2.5);

  int value = 0;
  ASSERT_EQ(cu().FuncGetAttribute(&value, kFunctionMaxThreadsPerBlock, kernel(module, "sums")), kSuccess);
  EXPECT_EQ(value, 256);
  ASSERT_EQ(cu().FuncGetAttribute(&value, kFunctionSharedBytes, kernel(module, "sums")), kSuccess);
  EXPECT_EQ(value, 1024);

  DriverAddress variable = 0;
  ASSERT_EQ(cu().ModuleGetGlobal(&variable, &size, module, "total"), kSuccess);
  EXPECT_EQ(size, 4u);
  ASSERT_EQ(cu().MemsetD32Async(variable, 100, 1, stream_), kSuccess);
  auto* seen = pinned<int>(1);
  ASSERT_EQ(launch(kernel(module, "variables"), 1, 1, {&seen}), kSuccess);
  ASSERT_EQ(launch(kernel(module, "_Z6shapedIfEvPT_"), 1, 1, {&out}), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(*seen, 101);
  EXPECT_EQ(cu().ModuleGetGlobal(&variable, &size, module, "nothing"), kNotFound);
  EXPECT_EQ(cu().ModuleGetFunction(&function, module, "nothing"), kNotFound);
}

TEST_F(ModuleTest, LaunchesAreHeldToLimits) {
  NativeModule module = load(kBasics);
  NativeFunction sums = kernel(module, "sums"), reversed = kernel(module, "reversed");
  int* data = onDevice(64);
  EXPECT_EQ(launch(sums, 1, 512, {&data, &data}), kOutOfResources);
  EXPECT_EQ(launch(reversed, 1, 2048, {&data}), kInvalidValue);
  EXPECT_EQ(launch(reversed, 0, 1, {&data}), kInvalidValue);
  EXPECT_EQ(launch(reversed, 1, 32, {&data}, 64 << 10), kInvalidValue);
  ASSERT_EQ(cu().FuncSetAttribute(reversed, kFunctionMaxDynamicSharedBytes, 64 << 10), kSuccess);
  EXPECT_EQ(launch(reversed, 1, 32, {&data}, 64 << 10), kSuccess);
  EXPECT_EQ(cu().FuncSetAttribute(reversed, kFunctionMaxDynamicSharedBytes, 228 << 10), kInvalidValue);
  int blocks = 0;
  ASSERT_EQ(cu().OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reversed, 1024, 0), kSuccess);
  EXPECT_EQ(blocks, 2);
  std::vector<void*> values = {&data};
  EXPECT_EQ(cu().LaunchCooperativeKernel(reversed, 9, 1, 1, 1024, 1, 1, 4096, stream_, values.data()), kCooperativeTooLarge);
}

TEST_F(ModuleTest, CooperativeBlocksRunAtTheSameTime) {
  NativeModule module = load(R"cuda(
extern "C" __global__ void meet(unsigned* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x) {}
  }
  __syncthreads();
})cuda");
  auto* arrived = pinned<unsigned>(1);
  *arrived = 0;
  std::vector<void*> values = {&arrived};
  ASSERT_EQ(cu().LaunchCooperativeKernel(kernel(module, "meet"), 4, 1, 1, 8, 1, 1, 0, stream_, values.data()), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(*arrived, 4u);
}

TEST_F(ModuleTest, ImagesAreChecked) {
  Build made = build(kBasics, {"-arch=sm_80"});
  ASSERT_EQ(made.code, 0) << made.log;
  NativeModule module = nullptr;
  EXPECT_EQ(cu().ModuleLoadDataEx(&module, made.cubin.data(), 0, nullptr, nullptr), kNoBinary);
  made = build(kBasics);
  made.cubin[made.cubin.size() / 2] ^= 1;
  EXPECT_EQ(cu().ModuleLoadDataEx(&module, made.cubin.data(), 0, nullptr, nullptr), kInvalidImage);
  char log[200] = "";
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  EXPECT_EQ(cu().ModuleLoadDataEx(&module, "//\n.version 8.0\n.target sm_90\n", 2, options, values), kInvalidPtx);
  EXPECT_NE(std::string(log).find("PTX"), std::string::npos);
  EXPECT_EQ(build(kBasics, {"-arch=compute_90"}).cubin.size(), 0u);
}

TEST_F(ModuleTest, MistakesInSourcesAndOptionsAreReported) {
  const Build made = build("extern \"C\" __global__ void k(int* p) {\n  *p = missing;\n}\n");
  EXPECT_EQ(made.code, 6);
  EXPECT_NE(made.log.find("kernels.cu(2): error:"), std::string::npos) << made.log;
  EXPECT_EQ(build(kBasics, {"--no-such-option"}).code, 5);
  EXPECT_EQ(build("#include <stdio.h>\n").code, 6);
  const Build large =
      build("extern \"C\" __global__ void k(int* p) { __shared__ int a[16384]; a[threadIdx.x] = 1; *p = a[0]; }");
  EXPECT_EQ(large.code, 6);
  EXPECT_NE(large.log.find("too much shared data"), std::string::npos) << large.log;
}

constexpr const char* kFaults = R"cuda(
extern "C" __global__ void after(int* p, int n) { p[n] = 1; }
extern "C" __global__ void wild(long address) { *(volatile int*)address = 1; }
extern "C" __global__ void trap() { if (threadIdx.x == 3) __trap(); __syncthreads(); }
extern "C" __global__ void half_barrier() { if (threadIdx.x < 2) return; __syncthreads(); }
extern "C" __global__ void divided(int* out, int a, int b) { *out = a / b; }
extern "C" __global__ void fine(int* p) { *p = 5; }
extern "C" __global__ void after_shared(int* p) { extern __shared__ int s[]; s[threadIdx.x] = 1; *p = s[0]; }
)cuda";

class FaultTest : public SimulatedTest {
 protected:
  // The context is broken from then on, until it is mended.
  void expectSticky(Error code) {
    EXPECT_EQ(cudaStreamSynchronize(stream_), code);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), code);
    EXPECT_EQ(cu().StreamQuery(stream_), code);
    simulatedCudaMendDevice(0);
    EXPECT_EQ(cudaMalloc(&memory, 4), kSuccess);
  }
};

TEST_F(FaultTest, AccessesOutsideOfAllocationsBreakTheContext) {
  NativeModule module = load(kFaults);
  int* memory = onDevice(10);
  int index = 10;
  ASSERT_EQ(launch(kernel(module, "after"), 1, 1, {&memory, &index}), kSuccess);
  expectSticky(kIllegalAddress);
  index = 9;
  ASSERT_EQ(launch(kernel(module, "after"), 1, 1, {&memory, &index}), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  int local = 0;
  long host = static_cast<long>(address(&local));
  ASSERT_EQ(launch(kernel(module, "wild"), 1, 1, {&host}), kSuccess);
  expectSticky(kIllegalAddress);
  ASSERT_EQ(launch(kernel(module, "after_shared"), 1, 9, {&memory}, 32), kSuccess);
  expectSticky(kIllegalAddress);
}

TEST_F(FaultTest, TrapsBreakTheContextAndOtherDevicesGoOn) {
  NativeModule module = load(kFaults);
  NativeContext other = nullptr;
  ASSERT_EQ(cu().DevicePrimaryCtxRetain(&other, 1), kSuccess);
  ASSERT_EQ(launch(kernel(module, "trap"), 2, 8, {}), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), kLaunchFailure);
  ASSERT_EQ(cu().CtxPushCurrent(other), kSuccess);
  NativeModule second = load(kFaults);
  auto* out = pinned<int>(1);
  NativeStream stream = makeStream();
  std::vector<void*> values = {&out};
  ASSERT_EQ(cu().LaunchKernel(kernel(second, "fine"), 1, 1, 1, 1, 1, 1, 0, stream, values.data(), nullptr), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), kSuccess);
  EXPECT_EQ(*out, 5);
}

TEST_F(FaultTest, UnmetBarriersAreViolationsAndDivisionIsNot) {
  NativeModule module = load(kFaults);
  ASSERT_EQ(launch(kernel(module, "half_barrier"), 1, 8, {}), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(simulatedCudaViolations(), 1);
  auto* out = pinned<int>(1);
  int a = 8, b = 0;
  ASSERT_EQ(launch(kernel(module, "divided"), 1, 1, {&out, &a, &b}), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(*out, -1);
}

TEST_F(FaultTest, MemoryOfAnotherDeviceNeedsPeerAccess) {
  NativeModule module = load(kFaults);
  NativeContext other = nullptr;
  ASSERT_EQ(cu().DevicePrimaryCtxRetain(&other, 1), kSuccess);
  ASSERT_EQ(cu().CtxPushCurrent(other), kSuccess);
  int* far = onDevice(1);
  ASSERT_EQ(cu().CtxPopCurrent(&other), kSuccess);
  ASSERT_EQ(launch(kernel(module, "fine"), 1, 1, {&far}), kSuccess);
  expectSticky(kIllegalAddress);
  ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), kSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), kPeerEnabled);
  ASSERT_EQ(launch(kernel(module, "fine"), 1, 1, {&far}), kSuccess);
  EXPECT_EQ(read(far, 1)[0], 5);
}

}  // namespace
}  // namespace manyrt::simulated
