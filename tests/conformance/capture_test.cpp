// Captures: what becomes a node, which streams join, which calls are refused, and how a capture ends well or badly.
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

void countCall(void* user, rtStatus_t) { ++*static_cast<std::atomic<int>*>(user); }
rtStatus_t countNative(const uint64_t*, void* user) {
  ++*static_cast<std::atomic<int>*>(user);
  return RT_SUCCESS;
}

class CaptureTest : public DeviceTest {
 protected:
  static constexpr size_t kSize = 4096;
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtStreamCreate(other_.out(), nullptr, context_));
    ASSERT_RT_OK(rtEventCreate(event_.out(), nullptr, context_));
    ASSERT_RT_OK(rtEventCreate(back_.out(), nullptr, context_));
    ASSERT_RT_OK(rtMalloc(memory_.out(), kSize, context_));
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
  }
  void TearDown() override {
    EXPECT_RT_OK(graph_.reset());
    EXPECT_RT_OK(other_.reset());
    EXPECT_RT_OK(event_.reset());
    EXPECT_RT_OK(back_.reset());
    EXPECT_RT_OK(memory_.reset());
    DeviceTest::TearDown();
  }
  void begin() { ASSERT_RT_OK(rtStreamBeginCapture(stream_)); }
  void end() { ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_)); }
  int32_t stateOf(rtStream_t stream) {
    int32_t state = RT_CAPTURE_INVALID;
    EXPECT_RT_OK(rtStreamIsCapturing(&state, stream));
    return state;
  }
  // The other stream joins after what this one has.
  void fork() {
    ASSERT_RT_OK(rtEventRecord(event_, stream_));
    ASSERT_RT_OK(rtStreamWaitEvent(event_, other_));
  }
  void join() {
    ASSERT_RT_OK(rtEventRecord(back_, other_));
    ASSERT_RT_OK(rtStreamWaitEvent(back_, stream_));
  }
  std::vector<rtGraphNode_t> nodes() {
    uint32_t count = 0;
    EXPECT_RT_OK(rtGraphGetNodes(nullptr, 0, &count, graph_));
    std::vector<rtGraphNode_t> result(count);
    EXPECT_RT_OK(rtGraphGetNodes(result.data(), count, &count, graph_));
    return result;
  }
  std::vector<int32_t> types() {
    std::vector<int32_t> result;
    for (rtGraphNode_t node : nodes()) {
      int32_t type = RT_GRAPH_NODE_INVALID;
      EXPECT_RT_OK(rtGraphNodeGetType(&type, node));
      result.push_back(type);
    }
    return result;
  }
  // As places in the list of nodes.
  std::set<std::pair<size_t, size_t>> edges() {
    const std::vector<rtGraphNode_t> all = nodes();
    uint32_t count = 0;
    EXPECT_RT_OK(rtGraphGetEdges(nullptr, nullptr, 0, &count, graph_));
    std::vector<rtGraphNode_t> from(count), to(count);
    EXPECT_RT_OK(rtGraphGetEdges(from.data(), to.data(), count, &count, graph_));
    std::set<std::pair<size_t, size_t>> result;
    const auto place = [&](rtGraphNode_t node) {
      return static_cast<size_t>(std::find(all.begin(), all.end(), node) - all.begin());
    };
    for (uint32_t i = 0; i < count; ++i) result.insert({place(from[i]), place(to[i])});
    return result;
  }
  unsigned char firstByte() {
    unsigned char byte = 0;
    EXPECT_RT_OK(rtMemcpyAsync(&byte, memory_, 1, RT_MEMCPY_DEFAULT, stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return byte;
  }
  static bool says(const std::string& words) { return lastMessage().find(words) != std::string::npos; }

  Stream other_;
  Event event_, back_;
  Memory memory_;
  Graph graph_;
};
INSTANTIATE_TEST_SUITE_P(, CaptureTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(CaptureTest, EveryKindOfWorkBecomesANodeAndNothingRuns) {
  std::atomic<int> calls{0};
  Fence fence;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  static unsigned char host[256];
  const uint64_t pattern = 7;
  void* made = nullptr;
  begin();
  EXPECT_RT_OK(rtMemcpyAsync(memory_, host, 100, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT_OK(rtMemcpy2DAsync(memory_, 64, host, 32, 16, 4, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT_OK(rtMemsetAsync(memory_, 1, 100, stream_));
  EXPECT_RT_OK(rtMemset2DAsync(memory_, 64, 1, 16, 4, stream_));
  EXPECT_RT_OK(rtMemFillAsync(memory_, &pattern, 8, 4, stream_));
  EXPECT_RT_OK(rtMemPrefetchAsync(memory_, 100, device_, stream_));
  EXPECT_RT_OK(rtLaunchHostFunction(countCall, &calls, stream_));
  EXPECT_RT_OK(rtStreamLaunchNative(countNative, &calls, stream_));
  EXPECT_RT_OK(rtMallocAsync(&made, 1000, stream_));
  EXPECT_RT_OK(rtMemsetAsync(made, 1, 1000, stream_));
  EXPECT_RT_OK(rtFreeAsync(made, stream_));
  EXPECT_RT_OK(rtEventRecord(event_, stream_));
  EXPECT_RT_OK(rtStreamWaitEvent(event_, stream_));
  EXPECT_RT_OK(rtStreamSignalFence(fence, 1, stream_));
  EXPECT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
  end();
  EXPECT_EQ(types(),
            (std::vector<int32_t>{RT_GRAPH_NODE_MEMCPY, RT_GRAPH_NODE_MEMCPY_2D, RT_GRAPH_NODE_FILL, RT_GRAPH_NODE_FILL,
                                  RT_GRAPH_NODE_FILL, RT_GRAPH_NODE_PREFETCH, RT_GRAPH_NODE_HOST, RT_GRAPH_NODE_NATIVE,
                                  RT_GRAPH_NODE_ALLOCATION, RT_GRAPH_NODE_FILL, RT_GRAPH_NODE_FREE, RT_GRAPH_NODE_EVENT_RECORD,
                                  RT_GRAPH_NODE_FENCE_SIGNAL, RT_GRAPH_NODE_FENCE_WAIT}))
      << "a wait for an event of the capture is an edge, no node";
  std::set<std::pair<size_t, size_t>> chain;
  for (size_t i = 1; i < 14; ++i) chain.insert({i - 1, i});
  EXPECT_EQ(edges(), chain) << "one stream is one chain";
  EXPECT_EQ(firstByte(), 0xEE);
  EXPECT_EQ(calls.load(), 0);
  uint64_t value = 9;
  EXPECT_RT_OK(rtFenceGetValue(&value, fence));
  EXPECT_EQ(value, 0u);
}

TEST_P(CaptureTest, ALaunchBecomesANode) {
  if (!acceptsKernels()) GTEST_SKIP() << "the device runs no functions of the program";
  Kernel kernel;
  ASSERT_RT_OK(makeKernel(&kernel, context_, iotaKernel, {kPointerArg, kUintArg, kUintArg}, "iota"));
  begin();
  EXPECT_RT_OK(launchOver(kernel, stream_, 4, 4, memory_.as<void>(), uint32_t{16}, uint32_t{5}));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(kernel, stream_, 4, 4, memory_.as<void>()));
  ASSERT_RT_OK(kernel.reset());
  end();
  EXPECT_EQ(types(), std::vector<int32_t>{RT_GRAPH_NODE_KERNEL});
  EXPECT_EQ(firstByte(), 0xEE);
}

TEST_P(CaptureTest, StreamsThatWaitForCapturedEventsJoin) {
  begin();
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_ACTIVE);
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_NONE);
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, stream_));  // 0
  fork();                                                 // 1
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_ACTIVE);
  ASSERT_RT_OK(rtMemsetAsync(memory_.as(200), 2, 100, other_));   // 2
  ASSERT_RT_OK(rtMemsetAsync(memory_.as(400), 3, 100, stream_));  // 3
  join();                                                         // 4
  ASSERT_RT_OK(rtMemsetAsync(memory_, 4, 100, stream_));          // 5
  end();
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_NONE);
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_NONE);
  EXPECT_EQ(edges(), (std::set<std::pair<size_t, size_t>>{{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 5}}));
}

