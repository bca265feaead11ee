// Replays on OpenCL: which calls of a driver a launch and a change make, and that a launch allocates nothing. Launches that are
// held back, changed, rebound or spread over streams do what a model of the kernels does.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/fault.h"
#include "opencl_test.h"

namespace rttest {
namespace {

namespace calls = manyrt::opencl::calls;

constexpr char kSource[] = R"(
__kernel void mix_in(__global uint* out, __global const uint* in, uint factor, uint count) {
  uint i = get_global_id(0);
  if (i < count) out[i] = out[i] * factor + in[i];
}
__kernel void turn(__global uint* out, uint by) { out[get_global_id(0)] += by; }
)";
constexpr uint32_t kCount = 64;  // words of a row
constexpr uint32_t kRow = kCount * 4;
constexpr uint32_t kTries = 100;  // contexts of other tests may still be going, with calls, frees and allocations of their own

uint64_t setCalls() { return calls::count("clSetKernelArg") + calls::count("setArgument"); }

class OpenClReplayTest : public OpenClDeviceTest {
 protected:
  struct Node {
    uint32_t out, in, factor, count;
    bool operator==(const Node&) const = default;
  };

  void SetUp() override {
    OpenClDeviceTest::SetUp();
    mix_in_ = kernelOf(kSource, "mix_in");
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    ASSERT_RT_OK(rtMalloc(rows_.out(), kRows * kRow, context_));
    values_.resize(kRows * kCount);
    std::mt19937 random(9);
    for (uint32_t& value : values_) value = static_cast<uint32_t>(random());
    ASSERT_RT_OK(rtMemcpy(rows_, values_.data(), values_.size() * 4, RT_MEMCPY_DEFAULT));
  }
  void TearDown() override {
    EXPECT_RT_OK(exec_.reset());
    EXPECT_RT_OK(graph_.reset());
    EXPECT_RT_OK(rows_.reset());
    OpenClDeviceTest::TearDown();
  }
  // The parameters of a node, in the form that adding and changing take; the arguments live as long as this.
  struct Params {
    rtGraphArg_t args[4];
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  };
  static rtGraphOperand_t at(void* pointer) { return {nullptr, 0, pointer}; }
  static rtGraphOperand_t at(rtGraphBuffer_t buffer, uint64_t offset) { return {buffer, offset, nullptr}; }
  void fillIn(Params* made, const Node& node, const rtGraphOperand_t& out, const rtGraphOperand_t& in) const {
    made->args[0] = {RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, kRow, nullptr, out};
    made->args[1] = {RT_ARG_POINTER, RT_GRAPH_READ, kRow, nullptr, in};
    made->args[2] = {RT_ARG_VALUE, 0, 4, &node.factor, {nullptr, 0, nullptr}};
    made->args[3] = {RT_ARG_VALUE, 0, 4, &node.count, {nullptr, 0, nullptr}};
    made->params.kernel = mix_in_;
    made->params.args = made->args;
    made->params.arg_count = 4;
    made->params.grid[0] = kCount / 16;
    made->params.group[0] = 16;
  }
  void fillIn(Params* made, const Node& node) {
    fillIn(made, node, at(rows_.as(node.out * kRow)), at(rows_.as(node.in * kRow)));
  }
  rtGraphNode_t add(const Node& node) {
    Params made;
    fillIn(&made, node);
    rtGraphNode_t added = nullptr;
    EXPECT_RT_OK(rtGraphAddKernelNode(&added, &made.params, nullptr, RT_INFERRED, graph_));
    return added;
  }
  rtStatus_t change(rtGraphNode_t at, const Node& node) {
    Params made;
    fillIn(&made, node);
    return rtGraphExecSetKernelParams(at, &made.params, exec_);
  }
  Node randomNode(std::mt19937& random) {
    Node node{static_cast<uint32_t>(random() % kRows), 0, static_cast<uint32_t>(random()) | 1u,
              static_cast<uint32_t>(1 + random() % kCount)};
    node.in = (node.out + 1 + static_cast<uint32_t>(random()) % (kRows - 1)) % kRows;
    return node;
  }
  void launchAndChangeAtRandom(uint32_t seed);
  void run(const Node& node) {  // what the node does, on the host
    for (uint32_t i = 0; i < node.count; ++i) {
      uint32_t& out = values_[node.out * kCount + i];
      out = out * node.factor + values_[node.in * kCount + i];
    }
  }
  std::vector<uint32_t> rows() {
    std::vector<uint32_t> seen(values_.size());
    EXPECT_RT_OK(rtMemcpy(seen.data(), rows_, seen.size() * 4, RT_MEMCPY_DEFAULT));
    return seen;
  }
  // A line of nodes on one row, made and launched twice, so that drivers have compiled what they compile late.
  std::vector<rtGraphNode_t> line(uint32_t count) {
    std::vector<rtGraphNode_t> nodes;
    for (uint32_t i = 0; i < count; ++i) nodes.push_back(add({0, 1, 2 * i + 1, kCount}));
    EXPECT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
    for (int i = 0; i < 2; ++i) EXPECT_RT_OK(rtGraphLaunch(exec_, stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return nodes;
  }

  static constexpr uint32_t kRows = 6;
  rtKernel_t mix_in_ = nullptr;
  Graph graph_;
  GraphExec exec_;
  Memory rows_;
  std::vector<uint32_t> values_;  // of the rows, as they should be
};
INSTANTIATE_TEST_SUITE_P(, OpenClReplayTest, testing::ValuesIn(openClDevices()), testName);

TEST_P(OpenClReplayTest, ALaunchIsOneEnqueueForEachKernelAndNothingElse) {
  constexpr uint32_t kNodes = 20;
  (void)line(kNodes);
  uint64_t others = UINT64_MAX;
  for (uint32_t i = 0; i < kTries && others > 1; ++i) {
    calls::startCounting();
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    calls::stopCounting();
    EXPECT_EQ(calls::count("clEnqueueNDRangeKernel"), kNodes);
    EXPECT_EQ(setCalls(), 0u);
    // Where a driver counts launches by width, each has an event in the place of the last one.
    const uint64_t replaced = std::min<uint64_t>(calls::count("clReleaseEvent"), kNodes);
    others = std::min(others, calls::count("") - kNodes - replaced);
  }
  EXPECT_LE(others, 1u) << "a flush, where the driver needs one";
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

// Fault points are counted: each driver's call is one, and each operator new outside of a driver.
TEST_P(OpenClReplayTest, ALaunchAllocatesNothing) {
  constexpr uint32_t kNodes = 20;
  (void)line(kNodes);
  manyrt::fault::arm(UINT64_MAX, false);
  ::operator delete(::operator new(4));
  EXPECT_EQ(manyrt::fault::disarm(), 1u) << "operator new is not counted";
  uint64_t points = UINT64_MAX;
  for (uint32_t i = 0; i < kTries && points != kNodes; ++i) {
    manyrt::fault::arm(UINT64_MAX, false);
    const rtStatus_t status = rtGraphLaunch(exec_, stream_);
    points = std::min(points, manyrt::fault::disarm());
    ASSERT_RT_OK(status);
  }
  EXPECT_EQ(points, kNodes);
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(OpenClReplayTest, AChangeSetsTheArgumentsThatChange) {
  const std::vector<rtGraphNode_t> nodes = line(8);
  const auto setsOf = [&](const Node& node) {
    calls::startCounting();
    EXPECT_RT_OK(change(nodes[3], node));
    calls::stopCounting();
    EXPECT_EQ(calls::count("clCreateKernel"), 0u);
    return setCalls();
  };
  EXPECT_EQ(setsOf({0, 1, 7, kCount}), 0u) << "the same values";
  EXPECT_EQ(setsOf({0, 1, 99, kCount}), 1u);
  EXPECT_EQ(setsOf({0, 1, 98, kCount - 1}), 2u);
  EXPECT_EQ(setsOf({0, 2, 98, kCount - 1}), 1u) << "another address; in buffers of one root that is its offset alone";
  calls::startCounting();
  EXPECT_RT_OK(rtGraphLaunch(exec_, stream_));
  calls::stopCounting();
  EXPECT_EQ(calls::count("clEnqueueNDRangeKernel"), nodes.size());
  EXPECT_EQ(setCalls(), 0u) << "a launch sets nothing";
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(OpenClReplayTest, BindingSetsTheAddressOfEachNodeThatUsesTheBuffer) {
  rtGraphBuffer_t buffer = nullptr;
  Memory first, second;
  ASSERT_RT_OK(rtGraphAddBuffer(&buffer, kRow, RT_GRAPH_BUFFER_OUTPUT, "bound", graph_));
  for (Memory* each : {&first, &second}) {  // each a root of its own, where there are roots
    ASSERT_RT_OK(rtMalloc(each->out(), 4 << 20, context_));
    ASSERT_RT_OK(rtMemset(*each, 0, kRow));
  }
  for (uint32_t i = 0; i < 6; ++i) {
    const Node node{0, 1, 3, kCount};
    Params made;
    fillIn(&made, node, i < 5 ? at(buffer, 0) : at(rows_.as(kRow * 2)), at(rows_.as(kRow)));
    rtGraphNode_t added = nullptr;
    ASSERT_RT_OK(rtGraphAddKernelNode(&added, &made.params, nullptr, RT_INFERRED, graph_));
  }
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, first, exec_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  calls::startCounting();
  ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, second, exec_));
  calls::stopCounting();
  EXPECT_EQ(setCalls(), 5u) << "the root, or the address; the offset is the same";
  EXPECT_EQ(calls::count("clCreateKernel"), 0u);
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  std::vector<uint32_t> one(kCount), two(kCount);
  ASSERT_RT_OK(rtMemcpy(one.data(), first, kRow, RT_MEMCPY_DEFAULT));
  ASSERT_RT_OK(rtMemcpy(two.data(), second, kRow, RT_MEMCPY_DEFAULT));
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t expected = values_[kCount + i] * (1 + 3 + 9 + 27 + 81);
    EXPECT_EQ(one[i], expected) << i;
    EXPECT_EQ(two[i], expected) << i;
  }
}

// A kernel that follows addresses in memory is told of all allocations, once for each that is new.
TEST_P(OpenClReplayTest, KernelsThatFollowAddressesAreToldOfNewAllocations) {
  if (inBuffers()) GTEST_SKIP() << "kernels follow no addresses in buffers";
  constexpr uint32_t kNodes = 5;
  const bool usm = attribute(RT_ATTRIBUTE_MEMORY_TIER) == RT_MEMORY_TIER_USM;
  Module module;
  rtKernel_t follow = nullptr;
  const char* source = "__kernel void follow(__global ulong* at, uint by) { *(__global uint*)at[0] += by; }";
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), source, nullptr, context_));
  ASSERT_RT_OK(rtModuleGetKernel(&follow, "follow", module));
  ASSERT_RT_OK(rtGraphDestroy(graph_.release()));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  for (uint32_t i = 0; i < kNodes; ++i) ASSERT_RT_OK(launchOver(follow, stream_, 1, 1, rows_.get(), i));
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
  for (uint32_t round = 0; round < 6; ++round) {
    Memory large;
    uint32_t seen = 0;
    ASSERT_RT_OK(rtMalloc(large.out(), (8 + round) << 20, context_));
    const uint64_t target = reinterpret_cast<uintptr_t>(large.get());
    ASSERT_RT_OK(rtMemset(large, 0, 4));
    ASSERT_RT_OK(rtMemcpy(rows_, &target, sizeof target, RT_MEMCPY_DEFAULT));
    uint32_t launches = 0;
    for (uint64_t told = 1; told != 0 && launches < kTries; ++launches) {
      calls::startCounting();
      ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
      calls::stopCounting();
      told = calls::count("clSetKernelExecInfo");
      EXPECT_TRUE(launches != 0 || told == kNodes * (usm ? 3 : 1)) << told << " in round " << round;
    }
    EXPECT_LT(launches, kTries) << "told of the same at every launch";
    ASSERT_RT_OK(rtMemcpyAsync(&seen, large, 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(seen, launches * (0 + 1 + 2 + 3 + 4));
  }
}

// Lines of kernels with one work-group each, on rows of their own: each has a lane.
class OpenClLanesTest : public OpenClReplayTest {
 protected:
  static constexpr uint32_t kLines = 4, kLength = 5;
  void SetUp() override {
    OpenClReplayTest::SetUp();
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    ASSERT_RT_OK(rtDeviceGetProperties(&properties, device_));
    if (properties.compute_units < 2) GTEST_SKIP() << "one compute unit has no room beside a work-group";
    for (uint32_t step = 0; step < kLength; ++step) {
      for (uint32_t row = 0; row < kLines; ++row) {
        nodes_.push_back({row, kLines, 2 * step + 3 + row, kCount});
        Params made;
        fillIn(&made, nodes_.back());
        made.params.grid[0] = 1;
        made.params.group[0] = kCount;
        rtGraphNode_t added = nullptr;
        ASSERT_RT_OK(rtGraphAddKernelNode(&added, &made.params, nullptr, RT_INFERRED, graph_));
      }
    }
    ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
    launch();
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
  void launch() {
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    for (const Node& node : nodes_) run(node);
  }
  std::vector<Node> nodes_;
};
INSTANTIATE_TEST_SUITE_P(, OpenClLanesTest, testing::ValuesIn(openClDevices()), testName);

TEST_P(OpenClLanesTest, StepsThatLeaveRoomHaveAQueueForEachLane) {
  uint64_t others = UINT64_MAX;
  for (uint32_t i = 0; i < 10; ++i) {
    calls::startCounting();
    launch();
    calls::stopCounting();
    EXPECT_EQ(calls::count("clEnqueueNDRangeKernel"), kLines * kLength);
    EXPECT_EQ(calls::count("clEnqueueBarrierWithWaitList"), kLines) << "one at the beginning of each other lane, and the end";
    EXPECT_EQ(calls::count("clCreateCommandQueue"), 0u);
    others = std::min(others, calls::count("clEnqueueMarkerWithWaitList"));
  }
  EXPECT_EQ(others, kLines) << "the beginning, and the end of each other lane";
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(rows(), values_);
}

TEST_P(OpenClLanesTest, LaunchesComeAfterWhatTheStreamHasAndAheadOfWhatFollows) {
  Fence gate;
  std::vector<uint32_t> seen(values_.size()), start = values_;
  ASSERT_RT_OK(rtFenceCreate(gate.out(), 0, context_));
  for (uint64_t round = 1; round <= 20; ++round) {
    if (round % 2 == 0) {
      ASSERT_RT_OK(rtStreamWaitFence(gate, round, stream_));
    }
    values_ = start;
    ASSERT_RT_OK(rtMemcpyAsync(rows_, start.data(), start.size() * 4, RT_MEMCPY_DEFAULT, stream_));
    for (int i = 0; i < 3; ++i) launch();
    ASSERT_RT_OK(rtMemcpyAsync(seen.data(), rows_, seen.size() * 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtFenceSignal(round, gate));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_EQ(seen, values_) << round;
  }
}

// Each call of the driver fails once. Whatever was enqueued comes before what the stream does then.
TEST_P(OpenClLanesTest, WhatFollowsAFailedLaunchComesAfterAllItsLanes) {
  std::vector<uint32_t> start = values_, seen(values_.size());
  uint64_t points = 1;
  for (uint64_t k = 1; k <= points; ++k) {
    manyrt::fault::arm(k, false);
    const rtStatus_t status = rtGraphLaunch(exec_, stream_);
    points = std::max(points, manyrt::fault::disarm());
    if (status != RT_SUCCESS) {
      (void)rtStreamSynchronize(stream_);
    }
    ASSERT_RT_OK(rtMemcpyAsync(rows_, start.data(), start.size() * 4, RT_MEMCPY_DEFAULT, stream_)) << k;
    values_ = start;
    launch();
    ASSERT_RT_OK(rtMemcpyAsync(seen.data(), rows_, seen.size() * 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_)) << k;
    ASSERT_EQ(seen, values_) << "after failure " << k << ", " << manyrt::fault::lastFault();
  }
  EXPECT_GE(points, kLines * kLength + 2 * kLines);
}

// Launches on three streams, some of them held back for a while, with kernels changed between any two.
void OpenClReplayTest::launchAndChangeAtRandom(uint32_t seed) {
  std::mt19937 random(seed);
  Stream streams[3];
  Fence gate;
  uint64_t value = 0;
  bool closed = false;
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  ASSERT_RT_OK(rtFenceCreate(gate.out(), 0, context_));
  std::vector<Node> nodes;
  std::vector<rtGraphNode_t> added;
  for (uint32_t i = 0; i < 12; ++i) {
    nodes.push_back(randomNode(random));
    added.push_back(add(nodes.back()));
  }
  // A node's memory and so its dependencies stay as they are, values change.
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
  for (uint32_t round = 0; round < 400; ++round) {
    const uint32_t what = static_cast<uint32_t>(random()) % 8;
    if (what < 3) {
      const size_t at = random() % nodes.size();
      nodes[at].factor = static_cast<uint32_t>(random()) | 1u;
      nodes[at].count = 1 + static_cast<uint32_t>(random()) % kCount;
      ASSERT_RT_OK(change(added[at], nodes[at]));
    } else if (what == 3 && !closed) {
      ASSERT_RT_OK(rtStreamWaitFence(gate, ++value, streams[random() % 3]));
      closed = true;
    } else if (what == 4 && closed) {
      ASSERT_RT_OK(rtFenceSignal(value, gate));
      closed = false;
    } else {
      ASSERT_RT_OK(rtGraphLaunch(exec_, streams[random() % 3]));
      for (const Node& node : nodes) run(node);
    }
  }
  ASSERT_RT_OK(rtFenceSignal(value, gate));
  for (Stream& stream : streams) ASSERT_RT_OK(rtStreamSynchronize(stream));
  EXPECT_EQ(rows(), values_);
  ASSERT_RT_OK(exec_.reset());
  ASSERT_RT_OK(graph_.reset());
}

TEST_P(OpenClReplayTest, RandomLaunchesAndChangesDoWhatTheKernelsDoOneByOne) {
  for (uint32_t seed = 1; seed <= 10 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_RT_OK(rtGraphDestroy(graph_.release()));
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    launchAndChangeAtRandom(seed);
  }
}

// A launch that is held back keeps its nodes; of the next ones those alone are made that change.
TEST_P(OpenClReplayTest, AChangeAfterALaunchThatIsHeldBackMakesOneKernel) {
  std::vector<Node> nodes;
  for (uint32_t i = 0; i < 6; ++i) nodes.push_back({0, 1, 2 * i + 1, kCount});
  const std::vector<rtGraphNode_t> added = line(6);
  for (int i = 0; i < 2; ++i) {
    for (const Node& node : nodes) run(node);
  }
  const auto kernelsOf = [&](size_t at, uint32_t factor) {
    nodes[at].factor = factor;
    calls::startCounting();
    EXPECT_RT_OK(change(added[at], nodes[at]));
    calls::stopCounting();
    return calls::count("clCreateKernel");
  };
  const auto launchAll = [&] {
    EXPECT_RT_OK(rtGraphLaunch(exec_, stream_));
    for (const Node& node : nodes) run(node);
  };
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  launchAll();
  EXPECT_EQ(kernelsOf(2, 11), 1u);
  EXPECT_EQ(kernelsOf(2, 13), 0u) << "no other launch has the new one";
  EXPECT_EQ(kernelsOf(3, 15), 1u);
  launchAll();
  EXPECT_EQ(kernelsOf(2, 17), 1u);
  launchAll();
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(rows(), values_);
  EXPECT_EQ(kernelsOf(4, 19), 0u) << "no launch is held back";
  launchAll();
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(rows(), values_);
}

// Neither does such a change make the next launch wait for what is after the one before.
TEST_P(OpenClReplayTest, AChangeAfterALaunchThatIsHeldBackKeepsTheOrder) {
  const std::vector<rtGraphNode_t> added = line(4);
  Stream other;
  Fence gate, after;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtFenceCreate(gate.out(), 0, context_));
  ASSERT_RT_OK(rtFenceCreate(after.out(), 0, context_));
  for (uint64_t round = 1; round < 10; ++round) {
    ASSERT_RT_OK(rtStreamWaitFence(gate, round, stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtStreamWaitFence(after, round, stream_));
    ASSERT_RT_OK(change(added[1], {0, 1, static_cast<uint32_t>(round), kCount}));
    ASSERT_RT_OK(rtGraphLaunch(exec_, other));
    ASSERT_RT_OK(rtStreamSignalFence(after, round, other));
    ASSERT_RT_OK(rtFenceSignal(round, gate));
    ASSERT_RT_OK(rtStreamSynchronize(other));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
}

TEST_P(OpenClReplayTest, ALaunchThatIsHeldBackOutlivesItsExec) {
  Gate gate(context_);
  std::mt19937 random(4);
  std::vector<Node> nodes;
  for (uint32_t i = 0; i < 8; ++i) {
    nodes.push_back(randomNode(random));
    (void)add(nodes.back());
  }
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(exec_.reset());
  ASSERT_RT_OK(rtGraphDestroy(graph_.release()));
  ASSERT_RT_OK(module_.reset());
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (const Node& node : nodes) run(node);
  EXPECT_EQ(rows(), values_);
}

// Between two launches the memory behind an address may have become another root, which an argument with the same address must
// not hide.
TEST_P(OpenClReplayTest, MemoryThatComesAgainAtItsAddressIsBoundAnew) {
  rtGraphBuffer_t buffer = nullptr;
  ASSERT_RT_OK(rtGraphAddBuffer(&buffer, kRow, RT_GRAPH_BUFFER_OUTPUT, "bound", graph_));
  for (uint32_t i = 0; i < 5; ++i) {
    const Node node{0, 1, 1, kCount};
    Params made;
    fillIn(&made, node, at(buffer, 0), at(rows_.as(kRow)));
    rtGraphNode_t added = nullptr;
    ASSERT_RT_OK(rtGraphAddKernelNode(&added, &made.params, nullptr, RT_INFERRED, graph_));
  }
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_));
  rtMemPool_t pool = nullptr;
  ASSERT_RT_OK(rtContextGetDefaultPool(&pool, context_));
  for (uint32_t round = 0; round < 5; ++round) {
    Memory memory;
    ASSERT_RT_OK(rtMalloc(memory.out(), (4 + round) << 20, context_));
    ASSERT_RT_OK(rtMemset(memory, 0, kRow));
    ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, memory, exec_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    std::vector<uint32_t> seen(kCount);
    ASSERT_RT_OK(rtMemcpy(seen.data(), memory, kRow, RT_MEMCPY_DEFAULT));
    for (uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(seen[i], values_[kCount + i] * 5) << round << ", " << i;
    ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, rows_, exec_));
    ASSERT_RT_OK(memory.reset());
    ASSERT_RT_OK(rtMemPoolTrim(0, pool));
  }
}

}  // namespace
}  // namespace rttest
