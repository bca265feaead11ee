// Replays: graphs of every form do what a serial interpreter does and leak nothing. Launches run one after another and keep
// what they were launched with; failures latch.
#include <atomic>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "exec_test.h"

namespace rttest {
namespace {

// Under a sanitizer planning a graph's memory takes a tenth of a second, and a simulated device is as slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint32_t kSlower = 12;
#else
constexpr uint32_t kSlower = 1;
#endif

void countCall(void* user, rtStatus_t) { ++*static_cast<std::atomic<int>*>(user); }

class ReplayTest : public ExecTest {};
INSTANTIATE_TEST_SUITE_P(, ReplayTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(ReplayTest, TenThousandReplaysLeaveTheSameBitsAndNothingElse) {
  Model model = randomGraph(77, 60);
  instantiate();
  Memory memory[4];
  for (size_t i = 0; i < 4; ++i) {
    ASSERT_RT_OK(rtMalloc(memory[i].out(), model.bytes[i].size(), context_));
    ASSERT_RT_OK(rtMemcpy(memory[i], model.bytes[i].data(), model.bytes[i].size(), RT_MEMCPY_DEFAULT));
    ASSERT_RT_OK(rtGraphExecBindBuffer(model.buffers[i], memory[i], exec_));
  }
  launch();
  launch();
  const uint64_t handles = liveHandles();
  const std::vector<unsigned char> first = contents(memory[3], model.bytes[3].size());
  const int launches = runsGraphs() ? 10'000 : 1000;  // elsewhere each step is a submission
  for (int i = 0; i < launches; ++i) {
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    if (i % 100 != 99) continue;
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_EQ(contents(memory[3], model.bytes[3].size()), first) << "after " << i + 1;
  }
  EXPECT_EQ(liveHandles(), handles);
}

// Small graphs of every form: lines, forks, unrelated nodes, with and without a host function that cuts or prevents a replay.
TEST_P(ReplayTest, ManyRandomGraphsDoWhatASerialInterpreterDoes) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  ASSERT_RT_OK(rtDeviceGetProperties(&properties, device_));
  const bool emulated = std::strstr(properties.name, "Oclgrind") != nullptr;  // a second for each few
  const uint32_t graphs = (emulated ? 200u : 2000u) / kSlower;
  std::vector<unsigned char> bytes;
  for (uint32_t seed = 1000; seed < 1000 + graphs; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    std::atomic<int> calls{0};
    const bool hosted = seed % 4 == 0;
    if (hosted) (void)host(countCall, &calls);
    Model model = randomGraph(seed, 5 + seed % 40);
    if (hosted) (void)host(countCall, &calls);
    rtCapturePlanOptions_t options = RT_CAPTURE_PLAN_OPTIONS_INIT;
    options.max_streams = 1 + seed % 3;
    CapturePlan plan;
    ASSERT_RT_OK(rtCapturePlanCreate(plan.out(), &options, graph_, context_));
    ASSERT_RT_OK(rtGraphExecCreate(exec_.out(), plan));
    Memory memory[4];
    for (size_t i = 0; i < 4; ++i) {
      ASSERT_RT_OK(rtMalloc(memory[i].out(), model.bytes[i].size(), context_));
      ASSERT_RT_OK(rtMemcpy(memory[i], model.bytes[i].data(), model.bytes[i].size(), RT_MEMCPY_DEFAULT));
      ASSERT_RT_OK(rtGraphExecBindBuffer(model.buffers[i], memory[i], exec_));
    }
    for (int round = 0; round < 2; ++round) {
      launch();
      model.run();
    }
    for (size_t i = 2; i < 4; ++i) {
      ASSERT_EQ(contents(memory[i], model.bytes[i].size()), model.bytes[i]) << "buffer " << i;
    }
    EXPECT_EQ(calls, hosted ? 4 : 0);
    ASSERT_RT_OK(exec_.reset());
  }
}

TEST_P(ReplayTest, LaunchesOnSeveralStreamsRunOneAfterAnother) {
  constexpr size_t kBytes = 1024;
  Memory line, aside;
  ASSERT_RT_OK(rtMalloc(line.out(), kBytes, context_));
  ASSERT_RT_OK(rtMalloc(aside.out(), kBytes, context_));
  std::vector<unsigned char> start(kBytes);
  for (size_t i = 0; i < kBytes; ++i) start[i] = static_cast<unsigned char>(i % 251);
  ASSERT_RT_OK(rtMemcpy(line, start.data(), kBytes, RT_MEMCPY_DEFAULT));
  (void)copy(at(aside.as(0)), at(line.as(0)), kBytes - 1);  // everything moves on by one byte
  (void)copy(at(line.as(1)), at(aside.as(0)), kBytes - 1);
  instantiate();
  Stream streams[3];
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  Fence gate;
  ASSERT_RT_OK(rtFenceCreate(gate.out(), 0, context_));
  for (size_t i = 0; i < 300; ++i) {
    if (i == 100) {  // from here on launches are held back until the end
      ASSERT_RT_OK(rtStreamWaitFence(gate, 1, streams[0]));
      ASSERT_RT_OK(rtGraphLaunch(exec_, streams[0]));
    } else {
      ASSERT_RT_OK(rtGraphLaunch(exec_, streams[i * 7 % 3]));
    }
  }
  ASSERT_RT_OK(rtFenceSignal(1, gate));
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamSynchronize(stream));
  const std::vector<unsigned char> bytes = contents(line, kBytes);
  for (size_t i = 0; i < kBytes; ++i) ASSERT_EQ(bytes[i], i < 300 ? 0 : (i - 300) % 251) << i;
}

TEST_P(ReplayTest, LaunchesKeepWhatTheyWereLaunchedWith) {
  const rtGraphNode_t node = fill(at(memory_.as(0)), 1, 16);
  instantiate();
  launch();
  Fence gate;
  ASSERT_RT_OK(rtFenceCreate(gate.out(), 0, context_));
  ASSERT_RT_OK(rtStreamWaitFence(gate, 1, stream_));
  for (unsigned char value = 2; value < 20; ++value) {
    const rtGraphFillParams_t params = fillParams(at(memory_.as(0)), value, 16);
    ASSERT_RT_OK(rtGraphExecSetFillParams(node, &params, exec_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(memory_.as(16 * value), memory_.as(0), 16, RT_MEMCPY_DEFAULT, stream_));
  }
  ASSERT_RT_OK(rtFenceSignal(1, gate));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (unsigned char value = 2; value < 20; ++value) {
    EXPECT_EQ(contents(memory_.as(16 * value), 16), std::vector<unsigned char>(16, value)) << int{value};
  }
}

// A stream's work after a launch may wait for the next launch on another stream.
TEST_P(ReplayTest, ALaunchWaitsForTheOneBeforeAndForNothingAfterIt) {
  (void)copy(at(memory_.as(16)), at(memory_.as(0)), 16);
  (void)fill(at(memory_.as(0)), 7, 16);
  instantiate();
  Stream other;
  Fence fence;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  for (uint64_t round = 1; round < 20; ++round) {
    ASSERT_RT_OK(rtMemsetAsync(memory_, 0xEE, 32, stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtStreamWaitFence(fence, round, stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, other));
    ASSERT_RT_OK(rtStreamSignalFence(fence, round, other));
    ASSERT_RT_OK(rtStreamSynchronize(other));
    EXPECT_EQ(contents(memory_.as(16), 16), std::vector<unsigned char>(16, 7)) << round;
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
}

// A failure of a stream's work after a launch fails that stream, and no later launch on another one.
TEST_P(ReplayTest, AFailureAfterALaunchIsNotThatOfTheNextOne) {
  for (unsigned char i = 0; i < 5; ++i) (void)fill(at(memory_.as(16 * i)), i, 16);
  instantiate();
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  for (int round = 0; round < 10; ++round) {
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    rtFence_t fence = nullptr;
    ASSERT_RT_OK(rtFenceCreate(&fence, 0, context_));
    ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
    ASSERT_RT_OK(rtFenceDestroy(fence));
    ASSERT_RT_OK(rtGraphLaunch(exec_, other));
    EXPECT_RT_OK(rtStreamSynchronize(other));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
  }
}

// Nodes that are long enough for the CPU to spread them.
TEST_P(ReplayTest, KernelsOfAWideGraphDoWhatASerialInterpreterDoes) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device loads no modules";
  constexpr uint32_t kRows = 12, kColumns = 512, kNodes = 200;
  Module module;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(),
                                        "__kernel void blend(__global uint* out, __global const uint* in, uint factor) {\n"
                                        "  uint i = (uint)get_global_id(0), sum = out[i];\n"
                                        "  for (uint k = 0; k < 8; ++k) sum = sum * factor + in[(i + k) % 512];\n"
                                        "  out[i] = sum;\n"
                                        "}\n",
                                        nullptr, context_));
  rtKernel_t kernel = nullptr;
  ASSERT_RT_OK(rtModuleGetKernel(&kernel, "blend", module));
  Memory rows;
  ASSERT_RT_OK(rtMalloc(rows.out(), kRows * kColumns * 4, context_));
  std::vector<uint32_t> expected(kRows * kColumns);
  std::mt19937 random(5);
  for (uint32_t& value : expected) value = random();
  ASSERT_RT_OK(rtMemcpy(rows, expected.data(), expected.size() * 4, RT_MEMCPY_DEFAULT));
  struct Node {
    uint32_t out, in, factor;
  };
  std::vector<Node> nodes;
  for (uint32_t i = 0; i < kNodes; ++i) {
    Node node{static_cast<uint32_t>(random() % kRows), static_cast<uint32_t>(random() % kRows),
              static_cast<uint32_t>(random()) | 1u};
    if (node.in == node.out) node.in = (node.in + 1) % kRows;
    nodes.push_back(node);
    rtGraphArg_t args[] = {
        {RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, kColumns * 4, nullptr, at(rows.as(node.out * kColumns * 4))},
        {RT_ARG_POINTER, RT_GRAPH_READ, kColumns * 4, nullptr, at(rows.as(node.in * kColumns * 4))},
        {RT_ARG_VALUE, 0, 4, &node.factor, {nullptr, 0, nullptr}}};
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = kernel;
    params.args = args;
    params.arg_count = 3;
    params.grid[0] = 8;
    params.group[0] = kColumns / 8;
    rtGraphNode_t made = nullptr;
    ASSERT_RT_OK(rtGraphAddKernelNode(&made, &params, nullptr, RT_INFERRED, graph_));
  }
  instantiate();
  for (uint32_t round = 0; round < 24 / kSlower; ++round) {
    launch();
    for (const Node& node : nodes) {
      for (uint32_t i = 0; i < kColumns; ++i) {
        uint32_t& out = expected[node.out * kColumns + i];
        for (uint32_t k = 0; k < 8; ++k) out = out * node.factor + expected[node.in * kColumns + (i + k) % kColumns];
      }
    }
    std::vector<uint32_t> values(expected.size());
    ASSERT_RT_OK(rtMemcpy(values.data(), rows, values.size() * 4, RT_MEMCPY_DEFAULT));
    ASSERT_EQ(values, expected) << "in round " << round;
  }
}

TEST_P(ReplayTest, AFailingKernelLatchesAndSkipsWhatFollows) {
  NEEDS_KERNELS();
  // A kernel of a GPU that fails takes the device with it.
  if (!acceptsKernels()) GTEST_SKIP() << "the device runs no functions of the program";
  Kernel failing;
  ASSERT_RT_OK(makeKernel(
      &failing, context_,
      [](const rtHostGroup_t*, void* const* args) {
        if (**static_cast<uint32_t**>(args[0]) != 0) throw std::runtime_error("no");
      },
      {kPointerArg}, "failing"));
  uint32_t fails = 1;
  void* flag = &fails;
  rtGraphArg_t arg = {RT_ARG_POINTER, RT_GRAPH_READ, 4, nullptr, at(flag)};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = failing;
  params.args = &arg;
  params.arg_count = 1;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, RT_INFERRED, graph_));
  const rtGraphNode_t before[] = {node};
  rtGraphFillParams_t fill_params = fillParams(at(memory_.as(0)), 3, 16);
  ASSERT_RT_OK(rtGraphAddFillNode(&node, &fill_params, before, 1, graph_));
  instantiate();
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(stream_));
  EXPECT_TRUE(says("\"failing\"") && says("no")) << lastMessage();
  EXPECT_EQ(firstByte(), 0xEE);
  fails = 0;
  launch();
  EXPECT_EQ(firstByte(), 3);
}

}  // namespace
}  // namespace rttest