TEST_P(CaptureTest, StreamsThatWaitForACapturingStreamJoin) {
  begin();
  ASSERT_RT_OK(rtStreamWaitStream(stream_, other_));
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_ACTIVE);
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, other_));
  ASSERT_RT_OK(rtStreamWaitStream(other_, stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory_, 2, 100, stream_));
  end();
  EXPECT_EQ(types(), (std::vector<int32_t>{RT_GRAPH_NODE_FILL, RT_GRAPH_NODE_FILL}));
  EXPECT_EQ(edges(), (std::set<std::pair<size_t, size_t>>{{0, 1}}));
}

TEST_P(CaptureTest, AStreamThatOnlyWaitedNeedNotComeBack) {
  Stream third;
  ASSERT_RT_OK(rtStreamCreate(third.out(), nullptr, context_));
  begin();
  ASSERT_RT_OK(rtStreamWaitStream(stream_, third));  // before the first work: there is nothing to wait for
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, stream_));
  fork();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 2, 100, stream_));
  ASSERT_RT_OK(rtStreamWaitStream(stream_, other_));
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_ACTIVE);
  end();
  EXPECT_EQ(types(), (std::vector<int32_t>{RT_GRAPH_NODE_FILL, RT_GRAPH_NODE_EVENT_RECORD, RT_GRAPH_NODE_FILL}))
      << "nothing is left of the waits";
  for (rtStream_t each : {stream_.get(), other_.get(), third.get()}) {
    EXPECT_EQ(stateOf(each), RT_CAPTURE_NONE);
    EXPECT_RT_OK(rtMemsetAsync(memory_, 5, 100, each));
    EXPECT_RT_OK(rtStreamSynchronize(each));
  }
}

