// Native calls in graphs: called once for each exec, recorded, and from then on a part of the native graph.
#include <atomic>
#include <stdexcept>

#include "graph_fixture.h"

namespace rttest {
namespace {

void countCall(void* user, rtStatus_t) { ++*static_cast<std::atomic<int>*>(user); }

// A program's own CUDA calls as a node: four words are set, by a call of the driver on the stream that it is given.
struct NativeFill {
  std::atomic<int> calls{0};
  void* memory = nullptr;
  uint32_t value = 0;
  rtStatus_t status = RT_SUCCESS;
  bool waits = false, throws = false;
  std::atomic<int>* released = nullptr;

  static rtStatus_t run(const uint64_t native[2], void* user) {
    auto& self = *static_cast<NativeFill*>(user);
    ++self.calls;
    void* const stream = reinterpret_cast<void*>(native[0]);
    void* found = nullptr;
    int outcome = 0;
    auto* find = cudaFunction<int(const char*, void**, unsigned, unsigned long long, int*)>("cudaGetDriverEntryPointByVersion");
    if (find("cuMemsetD32Async", &found, 12000, 0, &outcome) != 0) return RT_ERROR_NOT_FOUND;
    using Set = int(uint64_t, unsigned, size_t, void*);
    const int error = reinterpret_cast<Set*>(found)(reinterpret_cast<uintptr_t>(self.memory), self.value, 4, stream);
    if (self.waits) (void)cudaFunction<int(void*)>("cudaStreamSynchronize")(stream);
    if (self.throws) throw std::runtime_error("boom");
    return error == 0 ? self.status : RT_ERROR_DRIVER;
  }
  static void release(void* user) {
    auto& self = *static_cast<NativeFill*>(user);
    if (self.released != nullptr) ++*self.released;
  }
};

class CudaNativeTest : public CudaGraphTest {
 protected:
  rtGraphNode_t native(NativeFill* fill, void* memory, uint32_t value) {
    fill->memory = memory;
    fill->value = value;
    rtGraphNativeParams_t params = RT_GRAPH_NATIVE_PARAMS_INIT;
    params.function = NativeFill::run;
    params.user = fill;
    params.release = fill->released != nullptr ? NativeFill::release : nullptr;
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddNativeNode(&node, &params, nullptr, RT_INFERRED, graph_));
    return node;
  }
};
INSTANTIATE_TEST_SUITE_P(, CudaNativeTest, testing::ValuesIn(cudaDevices(1)));

TEST_P(CudaNativeTest, ACallIsRecordedOnceAndIsPartOfTheGraph) {
  NativeFill native_fill;
  (void)put(memory_.as<char>(0), 5);
  (void)native(&native_fill, memory_.as<char>(0), 77);
  (void)copy(memory_.as<char>(4096), memory_.as<char>(0), 64);
  (void)put(memory_.as<char>(0), 6);
  const Calls calls = callsOf([this] { instantiate(); });
  EXPECT_EQ(native_fill.calls, 1);
  EXPECT_EQ(calls.at("cuStreamBeginCapture"), 1);
  EXPECT_EQ(calls.at("cuGraphAddChildGraphNode"), 1);
  EXPECT_EQ(calls.at("cuGraphInstantiateWithFlags"), 1) << "one graph, with the native call inside";
  for (int i = 0; i < 3; ++i) {
    ASSERT_RT_OK(rtMemset(memory_, 0, 8192));
    EXPECT_EQ(launchCalls(), (Calls{{"cuGraphLaunch", 1}}));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(word(4096), 77u) << "after the first kernel";
    EXPECT_EQ(word(4096 + 16), 5u);
    EXPECT_EQ(word(0), 6u) << "ahead of the second one";
  }
  EXPECT_EQ(native_fill.calls, 1);
}

// Beside a host function: in a cut line, in a graph that is walked over lanes, and in a capture.
TEST_P(CudaNativeTest, WhatIsSubmittedStepByStepIsNotCalledAgainEither) {
  std::atomic<int> called{0};
  for (const int form : {0, 1, 2}) {
    SCOPED_TRACE(form);
    NativeFill native_fill;
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    rtGraphHostParams_t host = RT_GRAPH_HOST_PARAMS_INIT;
    host.function = countCall;
    host.user = &called;
    rtGraphNode_t node = nullptr;
    if (form == 2) {
      native_fill.memory = memory_.as<char>(0);
      native_fill.value = 9;
      ASSERT_RT_OK(rtStreamBeginCapture(stream_));
      ASSERT_RT_OK(rtLaunchHostFunction(countCall, &called, stream_));
      ASSERT_RT_OK(rtStreamLaunchNative(NativeFill::run, &native_fill, stream_));
      ASSERT_RT_OK(rtMemcpyAsync(memory_.as<char>(4096), memory_.as<char>(0), 64, RT_MEMCPY_DEFAULT, stream_));
      EXPECT_EQ(native_fill.calls, 0);
      ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
    } else {
      ASSERT_RT_OK(rtGraphAddHostNode(&node, &host, nullptr, 0, graph_));
      const rtGraphNode_t recorded = native(&native_fill, memory_.as<char>(0), 9);
      (void)copy(memory_.as<char>(4096), memory_.as<char>(0), 64);
      if (form == 1) {  // in a lane of its own
        ASSERT_RT_OK(rtGraphRemoveDependencies(&node, &recorded, 1, graph_));
      }
    }
    instantiate();
    for (int i = 0; i < 3; ++i) {
      ASSERT_RT_OK(rtMemset(memory_, 0, 8192));
      ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
      ASSERT_RT_OK(rtStreamSynchronize(stream_));
      EXPECT_EQ(word(4096), 9u);
    }
    EXPECT_EQ(native_fill.calls, 1);
    ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
    ASSERT_RT_OK(rtMemset(memory_, 0, 8192));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(word(4096), 9u);
    EXPECT_EQ(native_fill.calls, 2) << "the update calls it, the launch does not";
    ASSERT_RT_OK(exec_.reset());
  }
  EXPECT_EQ(called, 12);
}

TEST_P(CudaNativeTest, EachExecAndEachUpdateCallsOnce) {
  NativeFill native_fill;
  rtGraphBuffer_t out = nullptr;
  ASSERT_RT_OK(rtGraphAddBuffer(&out, 64, RT_GRAPH_BUFFER_OUTPUT, "out", graph_));
  (void)native(&native_fill, memory_.as<char>(0), 1);
  rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
  params.dst.buffer = out;
  params.src.pointer = memory_.as<char>(0);
  params.size = 64;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddMemcpyNode(&node, &params, nullptr, RT_INFERRED, graph_));
  instantiate();
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_.as<char>(1024), exec_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, host_, exec_));  // another kind of memory: another native graph
  EXPECT_EQ(native_fill.calls, 1);
  GraphExec second;
  ASSERT_RT_OK(rtGraphInstantiate(second.out(), graph_, context_));
  EXPECT_EQ(native_fill.calls, 2);
  native_fill.value = 2;
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  EXPECT_EQ(native_fill.calls, 3);
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(*host_.as<uint32_t>(0), 2u);
  native_fill.status = RT_ERROR_BUSY;
  EXPECT_RT(RT_ERROR_BUSY, rtGraphExecUpdate(graph_, exec_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));  // as it was
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(CudaNativeTest, WhatFailsOrCannotBeRecordedFailsTheExec) {
  NativeFill native_fill;
  (void)put(memory_.as<char>(0), 5);
  (void)native(&native_fill, memory_.as<char>(0), 1);
  native_fill.status = RT_ERROR_IO;
  EXPECT_RT(RT_ERROR_IO, rtGraphInstantiate(exec_.out(), graph_, context_));
  EXPECT_NE(lastMessage().find("node 1 (native function)"), std::string::npos) << lastMessage();
  native_fill.status = RT_SUCCESS;
  native_fill.waits = true;
  EXPECT_RT(RT_ERROR_CAPTURE_INVALIDATED, rtGraphInstantiate(exec_.out(), graph_, context_));
  EXPECT_NE(lastMessage().find("cannot be part of a graph"), std::string::npos) << lastMessage();
  native_fill.waits = false;
  native_fill.throws = true;
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtGraphInstantiate(exec_.out(), graph_, context_));
  native_fill.throws = false;
  for (const char* call : {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphAddChildGraphNode"}) {
    SCOPED_TRACE(call);
    simulatedCuda().fail(call, 1, 2);
    EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtGraphInstantiate(exec_.out(), graph_, context_));
    EXPECT_EQ(simulatedCuda().live("graph"), 0);
  }
  instantiate();
  EXPECT_EQ(launchCalls(), (Calls{{"cuGraphLaunch", 1}}));
}

// The program gives back what recorded work uses when the last launch is over, not when the exec goes.
TEST_P(CudaNativeTest, ReleasesComeAfterTheLastLaunch) {
  std::atomic<int> released{0};
  NativeFill native_fill;
  native_fill.released = &released;
  (void)native(&native_fill, memory_.as<char>(0), 3);
  instantiate();
  ASSERT_RT_OK(graph_.reset());
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(exec_.reset());
  EXPECT_EQ(released, 0);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(word(0), 3u);
  for (int i = 0; i < 10'000 && released == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace rttest
