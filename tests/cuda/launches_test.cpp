// Launches through graphs of one kernel (RT_CUDA_LAUNCH=graph): the same order, arguments and failures as plain ones. No graph
// outlives its stream or its module.
#include <cstdint>
#include <string>
#include <vector>

#include "support/device_test.h"
#include "support/portable_kernels.h"
#include "support/simulated_cuda.h"

namespace rttest {
namespace {

constexpr char kSource[] =
    "__kernel void put(__global uint* out, uint index, uint value) { if (get_global_id(0) == 0) out[index] = value; }\n"
    "__kernel void add(__global uint* out, uint value) { out[get_global_id(0)] += value; }\n"
    "__kernel void twice(__global uint* out, __local uint* scratch, __local uint* more, uint value) {\n"
    "  scratch[get_local_id(0)] = value;\n"
    "  more[get_local_id(0)] = get_global_id(0);\n"
    "  out[get_global_id(0)] = scratch[get_local_id(0)] + more[get_local_id(0)];\n"
    "}\n";

class CudaLaunchesTest : public DeviceTest {
 protected:
  static constexpr uint32_t kCount = 1000;
  void SetUp() override {
    DeviceTest::SetUp();
    const char* way = std::getenv("RT_CUDA_LAUNCH");
    if (way == nullptr || std::string(way) != "graph") GTEST_SKIP() << "RT_CUDA_LAUNCH is not graph";
    ASSERT_RT_OK(rtMalloc(memory_.out(), kCount * sizeof(uint32_t), context_));
    ASSERT_RT_OK(rtMemset(memory_, 0, kCount * sizeof(uint32_t)));
    load(&module_);
    by_graph_ = count("cuGraphLaunch");
    plain_ = count("cuLaunchKernel");
  }
  void TearDown() override {
    EXPECT_RT_OK(stream_.reset());
    EXPECT_RT_OK(module_.reset());
    EXPECT_RT_OK(memory_.reset());
    DeviceTest::TearDown();
    if (!simulatedCuda().here()) return;
    EXPECT_EQ(simulatedCuda().violations(), 0);
  }
  void load(Module* module) { ASSERT_RT_OK(rtModuleCreateFromSource(module->out(), kSource, nullptr, context_)); }
  rtKernel_t kernel(const char* name) { return kernel(name, module_); }
  static rtKernel_t kernel(const char* name, rtModule_t module) {
    rtKernel_t found = nullptr;
    EXPECT_RT_OK(rtModuleGetKernel(&found, name, module));
    return found;
  }
  std::vector<uint32_t> read() {
    std::vector<uint32_t> values(kCount);
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_RT_OK(rtMemcpy(values.data(), memory_, kCount * sizeof(uint32_t), RT_MEMCPY_DEFAULT));
    return values;
  }
  static int count(const char* function) { return simulatedCuda().here() ? simulatedCuda().count(function) : 0; }
  int byGraph() const { return count("cuGraphLaunch") - by_graph_; }
  int plain() const { return count("cuLaunchKernel") - plain_; }
  static int liveGraphs() { return simulatedCuda().here() ? simulatedCuda().live("executable graph") : 0; }