// A record is no work: what counts is what the stream waited for before.
TEST_P(CaptureTest, AStreamThatOnlyWaitedAndRecordedNeedNotComeBack) {
  begin();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, stream_));
  fork();
  ASSERT_RT_OK(rtEventRecord(back_, other_));
  end();
  EXPECT_EQ(types(), (std::vector<int32_t>{RT_GRAPH_NODE_FILL, RT_GRAPH_NODE_EVENT_RECORD, RT_GRAPH_NODE_EVENT_RECORD}));
  GraphExec exec;
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph_, context_));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtEventQuery(back_));
  EXPECT_EQ(firstByte(), 1);
}

TEST_P(CaptureTest, ARecordAfterWorkThatDoesNotComeBackInvalidates) {
  begin();
  fork();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, other_));
  ASSERT_RT_OK(rtEventRecord(back_, other_));
  rtGraph_t graph = nullptr;
  EXPECT_RT(RT_ERROR_CAPTURE_INVALIDATED, rtStreamEndCapture(&graph, stream_));
}

TEST_P(CaptureTest, TheLastNodeOfAStreamThatWaitedStandsForAllThatItWaitsFor) {
  begin();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, stream_));  // 0
  fork();                                                 // 1
  rtGraphNode_t node = nullptr, last = nullptr;
  ASSERT_RT_OK(rtStreamGetCapturedNode(&node, stream_));
  ASSERT_RT_OK(rtStreamGetCapturedNode(&last, other_));
  EXPECT_EQ(node, last) << "the node that it waits for";
  ASSERT_RT_OK(rtMemsetAsync(memory_.as(200), 2, 100, other_));   // 2
  ASSERT_RT_OK(rtMemsetAsync(memory_.as(400), 3, 100, stream_));  // 3
  join();                                                         // 4
  ASSERT_RT_OK(rtStreamGetCapturedNode(&node, stream_));          // 5: two nodes need one that stands for both
  ASSERT_RT_OK(rtStreamGetCapturedNode(&last, stream_));
  EXPECT_EQ(node, last);
  end();
  EXPECT_EQ(types().back(), RT_GRAPH_NODE_EMPTY);
  EXPECT_EQ(nodes().back(), last);
  EXPECT_EQ(edges(), (std::set<std::pair<size_t, size_t>>{{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 5}}));
}

