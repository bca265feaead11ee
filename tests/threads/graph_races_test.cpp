// Execs from eight threads: launches on several streams beside parameters that change, bindings, updates and destroys.
#include <vector>

#include "support/device_test.h"
#include "support/threads.h"

namespace rttest {
namespace {

class GraphRaces : public DeviceTest {
 protected:
  static constexpr uint64_t kBytes = 4096;
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtMalloc(memory_.out(), kBytes, context_));
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    ASSERT_RT_OK(rtGraphAddBuffer(&buffer_, kBytes, RT_GRAPH_BUFFER_OUTPUT, "out", graph_));
    rtGraphFillParams_t fill = params(1);
    for (uint64_t i = 0; i < 16; ++i) {  // a few lines beside one another
      fill.dst.offset = 256 * i;
      const uint32_t before = i < 4 ? 0 : 1;
      ASSERT_RT_OK(rtGraphAddFillNode(&nodes_[i], &fill, before == 0 ? nullptr : &nodes_[i - 4], before, graph_));
    }
  }
  void TearDown() override {
    EXPECT_RT_OK(graph_.reset());
    EXPECT_RT_OK(memory_.reset());
    DeviceTest::TearDown();
  }
  rtGraphFillParams_t params(unsigned char value) const {
    rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
    fill.dst = {buffer_, 0, nullptr};
    fill.pattern_size = 1;
    fill.pattern[0] = value;
    fill.count = 256;
    return fill;
  }
  rtGraphExec_t make() {
    rtGraphExec_t exec = nullptr;
    EXPECT_RT_OK(rtGraphInstantiate(&exec, graph_, context_));
    EXPECT_RT_OK(bindFresh(exec));
    return exec;
  }
  // Memory that is the exec's alone: two execs on two streams are in no order.
  rtStatus_t bindFresh(rtGraphExec_t exec) {
    Memory memory;
    EXPECT_RT_OK(rtMalloc(memory.out(), kBytes, context_));
    return rtGraphExecBindBuffer(buffer_, memory, exec);
  }

  Graph graph_;
  Memory memory_;
  rtGraphBuffer_t buffer_ = nullptr;
  rtGraphNode_t nodes_[16] = {};
};
INSTANTIATE_TEST_SUITE_P(, GraphRaces, testing::ValuesIn(deviceNames()), testName);

TEST_P(GraphRaces, ExecsAreLaunchedChangedAndDestroyed) {
  std::atomic<rtGraphExec_t> slots[2] = {make(), make()};
  Stream streams[3];
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  onThreads([&](int index) {
    Allowed allowed{RT_ERROR_INVALID_HANDLE};
    Random random(static_cast<uint64_t>(index));
    for (int round = 0; round < kRounds / 4; ++round) {
      std::atomic<rtGraphExec_t>& slot = slots[random.below(2)];
      const rtGraphExec_t exec = slot.load();
      switch (random.below(12)) {
        case 0:
          CALL(allowed, rtGraphExecDestroy(slot.exchange(make())));
          break;
        case 1: {
          const uint32_t node = random.below(16);
          rtGraphFillParams_t fill = params(static_cast<unsigned char>(round));
          fill.dst.offset = 256 * node;
          CALL(allowed, rtGraphExecSetFillParams(nodes_[node], &fill, exec));
          break;
        }
        case 2:
          CALL(allowed, bindFresh(exec));
          break;
        case 3:
          CALL(allowed, rtGraphExecUpdate(graph_, exec));
          break;
        case 4:
          CALL(allowed, rtStreamSynchronize(streams[random.below(3)]));
          break;
        default:
          CALL(allowed, rtGraphLaunch(exec, streams[random.below(3)]));
      }
    }
  });
  for (std::atomic<rtGraphExec_t>& slot : slots) EXPECT_RT_OK(rtGraphExecDestroy(slot.load()));
  for (Stream& stream : streams) EXPECT_RT_OK(rtStreamSynchronize(stream));
}

