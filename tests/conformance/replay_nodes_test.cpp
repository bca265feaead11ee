// Nodes that are no copies, fills or kernels, launched several times: native calls, events, fences. The effect of each launch
// is looked at.
#include <atomic>
#include <thread>

#include "exec_test.h"

namespace rttest {
namespace {

using ReplayNodesTest = ExecTest;
INSTANTIATE_TEST_SUITE_P(, ReplayNodesTest, testing::ValuesIn(deviceNames()), testName);

// A driver that records native work calls the function once; elsewhere each launch calls it, between its neighbours' work.
TEST_P(ReplayNodesTest, ANativeNodeIsReplayedByEachLaunch) {
  constexpr int kLaunches = 4;
  struct Seen {
    std::atomic<int> calls{0};
    rtStatus_t answer = RT_SUCCESS;
  } seen;
  rtGraphNativeParams_t params = RT_GRAPH_NATIVE_PARAMS_INIT;
  params.function = [](const uint64_t*, void* user) -> rtStatus_t {
    auto* all = static_cast<Seen*>(user);
    all->calls.fetch_add(1);
    return all->answer;
  };
  params.user = &seen;
  rtGraphNode_t native = nullptr, after = nullptr;
  const rtGraphNode_t before = fill(at(memory_.get()), 1, 16);
  const rtGraphFillParams_t more = fillParams(at(memory_.get()), 2, 16);
  ASSERT_RT_OK(rtGraphAddNativeNode(&native, &params, &before, 1, graph_));
  ASSERT_RT_OK(rtGraphAddFillNode(&after, &more, &native, 1, graph_));
  instantiate();
  const bool recorded = seen.calls.load() != 0;
  EXPECT_EQ(recorded, GetParam().starts_with("cuda"));
  for (int launch = 1; launch <= kLaunches; ++launch) {
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(firstByte(), 2) << launch;
    EXPECT_EQ(seen.calls.load(), recorded ? 1 : launch);
  }
  if (recorded) return;
  // Its result is the stream's failure, once, and later work is skipped. This is tried many times, as the function may have
  // returned before the rest of the launch is submitted.
  for (int launch = 0; launch < 50 && !HasFailure(); ++launch) {
    seen.answer = launch % 5 == 4 ? RT_SUCCESS : RT_ERROR_LAUNCH_FAILED;
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    EXPECT_EQ(rtStreamSynchronize(stream_), seen.answer);
    EXPECT_EQ(firstByte(), seen.answer == RT_SUCCESS ? 2 : 1) << launch;
  }
}

// Nodes on several streams of the exec, and what follows in the launch's own.
TEST_P(ReplayNodesTest, WhatIsAfterAFailingNodeIsSkippedOnEveryStream) {
  constexpr size_t kPlaces = 4, kBytes = 16;
  rtGraphFenceParams_t params = RT_GRAPH_FENCE_PARAMS_INIT;
  for (int round = 0; round < 50 && !HasFailure(); ++round) {
    Fence fence;
    Graph graph;
    GraphExec exec;
    rtGraphNode_t wait = nullptr, filled = nullptr;
    ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
    ASSERT_RT_OK(rtGraphCreate(graph.out()));
    params.fence = fence;
    params.value = 1;
    const auto add = [&](size_t place, const rtGraphNode_t* dependency) {
      const rtGraphFillParams_t fill = fillParams(at(memory_.as(place * kBytes)), 1, kBytes);
      ASSERT_RT_OK(rtGraphAddFillNode(&filled, &fill, dependency, dependency != nullptr ? 1 : 0, graph));
    };
    add(0, nullptr);
    ASSERT_RT_OK(rtGraphAddFenceWaitNode(&wait, &params, &filled, 1, graph));
    for (size_t place = 1; place < kPlaces; ++place) add(place, &wait);
    ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
    std::thread destroyer;  // every other time the fence ends while the launch is being submitted
    if (round % 2 == 0) destroyer = std::thread([&] { EXPECT_RT_OK(fence.reset()); });
    const rtStatus_t launched = rtGraphLaunch(exec, stream_);
    if (destroyer.joinable()) destroyer.join();
    EXPECT_RT_OK(fence.reset());
    EXPECT_TRUE(launched == RT_SUCCESS || launched == RT_ERROR_INVALID_HANDLE) << rtGetErrorName(launched);
    const rtStatus_t later = rtMemsetAsync(memory_.as(kPlaces * kBytes), 1, kBytes, stream_);
    const rtStatus_t waited = rtStreamSynchronize(stream_);
    EXPECT_TRUE(launched != RT_SUCCESS || waited == RT_ERROR_INVALID_HANDLE) << rtGetErrorName(waited);
    EXPECT_RT_OK(rtContextSynchronize(context_)) << "the failure is told by the stream of the launch alone";
    Stream other;
    ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
    EXPECT_RT_OK(rtStreamWaitContext(context_, other));
    EXPECT_RT_OK(rtStreamSynchronize(other));
    if (launched == RT_SUCCESS) {
      EXPECT_TRUE(later == RT_SUCCESS || later == RT_ERROR_INVALID_HANDLE) << rtGetErrorName(later);
      EXPECT_EQ(contents(memory_.as(kPlaces * kBytes), 1)[0], 0xEE) << "after the launch";
      EXPECT_EQ(firstByte(), 1) << "ahead of the failure";
    }
    for (size_t place = 1; place < kPlaces; ++place) EXPECT_EQ(contents(memory_.as(place * kBytes), 1)[0], 0xEE) << place;
  }
}

// Each launch records the event anew, and the wait node of another exec waits for the record that stands when it is launched.
TEST_P(ReplayNodesTest, EventNodesAreReplayedByEachLaunch) {
  Event event;
  Graph waiting_graph;
  GraphExec waiting;
  Stream other;
  Memory copy;
  rtGraphNode_t wait = nullptr, node = nullptr;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtMalloc(copy.out(), 16, context_));
  rtGraphEventParams_t of_event = RT_GRAPH_EVENT_PARAMS_INIT;
  of_event.event = event;
  const rtGraphNode_t filled = fill(at(memory_.get()), 0, 16);
  ASSERT_RT_OK(rtGraphAddEventRecordNode(&node, &of_event, &filled, 1, graph_));
  instantiate();
  ASSERT_RT_OK(rtGraphCreate(waiting_graph.out()));
  ASSERT_RT_OK(rtGraphAddEventWaitNode(&wait, &of_event, nullptr, 0, waiting_graph));
  rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
  params.dst = at(copy.get());
  params.src = at(memory_.get());
  params.size = 16;
  ASSERT_RT_OK(rtGraphAddMemcpyNode(&node, &params, &wait, 1, waiting_graph));
  ASSERT_RT_OK(rtGraphInstantiate(waiting.out(), waiting_graph, context_));
  for (unsigned char launch = 1; launch <= 4; ++launch) {
    Gate gate(context_);
    const rtGraphFillParams_t changed = fillParams(at(memory_.get()), launch, 16);
    ASSERT_RT_OK(rtGraphExecSetFillParams(filled, &changed, exec_));
    ASSERT_RT_OK(gate.close(stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtGraphLaunch(waiting, other));
    EXPECT_EQ(rtEventQuery(event), RT_NOT_READY) << int{launch};
    EXPECT_EQ(rtStreamQuery(other), RT_NOT_READY) << int{launch};
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(other));
    unsigned char byte = 0;
    ASSERT_RT_OK(rtMemcpy(&byte, copy, 1, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(byte, launch);
    EXPECT_RT_OK(rtEventQuery(event));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
}

// Values only grow: a launch whose value the fence has reached neither waits nor signals a step back. A new graph of higher
// values does both again.
TEST_P(ReplayNodesTest, FenceNodesAreReplayedByEachLaunch) {
  Fence wanted, told;
  ASSERT_RT_OK(rtFenceCreate(wanted.out(), 0, context_));
  ASSERT_RT_OK(rtFenceCreate(told.out(), 0, context_));
  for (uint64_t value = 1; value <= 4; ++value) {
    Graph graph;
    rtGraphNode_t wait = nullptr, filled = nullptr, signal = nullptr;
    rtGraphFenceParams_t params = RT_GRAPH_FENCE_PARAMS_INIT;
    ASSERT_RT_OK(rtGraphCreate(graph.out()));
    params.fence = wanted;
    params.value = value;
    ASSERT_RT_OK(rtGraphAddFenceWaitNode(&wait, &params, nullptr, 0, graph));
    const rtGraphFillParams_t fill = fillParams(at(memory_.get()), static_cast<unsigned char>(value), 16);
    ASSERT_RT_OK(rtGraphAddFillNode(&filled, &fill, &wait, 1, graph));
    params.fence = told;
    ASSERT_RT_OK(rtGraphAddFenceSignalNode(&signal, &params, &filled, 1, graph));
    if (value == 1) {
      ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph, context_));
    } else {
      ASSERT_RT_OK(rtGraphExecUpdate(graph, exec_));
    }
    uint64_t stands = 0;
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    EXPECT_EQ(rtStreamQuery(stream_), RT_NOT_READY) << value;
    ASSERT_RT_OK(rtFenceGetValue(&stands, told));
    EXPECT_EQ(stands, value - 1);
    ASSERT_RT_OK(rtFenceSignal(value, wanted));
    ASSERT_RT_OK(rtFenceWait(value, told));
    EXPECT_EQ(firstByte(), value);
    for (int again = 0; again < 3; ++again) {
      ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
      ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
      ASSERT_RT_OK(rtStreamSynchronize(stream_));
      EXPECT_EQ(firstByte(), value);
      ASSERT_RT_OK(rtFenceGetValue(&stands, told));
      EXPECT_EQ(stands, value);
    }
  }
}

}  // namespace
}  // namespace rttest