TEST_P(CaptureTest, AStreamThatHasALabelIsNamedByIt) {
  rttest::Stream labelled;
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  snprintf(options.label, sizeof options.label, "copies");
  ASSERT_RT_OK(rtStreamCreate(labelled.out(), &options, context_));
  rttest::Event event;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  begin();
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(rtStreamWaitEvent(event, labelled));
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, labelled));
  rtGraph_t graph = nullptr;
  EXPECT_RT(RT_ERROR_CAPTURE_INVALIDATED, rtStreamEndCapture(&graph, stream_));
  EXPECT_TRUE(says("The stream \"copies\" has joined")) << lastMessage();
}

TEST_P(CaptureTest, AStreamThatDoesNotComeBackInvalidatesAndIsNamed) {
  begin();
  fork();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, other_));
  rtGraph_t graph = reinterpret_cast<rtGraph_t>(1);
  EXPECT_RT(RT_ERROR_CAPTURE_INVALIDATED, rtStreamEndCapture(&graph, stream_));
  char name[32];
  snprintf(name, sizeof name, "%p", static_cast<void*>(other_.get()));
  EXPECT_TRUE(says(name)) << lastMessage();
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_NONE) << "the end leaves the capture in any case";
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_NONE);
  EXPECT_RT_OK(rtMemsetAsync(memory_, 5, 100, other_));
  EXPECT_RT_OK(rtStreamSynchronize(other_));
  EXPECT_EQ(firstByte(), 5);
}

// The table of api.md, line by line; after each the capture goes on.
TEST_P(CaptureTest, SynchronisingAndQueryingACapturingStreamIsUnsafe) {
  begin();
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamSynchronize(stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamSynchronizeFor(0, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamQuery(stream_));
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_ACTIVE);
  end();
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtStreamQuery(stream_));
}

TEST_P(CaptureTest, AskingAboutAnEventOfACaptureIsUnsafeUntilItIsRecordedAgain) {
  Event start;
  ASSERT_RT_OK(rtEventCreate(start.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventRecord(start, stream_));
  const auto refused = [&] {
    float milliseconds = 0;
    int64_t nanoseconds = 0;
    uint64_t timestamp = 0;
    EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtEventSynchronize(event_));
    EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtEventSynchronizeFor(0, event_));
    EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtEventQuery(event_));
    EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtEventElapsedTime(&milliseconds, start, event_));
    EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtEventElapsedNanoseconds(&nanoseconds, event_, start));
    EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtEventGetTimestamp(&timestamp, nullptr, event_));
  };
  begin();
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  refused();
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_ACTIVE);
  EXPECT_RT_OK(rtEventSynchronize(start)) << "an event recorded outside is one as ever";
  end();
  refused();
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamWaitEvent(event_, stream_)) << "nothing has recorded it yet";
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  EXPECT_RT_OK(rtEventSynchronize(event_));
  EXPECT_RT_OK(rtStreamWaitEvent(event_, other_));
}

TEST_P(CaptureTest, FenceOperationsFromTheHostOnItsBehalfAreUnsafe) {
  Fence fence, free;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  ASSERT_RT_OK(rtFenceCreate(free.out(), 0, context_));
  begin();
  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtFenceSignal(1, fence));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtFenceWait(0, fence));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtFenceWaitFor(0, 0, fence));
  EXPECT_RT_OK(rtFenceSignal(1, free)) << "a fence that no capture names is one as ever";
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_ACTIVE);
  end();
  EXPECT_RT_OK(rtFenceSignal(1, fence));
  EXPECT_RT_OK(rtFenceWait(1, fence));
}

TEST_P(CaptureTest, FreeingOutsideMemoryIsUnsafe) {
  Memory outside;
  ASSERT_RT_OK(rtMalloc(outside.out(), 100, context_));
  begin();
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtFreeAsync(outside, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtFreeAsync(&outside, stream_));
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_ACTIVE);
  end();
  EXPECT_EQ(nodes().size(), 0u);
  EXPECT_RT_OK(outside.reset());
}