  Memory memory_;
  Module module_;
  int by_graph_ = 0, plain_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, CudaLaunchesTest, testing::ValuesIn(cudaDevices()), testName);

TEST_P(CudaLaunchesTest, EachLaunchHasItsOwnArguments) {
  rtKernel_t put = kernel("put");
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_RT_OK(launchOver(put, stream_, 1, 1, memory_.as<void>(), i, 7 * i + 1));
  const std::vector<uint32_t> values = read();
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 7 * i + 1);
  if (!simulatedCuda().here()) return;
  EXPECT_EQ(plain(), 1);
  EXPECT_EQ(byGraph(), static_cast<int>(kCount) - 1);
  EXPECT_EQ(liveGraphs(), 1);
}

TEST_P(CudaLaunchesTest, ArgumentsThatStayAreNotSetAgain) {
  rtKernel_t add = kernel("add");
  const int before = count("cuGraphExecKernelNodeSetParams");
  for (int i = 0; i < 100; ++i) ASSERT_RT_OK(launchOver(add, stream_, kCount / 50, 50, memory_.as<void>(), 3u));
  EXPECT_EQ(count("cuGraphExecKernelNodeSetParams"), before);
  for (uint32_t value : read()) ASSERT_EQ(value, 300u);
}

// More geometries than a stream keeps graphs, in turns, and on two streams that wait for each other.
TEST_P(CudaLaunchesTest, GeometriesAndStreamsHaveGraphsOfTheirOwn) {
  rtKernel_t add = kernel("add");
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  uint32_t expected[kCount] = {};
  for (uint32_t i = 0; i < 300; ++i) {
    const uint32_t items = 10 + i % 13, group = i % 2 == 0 ? 1 : items;
    rtStream_t stream = i % 3 == 0 ? other.get() : stream_.get();
    ASSERT_RT_OK(launchOver(add, stream, items / group, group, memory_.as<void>(), i));
    ASSERT_RT_OK(rtStreamWaitStream(stream, stream == other.get() ? stream_.get() : other.get()));
    for (uint32_t k = 0; k < items; ++k) expected[k] += i;
  }
  const std::vector<uint32_t> values = read();
  for (uint32_t k = 0; k < kCount; ++k) ASSERT_EQ(values[k], expected[k]) << k;
  EXPECT_LE(liveGraphs(), 16);
  ASSERT_RT_OK(rtStreamSynchronize(other));
}

TEST_P(CudaLaunchesTest, LocalMemoryOfEachSizeIsPlaced) {
  rtKernel_t twice = kernel("twice");
  for (uint32_t i = 0; i < 200; ++i) {
    const uint32_t group = 1u << (i % 5);
    const uint64_t first = group * sizeof(uint32_t) + i % 3 * 64, second = group * sizeof(uint32_t);
    void* pointer = memory_.get();
    void* args[] = {&pointer, const_cast<uint64_t*>(&first), const_cast<uint64_t*>(&second), &i};
    ASSERT_RT_OK(rtLaunchKernel(twice, 160 / group, 1, 1, group, 1, 1, 0, stream_, args, RT_ARGS_ALL));
    const std::vector<uint32_t> values = read();
    for (uint32_t k = 0; k < 160; ++k) ASSERT_EQ(values[k], i + k);
  }
}

TEST_P(CudaLaunchesTest, AModuleThatEndsTakesItsGraphsAlong) {
  for (uint32_t round = 0; round < 5; ++round) {
    Module module;
    ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, round % 2 == 0 ? "-DA" : "-DB", context_));
    rtKernel_t put = kernel("put", module);
    for (uint32_t i = 0; i < 20; ++i) ASSERT_RT_OK(launchOver(put, stream_, 1, 1, memory_.as<void>(), i, round));
    if (round % 2 == 0) (void)read();  // and with work in flight
  }
  const std::vector<uint32_t> values = read();
  for (uint32_t i = 0; i < 20; ++i) ASSERT_EQ(values[i], 4u);
  EXPECT_EQ(liveGraphs(), 0);
}

TEST_P(CudaLaunchesTest, AStreamThatTheProgramKnowsGetsPlainLaunches) {
  rtKernel_t put = kernel("put");
  uint64_t native[2];
  ASSERT_RT_OK(rtStreamGetNative(native, stream_));
  for (uint32_t i = 0; i < 50; ++i) ASSERT_RT_OK(launchOver(put, stream_, 1, 1, memory_.as<void>(), i, i));
  EXPECT_EQ(read()[49], 49u);
  EXPECT_EQ(byGraph(), 0);
}

TEST_P(CudaLaunchesTest, AGraphThatTheDriverRefusesIsAPlainLaunch) {
  if (!simulatedCuda().here()) GTEST_SKIP() << "a real driver refuses none";
  rtKernel_t put = kernel("put");
  for (const char* function : {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiateWithFlags", "cuGraphLaunch",
                               "cuGraphExecKernelNodeSetParams"}) {
    Stream stream;
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    simulatedCuda().fail(function, 1, 999);
    for (uint32_t i = 0; i < 20; ++i) ASSERT_RT_OK(launchOver(put, stream, 1, 1, memory_.as<void>(), i, i + 5)) << function;
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    const std::vector<uint32_t> values = read();
    for (uint32_t i = 0; i < 20; ++i) ASSERT_EQ(values[i], i + 5) << function;
    ASSERT_RT_OK(rtMemset(memory_, 0, kCount * sizeof(uint32_t)));
  }
}

TEST_P(CudaLaunchesTest, ABadLaunchFailsAsEver) {
  rtKernel_t put = kernel("put");
  void* pointer = memory_.get();
  uint32_t index = 0;
  void* args[] = {&pointer, &index, &index};
  for (int i = 0; i < 5; ++i) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(put, 1, 1, 1, 1 << 20, 1, 1, 0, stream_, args, RT_ARGS_ALL));
    ASSERT_RT_OK(rtLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, stream_, args, RT_ARGS_ALL));
  }
}

}  // namespace
}  // namespace rttest
