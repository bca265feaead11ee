// The global offset of a launch: in plain launches, captures, graphs and graph files; the limits and the kernels that take
// none. The work-items' view of it is in tests/kernels/language_offset_test.cpp.
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "support/capable_devices.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

constexpr uint32_t kCount = 400;

rtLaunchOptions_t optionsFrom(uint64_t x) {
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  options.global_offset[0] = x;
  return options;
}

class GlobalOffsetTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(iota_.make(context_, "iota"));
    ASSERT_RT_OK(rtMalloc(memory_.out(), kCount * 4, context_));
    ASSERT_RT_OK(rtMemset(memory_, 0, kCount * 4));
    pointer_ = memory_.get();
  }
  void TearDown() override {
    EXPECT_RT_OK(memory_.reset());
    EXPECT_RT_OK(iota_.reset());
    DeviceTest::TearDown();
  }
  // `groups` of 10 items from `first` on.
  rtStatus_t launch(uint64_t first, uint32_t groups) {
    const rtLaunchOptions_t options = optionsFrom(first);
    const uint32_t grid[3] = {groups, 1, 1}, group[3] = {10, 1, 1};
    return rtLaunchKernelWithOptions(iota_, grid, group, 0, &options, args_, 3, stream_);
  }
  // The elements [first, end) of the memory are what iota writes there, the others zero; then all are zero again.
  void expectWritten(uint32_t first, uint32_t end) {
    std::vector<uint32_t> seen(kCount), expected(kCount);
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtMemcpy(seen.data(), memory_, kCount * 4, RT_MEMCPY_DEFAULT));
    std::iota(expected.begin() + first, expected.begin() + end, base_ + first);
    EXPECT_EQ(seen, expected);
    ASSERT_RT_OK(rtMemset(memory_, 0, kCount * 4));
  }
  uint64_t idsEnd() const {  // what documentation names
    int32_t backend = RT_BACKEND_NULL;
    EXPECT_RT_OK(rtDeviceGetBackend(&backend, nullptr, device_));
    return backend == RT_BACKEND_CPU ? 2147418111u : backend == RT_BACKEND_CUDA ? uint64_t{1} << 31 : uint64_t{1} << 32;
  }
  PortableKernel iota_;
  Memory memory_;
  void* pointer_ = nullptr;
  uint32_t count_ = kCount, base_ = 1000;
  void* args_[3] = {&pointer_, &count_, &base_};
};
INSTANTIATE_TEST_SUITE_P(, GlobalOffsetTest, testing::ValuesIn(devicesWith({RT_CAPABILITY_KERNELS})), testName);

TEST_P(GlobalOffsetTest, ALaunchBeginsAtIt) {
  ASSERT_RT_OK(launch(120, 7));
  expectWritten(120, 190);
  ASSERT_RT_OK(launch(0, 3));
  expectWritten(0, 30);
  ASSERT_RT_OK(launch(395, 1));
  expectWritten(395, 400);
  ASSERT_RT_OK(launch(100, 0));
  expectWritten(0, 0);
}

TEST_P(GlobalOffsetTest, LaunchesOfOneShapeMayAlternate) {
  for (int round = 0; round < 40; ++round) {
    ASSERT_RT_OK(launch(round % 2 == 0 ? 40 : 200, 4));
    ASSERT_RT_OK(launch(round % 2 == 0 ? 200 : 0, 4));
  }
  ASSERT_RT_OK(rtMemsetAsync(memory_, 0, kCount * 4, stream_));
  ASSERT_RT_OK(launch(40, 4));
  expectWritten(40, 80);
}

TEST_P(GlobalOffsetTest, OptionsOfTheFirstReleaseHaveNone) {
  rtLaunchOptions_t options = optionsFrom(100);
  options.struct_size = offsetof(rtLaunchOptions_t, global_offset);
  const uint32_t grid[3] = {2, 1, 1}, group[3] = {10, 1, 1};
  ASSERT_RT_OK(rtLaunchKernelWithOptions(iota_, grid, group, 0, &options, args_, 3, stream_));
  expectWritten(0, 20);
  options.struct_size -= 8;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernelWithOptions(iota_, grid, group, 0, &options, args_, 3, stream_));
}

TEST_P(GlobalOffsetTest, WhatIdsCannotHoldIsRefusedWithTheLimit) {
  const uint64_t end = idsEnd();
  ASSERT_RT_OK(launch(end - 20, 2)) << "the last ids there are: none of them writes";
  expectWritten(0, 0);
  for (const uint64_t first : {end - 19, end, end + 1, UINT64_MAX - 5, UINT64_MAX}) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launch(first, 2));
    EXPECT_NE(lastMessage().find(std::to_string(end)), std::string::npos) << lastMessage();
    EXPECT_NE(lastMessage().find(std::to_string(first)), std::string::npos) << lastMessage();
  }
  rtLaunchOptions_t options = optionsFrom(0);
  options.global_offset[2] = end;
  const uint32_t one[3] = {1, 1, 1};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernelWithOptions(iota_, one, one, 0, &options, args_, 3, stream_));
  EXPECT_NE(lastMessage().find("direction 2"), std::string::npos) << lastMessage();
  expectWritten(0, 0);
}