TEST_P(CaptureTest, WaitingForWhatWasRecordedOutsideIsUnsafe) {
  ASSERT_RT_OK(rtEventRecord(event_, other_));
  begin();
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamWaitEvent(event_, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamWaitStream(other_, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamWaitContext(context_, stream_));
  EXPECT_RT_OK(rtStreamWaitEvent(back_, stream_)) << "never recorded is complete";
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_ACTIVE);
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_NONE);
  end();
  EXPECT_EQ(nodes().size(), 0u);
}

TEST_P(CaptureTest, SynchronousWorkWhoseStreamCapturesIsUnsafe) {
  static unsigned char host[64];
  begin();
  EXPECT_RT_OK(rtMemcpy(host, memory_, 64, RT_MEMCPY_DEFAULT)) << "on the default stream, which does not capture";
  end();
  ASSERT_RT_OK(graph_.reset());
  ASSERT_RT_OK(rtStreamBeginCapture(nullptr));
  EXPECT_EQ(stateOf(nullptr), RT_CAPTURE_ACTIVE);
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtMemcpy(host, memory_, 64, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtMemcpy2D(host, 16, memory_, 32, 16, 4, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtMemset(memory_, 1, 64));
  EXPECT_EQ(stateOf(nullptr), RT_CAPTURE_ACTIVE);
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), nullptr));
  EXPECT_EQ(nodes().size(), 0u);
  EXPECT_RT_OK(rtMemcpy(host, memory_, 64, RT_MEMCPY_DEFAULT));
}

TEST_P(CaptureTest, EverythingElseRunsAtOnceOutside) {
  begin();
  Memory memory;
  Stream made;
  EXPECT_RT_OK(rtMalloc(memory.out(), 64, context_));
  EXPECT_RT_OK(rtStreamCreate(made.out(), nullptr, context_));
  EXPECT_RT_OK(rtMemsetAsync(memory_, 3, 64, other_));
  EXPECT_RT_OK(rtStreamSynchronize(other_));
  EXPECT_RT_OK(rtContextSynchronize(context_));
  EXPECT_RT_OK(rtDeviceSynchronize(device_));
  EXPECT_RT_OK(rtStreamWaitContext(context_, other_));
  unsigned char byte = 0;
  EXPECT_RT_OK(rtMemcpy(&byte, memory_, 1, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(byte, 3);
  EXPECT_RT_OK(memory.reset());
  std::thread([&] {
    EXPECT_RT_OK(rtMemsetAsync(memory_, 4, 64, other_));
    EXPECT_RT_OK(rtStreamSynchronize(other_));
  }).join();
  end();
  EXPECT_EQ(nodes().size(), 0u);
}

TEST_P(CaptureTest, BeginAndEndAnswerWhatIsOutOfPlace) {
  rtGraph_t graph = nullptr;
  rtGraphNode_t node = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamEndCapture(&graph, stream_)) << "it never began";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamGetCapturedNode(&node, stream_));
  begin();
  EXPECT_RT(RT_ERROR_BUSY, rtStreamBeginCapture(stream_));
  EXPECT_RT_OK(rtStreamGetCapturedNode(&node, stream_));
  EXPECT_EQ(node, nullptr);
  fork();
  EXPECT_RT(RT_ERROR_BUSY, rtStreamBeginCapture(other_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamEndCapture(&graph, other_)) << "it only joined";
  EXPECT_TRUE(says("another stream")) << lastMessage();
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_ACTIVE);
  join();
  EXPECT_RT_OK(rtStreamGetCapturedNode(&node, stream_));
  end();
  EXPECT_EQ(nodes().back(), node);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamEndCapture(&graph, stream_)) << "twice";
  begin();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamEndCapture(nullptr, stream_));
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_NONE) << "the end leaves the capture in any case";
}

TEST_P(CaptureTest, TwoCapturesDoNotMix) {
  begin();
  ASSERT_RT_OK(rtStreamBeginCapture(other_));
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamWaitEvent(event_, other_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtStreamWaitStream(stream_, other_));
  Graph second;
  ASSERT_RT_OK(rtStreamEndCapture(second.out(), other_));
  end();
}

