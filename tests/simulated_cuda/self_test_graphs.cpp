// Graphs: what CUDA says of them, held against the simulation.
#include "self_test.h"

namespace manyrt::simulated {
namespace {

class GraphTest : public SimulatedTest {
 protected:
  void SetUp() override {
    SimulatedTest::SetUp();
    module_ = load("extern \"C\" __global__ void add(int* to, int value) { to[threadIdx.x] += value; }\n");
    add_ = kernel(module_, "add");
    memory_ = onDevice(64);
    ASSERT_EQ(cu().MemsetD32Async(address(memory_), 0, 64, stream_), kSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
    ASSERT_EQ(cu().GraphCreate(&graph_, 0), kSuccess);
  }
  void TearDown() override {
    if (exec_ != nullptr) {
      EXPECT_EQ(cu().GraphExecDestroy(exec_), kSuccess);
    }
    if (graph_ != nullptr) {
      EXPECT_EQ(cu().GraphDestroy(graph_), kSuccess);
    }
    EXPECT_EQ(cudaStreamSynchronize(stream_), kSuccess);
    SimulatedTest::TearDown();
  }
  KernelNodeParameters adding(int* value) {
    values_[0] = &memory_;
    values_[1] = value;
    KernelNodeParameters parameters{};
    parameters.function = add_;
    for (int i = 0; i < 3; ++i) parameters.grid[i] = parameters.block[i] = 1;
    parameters.parameters = values_;
    return parameters;
  }
  static FillNodeParameters filling(int* memory, unsigned value, size_t width) {
    return {address(memory), 0, value, 4, width, 1};
  }
  NativeNode addKernel(int value, std::vector<NativeNode> before = {}) {
    const KernelNodeParameters parameters = adding(&value);
    NativeNode node = nullptr;
    EXPECT_EQ(cu().GraphAddKernelNode(&node, graph_, before.empty() ? nullptr : before.data(), before.size(), &parameters),
              kSuccess);
    return node;
  }
  void instantiate() { ASSERT_EQ(cu().GraphInstantiateWithFlags(&exec_, graph_, 0), kSuccess); }
  int first() { return read(memory_, 1)[0]; }

  NativeModule module_ = nullptr;
  NativeFunction add_ = nullptr;
  int* memory_ = nullptr;
  void* values_[2] = {};
  NativeGraph graph_ = nullptr;
  NativeGraphExec exec_ = nullptr;
};

TEST_F(GraphTest, NodesRunAfterWhatTheyWaitForAndLaunchesAfterEachOther) {
  NativeNode fill = nullptr, copy = nullptr;
  const NativeNode five = addKernel(5);
  const FillNodeParameters parameters = filling(memory_, 7, 1);
  ASSERT_EQ(cu().GraphAddMemsetNode(&fill, graph_, &five, 1, &parameters, context_), kSuccess);
  const NativeNode two = addKernel(2, {fill});
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copy, graph_, &two, 1, memory_ + 1, memory_, 4, kCopyDefault), kSuccess);
  instantiate();
  NativeStream other = makeStream();
  for (int i = 0; i < 50; ++i) ASSERT_EQ(cu().GraphLaunch(exec_, i % 2 == 0 ? stream_ : other), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(other), kSuccess);
  EXPECT_EQ(read(memory_, 2), (std::vector<int>{9, 9}));
  EXPECT_EQ(cudaStreamDestroy(other), kSuccess);
}

TEST_F(GraphTest, LaunchesKeepTheParametersTheyWereGivenWith) {
  const NativeNode node = addKernel(1);
  instantiate();
  for (int value = 1; value <= 20; ++value) {
    const KernelNodeParameters parameters = adding(&value);
    ASSERT_EQ(cu().GraphExecKernelNodeSetParams(exec_, node, &parameters), kSuccess);
    ASSERT_EQ(cu().GraphLaunch(exec_, stream_), kSuccess);
  }
  EXPECT_EQ(first(), 210);
}

TEST_F(GraphTest, AnExecutableGraphMayGoWhileItRunsAndOutlivesItsGraph) {
  (void)addKernel(3);
  instantiate();
  EXPECT_EQ(cu().GraphDestroy(graph_), kSuccess);
  graph_ = nullptr;
  ASSERT_EQ(cu().GraphLaunch(exec_, stream_), kSuccess);
  EXPECT_EQ(cu().GraphExecDestroy(exec_), kSuccess);
  EXPECT_EQ(first(), 3);
  EXPECT_EQ(simulatedCudaViolations(), 0);
  EXPECT_EQ(cu().GraphLaunch(exec_, stream_), kInvalidHandle);
  EXPECT_EQ(simulatedCudaViolations(), 1);
  exec_ = nullptr;
}

TEST_F(GraphTest, WhatDoesNotFitIsRefused) {
  const NativeNode node = addKernel(1);
  NativeGraph other = nullptr;
  NativeNode made = nullptr;
  ASSERT_EQ(cu().GraphCreate(&other, 0), kSuccess);
  EXPECT_EQ(cu().GraphAddEmptyNode(&made, other, &node, 1), kInvalidValue) << "a node of another graph";
  const NativeNode twice[] = {node, node};
  EXPECT_EQ(cu().GraphAddEmptyNode(&made, graph_, twice, 2), kInvalidValue);
  FillNodeParameters fill = filling(memory_, 1, 65);
  EXPECT_EQ(cu().GraphAddMemsetNode(&made, graph_, nullptr, 0, &fill, context_), kInvalidValue) << "leaves its allocation";
  fill = filling(memory_, 1, 0);
  EXPECT_EQ(cu().GraphAddMemsetNode(&made, graph_, nullptr, 0, &fill, context_), kInvalidValue) << "does nothing";
  int value = 1;
  KernelNodeParameters parameters = adding(&value);
  parameters.block[0] = 2000;
  EXPECT_EQ(cu().GraphAddKernelNode(&made, graph_, nullptr, 0, &parameters), kInvalidValue);
  EXPECT_EQ(cudaGraphAddMemcpyNode1D(&made, graph_, nullptr, 0, memory_, memory_ + 60, 20, kCopyDefault), kInvalidValue);
  EXPECT_EQ(cu().GraphDestroy(other), kSuccess);
}

TEST_F(GraphTest, UpdatesKeepTheKindOfNodeAndOfMemory) {
  NativeNode copy = nullptr, fill = nullptr;
  int* host = pinned<int>(64);
  const FillNodeParameters parameters = filling(memory_, 4, 8);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copy, graph_, nullptr, 0, host, memory_, 16, kCopyDefault), kSuccess);
  ASSERT_EQ(cu().GraphAddMemsetNode(&fill, graph_, &copy, 1, &parameters, context_), kSuccess);
  instantiate();
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams1D(exec_, copy, host + 8, memory_ + 8, 32, kCopyDefault), kSuccess);
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams1D(exec_, copy, memory_ + 32, memory_, 16, kCopyDefault), kInvalidValue);
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams1D(exec_, fill, host, memory_, 16, kCopyDefault), kInvalidValue);
  FillNodeParameters changed = filling(memory_ + 1, 5, 4);
  EXPECT_EQ(cu().GraphExecMemsetNodeSetParams(exec_, fill, &changed, context_), kSuccess);
  changed.width = 16;
  EXPECT_EQ(cu().GraphExecMemsetNodeSetParams(exec_, fill, &changed, context_), kInvalidValue);
  ASSERT_EQ(cu().GraphLaunch(exec_, stream_), kSuccess);
  EXPECT_EQ(read(memory_, 6), (std::vector<int>{0, 5, 5, 5, 5, 0}));
  EXPECT_EQ(cudaFreeHost(host), kSuccess);
}