TEST_P(GlobalOffsetTest, ACapturedLaunchKeepsIt) {
  Graph graph;
  GraphExec exec;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  EXPECT_RT_OK(launch(50, 2));
  EXPECT_RT_OK(launch(300, 5));
  EXPECT_RT_OK(launch(70, 1));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  for (int round = 0; round < 3; ++round) {
    ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
    std::vector<uint32_t> seen(kCount), expected(kCount);
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtMemcpy(seen.data(), memory_, kCount * 4, RT_MEMCPY_DEFAULT));
    std::iota(expected.begin() + 50, expected.begin() + 80, base_ + 50);
    std::iota(expected.begin() + 300, expected.begin() + 350, base_ + 300);
    EXPECT_EQ(seen, expected);
    ASSERT_RT_OK(rtMemset(memory_, 0, kCount * 4));
  }
}

class GlobalOffsetGraphTest : public GlobalOffsetTest {
 protected:
  void SetUp() override {
    GlobalOffsetTest::SetUp();
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    operands_[0] = {RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, 0, nullptr, {nullptr, 0, pointer_}};
    operands_[1] = {RT_ARG_VALUE, 0, 4, &count_, {nullptr, 0, nullptr}};
    operands_[2] = {RT_ARG_VALUE, 0, 4, &base_, {nullptr, 0, nullptr}};
    params_.kernel = iota_;
    params_.args = operands_;
    params_.arg_count = 3;
    params_.grid[0] = 1;
    params_.group[0] = 10;
  }
  void TearDown() override {
    EXPECT_RT_OK(graph_.reset());
    GlobalOffsetTest::TearDown();
  }
  Graph graph_;
  rtGraphArg_t operands_[3] = {};
  rtGraphKernelParams_t params_ = RT_GRAPH_KERNEL_PARAMS_INIT;
};
INSTANTIATE_TEST_SUITE_P(, GlobalOffsetGraphTest, testing::ValuesIn(devicesWith({RT_CAPABILITY_KERNELS})), testName);

TEST_P(GlobalOffsetGraphTest, ANodeHasItAndItsParametersMayChange) {
  GraphExec exec;
  rtGraphNode_t node = nullptr;
  params_.global_offset[0] = 60;
  ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params_, nullptr, 0, graph_));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph_, context_));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  expectWritten(60, 70);
  params_.global_offset[0] = 90;
  params_.grid[0] = 3;
  ASSERT_RT_OK(rtGraphExecSetKernelParams(node, &params_, exec));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  expectWritten(90, 120);
  params_.struct_size = offsetof(rtGraphKernelParams_t, global_offset);
  ASSERT_RT_OK(rtGraphExecSetKernelParams(node, &params_, exec));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  expectWritten(0, 30);
}

TEST_P(GlobalOffsetGraphTest, APlanRefusesWhatIdsCannotHold) {
  GraphExec exec;
  rtGraphNode_t node = nullptr;
  params_.global_offset[1] = idsEnd();
  rtStatus_t status = rtGraphAddKernelNode(&node, &params_, nullptr, 0, graph_);
  if (status == RT_SUCCESS) status = rtGraphInstantiate(exec.out(), graph_, context_);
  EXPECT_EQ(status, RT_ERROR_INVALID_VALUE);
  EXPECT_NE(lastMessage().find(std::to_string(idsEnd())), std::string::npos) << lastMessage();
}

TEST_P(GlobalOffsetGraphTest, AFileHasIt) {
  Graph loaded;
  rtGraphNode_t node = nullptr;
  rtGraphBuffer_t buffer = nullptr;
  ASSERT_RT_OK(rtGraphAddBuffer(&buffer, kCount * 4, RT_GRAPH_BUFFER_OUTPUT, "out", graph_));
  operands_[0].memory = {buffer, 0, nullptr};
  params_.global_offset[0] = 33;
  params_.global_offset[2] = 4;
  ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params_, nullptr, 0, graph_));
  size_t needed = 0;
  ASSERT_RT_OK(rtGraphSave(nullptr, 0, &needed, graph_));
  std::string text(needed, '\0');
  ASSERT_RT_OK(rtGraphSave(text.data(), text.size(), &needed, graph_));
  EXPECT_NE(text.find("\"offset\": [33, 0, 4]"), std::string::npos) << text;
  ASSERT_RT_OK(rtGraphLoad(loaded.out(), text.data(), text.size()));
  std::string again(needed, '\0');
  ASSERT_RT_OK(rtGraphSave(again.data(), again.size(), &needed, loaded));
  EXPECT_EQ(again, text);
  GraphExec exec;
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), loaded, context_));
  uint32_t count = 0;
  ASSERT_RT_OK(rtGraphGetBuffers(&buffer, 1, &count, loaded));
  ASSERT_EQ(count, 1u);
  ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, pointer_, exec));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  expectWritten(33, 43);
}

class NoGlobalOffsetTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, NoGlobalOffsetTest, testing::ValuesIn(devicesWithHostKernels()), testName);

TEST_P(NoGlobalOffsetTest, AFunctionOfTheProgramRefusesIt) {
  Kernel kernel;
  ASSERT_RT_OK(makeKernel(&kernel, context_, emptyKernel, {}, "plain"));
  rtLaunchOptions_t options = optionsFrom(1);
  const uint32_t one[3] = {1, 1, 1};
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtLaunchKernelWithOptions(kernel, one, one, 0, &options, nullptr, 0, stream_));
  EXPECT_NE(lastMessage().find("\"plain\" takes no global offset"), std::string::npos) << lastMessage();
  options = optionsFrom(0);
  EXPECT_RT_OK(rtLaunchKernelWithOptions(kernel, one, one, 0, &options, nullptr, 0, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

}  // namespace
}  // namespace rttest