TEST_P(GraphRaces, LaunchesOfOneExecLeaveWhatOneThreadWould) {
  rtGraphExec_t exec = make();
  EXPECT_RT_OK(rtGraphExecBindBuffer(buffer_, memory_, exec));
  Stream streams[kThreads];
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  onThreads([&](int index) {
    for (int round = 0; round < kRounds / 8; ++round) EXPECT_RT_OK(rtGraphLaunch(exec, streams[index]));
    EXPECT_RT_OK(rtStreamSynchronize(streams[index]));
  });
  std::vector<unsigned char> bytes(kBytes);
  ASSERT_RT_OK(rtMemcpy(bytes.data(), memory_, kBytes, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(bytes, std::vector<unsigned char>(kBytes, 1));
  EXPECT_RT_OK(rtGraphExecDestroy(exec));
}

// A launch has one value in all of its nodes, and one memory, whatever is bound meanwhile.
TEST_P(GraphRaces, ALaunchHasOneValueInAllItsNodes) {
  NEEDS_KERNELS();
  static constexpr char kSource[] = R"(
__kernel void put(__global uint* data, uint place, uint value) { data[place] = value; }
__kernel void look(__global const uint* data, __global uint* wrong, uint value) {
  for (uint i = 0; i < 12; ++i) *wrong += data[i] != value;
})";
  Module module;
  rtKernel_t put = nullptr, look = nullptr;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, nullptr, context_));
  ASSERT_RT_OK(rtModuleGetKernel(&put, "put", module));
  ASSERT_RT_OK(rtModuleGetKernel(&look, "look", module));
  Memory wrong, data[2];
  ASSERT_RT_OK(rtMalloc(wrong.out(), 4, context_));
  ASSERT_RT_OK(rtMemset(wrong, 0, 4));
  for (Memory& each : data) ASSERT_RT_OK(rtMalloc(each.out(), 64, context_));
  Graph graph;
  GraphExec exec;
  rtGraphBuffer_t buffer = nullptr;
  rtGraphValue_t value = nullptr;
  const uint32_t first = 0;
  ASSERT_RT_OK(rtGraphCreate(graph.out()));
  ASSERT_RT_OK(rtGraphAddBuffer(&buffer, 64, RT_GRAPH_BUFFER_OUTPUT, "data", graph));
  ASSERT_RT_OK(rtGraphAddValue(&value, 4, &first, "value", graph));
  rtGraphArg_t args[3] = {{RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, 64, nullptr, {buffer, 0, nullptr}},
                          {},
                          {RT_ARG_GRAPH_VALUE, 0, 0, value, {nullptr, 0, nullptr}}};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.args = args;
  params.arg_count = 3;
  rtGraphNode_t node = nullptr;
  for (uint32_t place = 0; place < 12; ++place) {
    params.kernel = put;
    args[1] = {RT_ARG_VALUE, 0, 4, &place, {nullptr, 0, nullptr}};
    ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, RT_INFERRED, graph));
  }
  params.kernel = look;
  args[1] = {RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, 4, nullptr, {nullptr, 0, wrong}};
  ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, RT_INFERRED, graph));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, data[0], exec));
  onThreads([&](int index) {
    Stream stream;
    Random random(static_cast<uint64_t>(index));
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    for (uint32_t round = 0; round < kRounds / 8; ++round) {
      switch (random.below(4)) {
        case 0:
          EXPECT_RT_OK(rtGraphExecBindValue(value, &round, 4, exec));
          break;
        case 1:
          EXPECT_RT_OK(rtGraphExecBindBuffer(buffer, data[random.below(2)], exec));
          break;
        default:
          EXPECT_RT_OK(rtGraphLaunch(exec, stream));
      }
    }
    EXPECT_RT_OK(rtStreamSynchronize(stream));
  });
  uint32_t found = 1;
  ASSERT_RT_OK(rtMemcpy(&found, wrong, 4, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(found, 0u);
  ASSERT_RT_OK(exec.reset());
}

}  // namespace
}  // namespace rttest