TEST_P(CaptureTest, AStreamOfAnotherContextCannotJoin) {
  Context context;
  Stream foreign;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(foreign.out(), nullptr, context));
  begin();
  ASSERT_RT_OK(rtEventRecord(event_, stream_));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtStreamWaitEvent(event_, foreign));
  EXPECT_EQ(stateOf(foreign), RT_CAPTURE_NONE);
  end();
}

TEST_P(CaptureTest, DestroyingAStreamThatJoinedInvalidates) {
  begin();
  fork();
  ASSERT_RT_OK(other_.reset());
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_INVALIDATED);
  EXPECT_RT(RT_ERROR_CAPTURE_INVALIDATED, rtMemsetAsync(memory_, 1, 1, stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_INVALIDATED, rtStreamEndCapture(graph_.out(), stream_));
  EXPECT_EQ(stateOf(stream_), RT_CAPTURE_NONE);
  EXPECT_RT_OK(rtMemsetAsync(memory_, 1, 1, stream_));
}

TEST_P(CaptureTest, DestroyingTheFirstStreamGivesTheOthersFree) {
  begin();
  fork();
  ASSERT_RT_OK(stream_.reset());
  EXPECT_EQ(stateOf(other_), RT_CAPTURE_NONE);
  EXPECT_RT_OK(rtMemsetAsync(memory_, 1, 1, other_));
  EXPECT_RT_OK(rtStreamSynchronize(other_));
}

TEST_P(CaptureTest, DestroyingTheContextEndsAHalfOpenCapture) {
  Context context;
  rtStream_t stream = nullptr;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, context));
  ASSERT_RT_OK(rtStreamBeginCapture(stream));
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 1, other_));
  ASSERT_RT_OK(context.reset());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamEndCapture(graph_.out(), stream));
}

TEST_P(CaptureTest, MemoryOfACaptureIsTheGraphs) {
  const uint64_t before = liveHandles(RT_HANDLE_ALLOCATION);
  void *first = nullptr, *second = nullptr;
  begin();
  ASSERT_RT_OK(rtMallocAsync(&first, 1000, stream_));
  ASSERT_RT_OK(rtMallocAsync(&second, 0, stream_));
  EXPECT_EQ(second, nullptr);
  ASSERT_RT_OK(rtMemsetAsync(first, 1, 1000, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(first, 1, 1001, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(first));
  EXPECT_TRUE(says("graph")) << lastMessage();
  ASSERT_RT_OK(rtFreeAsync(first, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFreeAsync(first, stream_)) << "twice";
  end();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(first));
  EXPECT_EQ(liveHandles(RT_HANDLE_ALLOCATION), before + 1);
  ASSERT_RT_OK(graph_.reset());
  EXPECT_EQ(liveHandles(RT_HANDLE_ALLOCATION), before);
}

TEST_P(CaptureTest, ARecordedRangeBecomesABuffer) {
  begin();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 100, stream_));
  end();
  rtGraphBuffer_t buffer = nullptr;
  EXPECT_RT_OK(rtGraphMakeBuffer(&buffer, memory_, kSize, RT_GRAPH_BUFFER_OUTPUT, "memory", graph_));
}

TEST_P(CaptureTest, AnyThreadMayEndAndThreadsCaptureAtTheSameTime) {
  begin();
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 1, stream_));
  std::thread([&] { EXPECT_RT_OK(rtStreamEndCapture(graph_.out(), stream_)); }).join();
  EXPECT_EQ(nodes().size(), 1u);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        Stream mine;
        Graph graph;
        EXPECT_RT_OK(rtStreamCreate(mine.out(), nullptr, context_));
        EXPECT_RT_OK(rtStreamBeginCapture(mine));
        for (int k = 0; k < 10; ++k) EXPECT_RT_OK(rtMemsetAsync(memory_, k, 1, mine));
        EXPECT_RT_OK(rtStreamEndCapture(graph.out(), mine));
        uint32_t count = 0;
        EXPECT_RT_OK(rtGraphGetNodes(nullptr, 0, &count, graph));
        EXPECT_EQ(count, 10u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(firstByte(), 0xEE);
}

}  // namespace
}  // namespace rttest