TEST_F(GraphTest, NodesAreSwitchedOffAndOnAgain) {
  NativeNode fill = nullptr, empty = nullptr;
  const FillNodeParameters parameters = filling(memory_, 7, 4);
  ASSERT_EQ(cu().GraphAddMemsetNode(&fill, graph_, nullptr, 0, &parameters, context_), kSuccess);
  ASSERT_EQ(cu().GraphAddEmptyNode(&empty, graph_, &fill, 1), kSuccess);
  instantiate();
  EXPECT_EQ(cu().GraphNodeSetEnabled(exec_, empty, 0), kInvalidValue) << "kernels, copies and fills alone";
  ASSERT_EQ(cu().GraphNodeSetEnabled(exec_, fill, 0), kSuccess);
  ASSERT_EQ(cu().GraphLaunch(exec_, stream_), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(first(), 0);
  ASSERT_EQ(cu().GraphNodeSetEnabled(exec_, fill, 1), kSuccess);
  ASSERT_EQ(cu().GraphLaunch(exec_, stream_), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  EXPECT_EQ(first(), 7);
}

TEST_F(GraphTest, EachLaunchRecordsTheEventsOfItsTime) {
  NativeEvent events[4];
  for (NativeEvent& event : events) ASSERT_EQ(cudaEventCreateWithFlags(&event, kEventDefault), kSuccess);
  NativeNode begin = nullptr, end = nullptr;
  ASSERT_EQ(cu().GraphAddEventRecordNode(&begin, graph_, nullptr, 0, events[0]), kSuccess);
  const NativeNode kernel = addKernel(1, {begin});
  ASSERT_EQ(cu().GraphAddEventRecordNode(&end, graph_, &kernel, 1, events[1]), kSuccess);
  instantiate();
  ASSERT_EQ(cu().GraphLaunch(exec_, stream_), kSuccess);
  EXPECT_EQ(cu().GraphExecEventRecordNodeSetEvent(exec_, kernel, events[2]), kInvalidValue) << "another kind of node";
  EXPECT_EQ(cu().GraphExecEventRecordNodeSetEvent(exec_, begin, nullptr), kInvalidHandle);
  ASSERT_EQ(cu().GraphExecEventRecordNodeSetEvent(exec_, begin, events[2]), kSuccess);
  ASSERT_EQ(cu().GraphExecEventRecordNodeSetEvent(exec_, end, events[3]), kSuccess);
  ASSERT_EQ(cu().GraphLaunch(exec_, stream_), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
  float first = -1, second = -1, between = -1;
  ASSERT_EQ(cudaEventElapsedTime(&first, events[0], events[1]), kSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&second, events[2], events[3]), kSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&between, events[1], events[2]), kSuccess);
  EXPECT_TRUE(first >= 0 && second >= 0 && between >= 0) << first << ' ' << second << ' ' << between;
  for (NativeEvent event : events) EXPECT_EQ(cudaEventDestroy(event), kSuccess);
}

TEST_F(GraphTest, ACapturedStreamBecomesAChild) {
  NativeGraph captured = nullptr;
  NativeNode child = nullptr, copy = nullptr;
  ASSERT_EQ(cu().StreamBeginCapture(stream_, kCaptureRelaxed), kSuccess);
  ASSERT_EQ(cu().MemsetD32Async(address(memory_), 4, 8, stream_), kSuccess);
  int value = 3;
  const KernelNodeParameters adds = adding(&value);
  ASSERT_EQ(cu().LaunchKernel(adds.function, 1, 1, 1, 1, 1, 1, 0, stream_, adds.parameters, nullptr), kSuccess);
  ASSERT_EQ(cu().StreamEndCapture(stream_, &captured), kSuccess);
  EXPECT_EQ(first(), 0) << "nothing of it runs";
  const NativeNode before = addKernel(5);
  ASSERT_EQ(cu().GraphAddChildGraphNode(&child, graph_, &before, 1, captured), kSuccess);
  ASSERT_EQ(cu().GraphDestroy(captured), kSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copy, graph_, &child, 1, memory_ + 8, memory_, 4, kCopyDefault), kSuccess);
  (void)addKernel(10, {copy});
  instantiate();
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(cu().GraphLaunch(exec_, stream_), kSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), kSuccess);
    EXPECT_EQ(read(memory_ + 8, 1)[0], 7);
    EXPECT_EQ(first(), 17);
  }
  ASSERT_EQ(cu().StreamBeginCapture(stream_, kCaptureRelaxed), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), kCaptureUnsafe);
  EXPECT_EQ(cu().StreamEndCapture(stream_, &captured), kCaptureInvalidated);
  EXPECT_EQ(captured, nullptr);
}

TEST_F(GraphTest, AKernelOfAnUnloadedModuleIsNoticed) {
  (void)addKernel(1);
  instantiate();
  ASSERT_EQ(cu().ModuleUnload(module_), kSuccess);
  EXPECT_EQ(cu().GraphLaunch(exec_, stream_), kInvalidHandle);
  EXPECT_EQ(simulatedCudaViolations(), 1);
}

}  // namespace
}  // namespace manyrt::simulated
