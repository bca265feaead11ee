// Execs as native graphs: which calls of CUDA a launch, a changed step and an exec are, and what is left to single submissions.
// Native graphs go with their execs.
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "graph_fixture.h"

namespace rttest {
namespace {

INSTANTIATE_TEST_SUITE_P(, CudaGraphTest, testing::ValuesIn(cudaDevices(1)));

TEST_P(CudaGraphTest, ALaunchIsOneLaunchOfANativeGraph) {
  for (size_t i = 0; i < 40; ++i) (void)put(memory_.as<char>(64 * i), static_cast<uint32_t>(i));
  (void)copy(host_.as<char>(0), memory_.as<char>(64 * 39), 64);
  (void)copy(memory_.as<char>(4096), host_.as<char>(0), 64);
  (void)fill(memory_.as<char>(8192), "abcd", 4, 16);
  (void)fill(memory_.as<char>(12288), "\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0", 16, 16);
  Calls calls = callsOf([this] { instantiate(); });
  EXPECT_EQ(calls["cuGraphAddKernelNode"], 40);
  EXPECT_EQ(calls["cudaGraphAddMemcpyNode1D"], 2);
  EXPECT_EQ(calls["cuGraphAddMemsetNode"], 2);
  EXPECT_EQ(calls["cuGraphInstantiateWithFlags"], 1);
  EXPECT_EQ(calls["cudaStreamCreateWithPriority"], 0) << "lanes are for walks";
  const Calls one{{"cuGraphLaunch", 1}};
  EXPECT_EQ(launchCalls(), one);
  EXPECT_EQ(launchCalls(), one);
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  EXPECT_EQ(callsOf([&] { EXPECT_RT_OK(rtGraphLaunch(exec_, other)); }), one) << "CUDA keeps launches in order";
  ASSERT_RT_OK(rtStreamSynchronize(other));
  EXPECT_EQ(word(64 * 7), 7u);
  EXPECT_EQ(word(4096), 39u);
  EXPECT_EQ(word(12288 + 8), 1u);
}

TEST_P(CudaGraphTest, ALaunchNeedsNoCurrentContextUnlessTheDriverInsists) {
  (void)put(memory_.as<char>(0), 1);
  instantiate();
  Context other;
  void* const current = contextOfOther(&other);
  const Calls one{{"cuGraphLaunch", 1}};
  const int looks = simulatedCuda().count("cuCtxGetCurrent");
  EXPECT_EQ(launchCalls(), one);
  under(current, [&] { EXPECT_EQ(launchCalls(), one); });
  EXPECT_EQ(simulatedCuda().count("cuCtxGetCurrent"), looks) << "no call asks what is current";
  simulatedCuda().insist_on_current(1);
  EXPECT_EQ(launchCalls(), one);
  under(current, [&] {
    EXPECT_EQ(launchCalls(), (Calls{{"cuGraphLaunch", 2}, {"cuCtxPushCurrent", 1}, {"cuCtxPopCurrent", 1}}));
  });
  simulatedCuda().insist_on_current(0);
  EXPECT_EQ(word(0), 1u);
}

TEST_P(CudaGraphTest, AFailedLaunchIsMadeAgainOnlyWhereAnotherContextMayBeToBlame) {
  (void)put(memory_.as<char>(0), 1);
  instantiate();
  Context other;
  void* const current = contextOfOther(&other);
  const auto launchesAfter = [&](int code, rtStatus_t expected) {
    simulatedCuda().fail("cuGraphLaunch", 1, code);
    return callsOf([&] { EXPECT_RT(expected, rtGraphLaunch(exec_, stream_)) << code; })["cuGraphLaunch"];
  };
  under(current, [&] {
    EXPECT_EQ(launchesAfter(1, RT_ERROR_INVALID_VALUE), 1) << "it may have been launched";
    EXPECT_EQ(launchesAfter(2, RT_ERROR_OUT_OF_MEMORY), 1);
    EXPECT_EQ(launchesAfter(999, RT_ERROR_DRIVER), 1);
    EXPECT_EQ(launchesAfter(201, RT_SUCCESS), 2);  // no context
    EXPECT_EQ(launchesAfter(400, RT_SUCCESS), 2);  // objects of another context
    EXPECT_EQ(launchesAfter(709, RT_SUCCESS), 2);  // the current one was destroyed
    EXPECT_EQ(launchesAfter(700, RT_SUCCESS), 2);  // it is dead
  });
  EXPECT_EQ(launchesAfter(201, RT_ERROR_WRONG_CONTEXT), 1) << "its own was current";
  EXPECT_EQ(launchesAfter(400, RT_ERROR_WRONG_CONTEXT), 1);
  EXPECT_EQ(word(0), 1u);
}

TEST_P(CudaGraphTest, AChangedKernelIsOneCall) {
  const rtGraphNode_t node = put(memory_.as<char>(0), 1);
  (void)put(memory_.as<char>(64), 2);
  instantiate();
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  const KernelParams changed(kernel_, memory_.as<char>(128), 3);
  const Calls calls = callsOf([&] { EXPECT_RT_OK(rtGraphExecSetKernelParams(node, &changed.params, exec_)); });
  EXPECT_EQ(calls, (Calls{{"cuGraphExecKernelNodeSetParams", 1}}));
  EXPECT_EQ(launchCalls(), (Calls{{"cuGraphLaunch", 1}}));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(word(0), 1u);
  EXPECT_EQ(word(64), 2u);
  EXPECT_EQ(word(128), 3u);
}

TEST_P(CudaGraphTest, CopiesChangeInPlaceWhereTheirMemoryIsOfTheSameKind) {
  const rtGraphNode_t node = copy(host_.as<char>(0), memory_.as<char>(0), 64);
  (void)put(memory_.as<char>(0), 5);
  instantiate();
  rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
  params.dst.pointer = host_.as<char>(256);
  params.src.pointer = memory_.as<char>(512);
  params.size = 128;
  Calls calls = callsOf([&] { EXPECT_RT_OK(rtGraphExecSetMemcpyParams(node, &params, exec_)); });
  EXPECT_EQ(calls["cudaGraphExecMemcpyNodeSetParams1D"], 1);
  EXPECT_EQ(calls["cuGraphInstantiateWithFlags"], 0);
  params.dst.pointer = memory_.as<char>(1024);
  calls = callsOf([&] { EXPECT_RT_OK(rtGraphExecSetMemcpyParams(node, &params, exec_)); });
  EXPECT_EQ(calls["cuGraphInstantiateWithFlags"], 1) << "from the device to the device is another graph";
  EXPECT_EQ(launchCalls(), (Calls{{"cuGraphLaunch", 1}}));
}

// A batch of another size: grids, values, the sizes of copies and fills, and smaller buffers. Each is one call of the driver
// that changes a node, the first time and the last. A node that does nothing for one batch is switched off.
TEST_P(CudaGraphTest, BatchesOfChangingSizeAreInstantiatedOnce) {
  constexpr uint64_t kMaxBytes = 4096;
  const auto named = [](rtGraphBuffer_t buffer) { return rtGraphOperand_t{buffer, 0, nullptr}; };
  rtGraphBuffer_t in = nullptr, out = nullptr, scratch = nullptr;
  ASSERT_RT_OK(rtGraphAddBuffer(&in, kMaxBytes, RT_GRAPH_BUFFER_INPUT, "in", graph_));
  ASSERT_RT_OK(rtGraphAddBuffer(&out, kMaxBytes, RT_GRAPH_BUFFER_OUTPUT, "out", graph_));
  ASSERT_RT_OK(rtGraphAddBuffer(&scratch, kMaxBytes, RT_GRAPH_BUFFER_TEMPORARY, "scratch", graph_));
  rtGraphMemcpyParams_t load = RT_GRAPH_MEMCPY_PARAMS_INIT, store = RT_GRAPH_MEMCPY_PARAMS_INIT;
  load.dst = store.src = named(scratch);
  load.src = named(in);
  store.dst = named(out);
  rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
  fill.pattern_size = 4;
  fill.pattern[0] = 9;
  fill.dst = named(scratch);
  KernelParams kernel(kernel_, nullptr, 0);
  kernel.args[0].memory = named(out);
  rtGraphNode_t nodes[4] = {};
  const auto sizes = [&](uint32_t items) {  // 16 words each: half of them filled, the first group's written by the kernel
    load.size = store.size = fill.count = 64 * uint64_t{items};
    fill.count = 8 * uint64_t{items};
    kernel.args[0].size = 64 * uint64_t{items / 2};
    kernel.params.grid[0] = items / 2;
    kernel.value = 1000 + items;
  };
  sizes(64);
  ASSERT_RT_OK(rtGraphAddMemcpyNode(&nodes[0], &load, nullptr, 0, graph_));
  ASSERT_RT_OK(rtGraphAddFillNode(&nodes[1], &fill, &nodes[0], 1, graph_));
  ASSERT_RT_OK(rtGraphAddMemcpyNode(&nodes[2], &store, &nodes[1], 1, graph_));
  ASSERT_RT_OK(rtGraphAddKernelNode(&nodes[3], &kernel.params, &nodes[2], 1, graph_));
  instantiate();
  ASSERT_RT_OK(rtGraphExecBindBuffer(in, memory_.as<char>(0), exec_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_.as<char>(kMaxBytes), exec_));
  for (const uint32_t items : {64u, 5u, 63u, 1u, 2u, 64u}) {
    SCOPED_TRACE(items);
    ASSERT_RT_OK(rtMemset(memory_, 3, 4 * kMaxBytes));
    const uint64_t place = items % 2 == 0 ? kMaxBytes : 2 * kMaxBytes;
    sizes(items);
    const Calls calls = callsOf([&] {
      EXPECT_RT_OK(rtGraphExecBindBufferRange(out, memory_.as<char>(place), 64 * uint64_t{items}, exec_));
      EXPECT_RT_OK(rtGraphExecSetMemcpyParams(nodes[2], &store, exec_));
      EXPECT_RT_OK(rtGraphExecSetKernelParams(nodes[3], &kernel.params, exec_));
      EXPECT_RT_OK(rtGraphExecSetMemcpyParams(nodes[0], &load, exec_));
      EXPECT_RT_OK(rtGraphExecBindBufferRange(in, memory_.as<char>(0), 64 * uint64_t{items}, exec_));
      EXPECT_RT_OK(rtGraphExecSetFillParams(nodes[1], &fill, exec_));
    });
    for (const auto& [name, count] : calls) {
      EXPECT_TRUE(name.find("SetParams") != std::string::npos || name == "cuGraphNodeSetEnabled" ||
                  name == "cudaPointerGetAttributes")
          << name << ", " << count << " times";
    }
    EXPECT_EQ(launchCalls(), (Calls{{"cuGraphLaunch", 1}}));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    for (uint32_t i = 0; i <= 16 * items; ++i) {
      const uint32_t wanted = i / 16 < items / 2 ? 1000 + items : i < 8 * items ? 9 : 0x03030303;
      ASSERT_EQ(word(place + 4 * uint64_t{i}), wanted) << i;
    }
  }
}

// A change that makes the graph anew orders the next launch after the last one, and after nothing that its stream was given
// since: that may wait for the next launch. `held`: the last launch itself is held back.
TEST_P(CudaGraphTest, ALaunchAfterAChangeWaitsForTheLastLaunchAlone) {
  for (const bool held : {false, true}) {
    Graph graph;
    GraphExec exec;
    Fence fence, gate;
    Stream other;
    ASSERT_RT_OK(rtGraphCreate(graph.out()));
    std::swap(graph, graph_);
    const rtGraphNode_t node = copy(host_.as<char>(0), memory_.as<char>(0), 64);
    std::swap(graph, graph_);
    ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
    ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
    ASSERT_RT_OK(rtFenceCreate(gate.out(), 0, context_));
    ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
    ASSERT_RT_OK(rtMemset(memory_.as<char>(0), 3, 64));
    memset(host_.as<char>(0), 0, 64);
    if (held) {
      ASSERT_RT_OK(rtStreamWaitFence(gate, 1, stream_));
    }
    ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
    ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
    rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
    params.dst.pointer = memory_.as<char>(1024);
    params.src.pointer = host_.as<char>(0);  // what the last launch wrote
    params.size = 64;
    ASSERT_RT_OK(rtGraphExecSetMemcpyParams(node, &params, exec));
    ASSERT_RT_OK(rtGraphLaunch(exec, other));
    ASSERT_RT_OK(rtStreamSignalFence(fence, 1, other));
    if (held) {
      EXPECT_RT(RT_NOT_READY, rtStreamQuery(other)) << "the last launch has yet to be made";
      ASSERT_RT_OK(rtFenceSignal(1, gate));
    }
    EXPECT_RT_OK(rtFenceWaitFor(10'000'000'000, 1, fence)) << "the launch waits for what waits for it";
    uint64_t value = 0;
    ASSERT_RT_OK(rtFenceGetValue(&value, fence));
    if (value == 0) {
      ASSERT_RT_OK(rtFenceSignal(1, fence));
    }
    ASSERT_RT_OK(rtStreamSynchronize(other));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(word(1024), 0x03030303u);
  }
}

// A launch is with the device, and the next one is held back and left out by a failure. The work after that one is also after
// the first one, which the driver's order between launches no longer says.
TEST_P(CudaGraphTest, ALaunchThatAFailureLeavesOutIsBehindTheOneThatTheDeviceHas) {
  const auto pass = [](void* flag) {
    while (!static_cast<std::atomic<bool>*>(flag)->load()) std::this_thread::yield();
  };
  constexpr uint64_t kShort = 50'000'000;
  std::atomic<bool> open{false};
  put(memory_.as<char>(0), 5);
  instantiate();
  Stream failed, other;
  ASSERT_RT_OK(rtStreamCreate(failed.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  uint64_t native[2];
  ASSERT_RT_OK(rtStreamGetNative(native, stream_));
  auto* busy = cudaFunction<int(void*, void (*)(void*), void*)>("cudaLaunchHostFunc");
  ASSERT_EQ(busy(reinterpret_cast<void*>(native[0]), pass, &open), 0);
  const struct Opener {  // also where an assertion fails: CUDA's thread looks at the flag
    ~Opener() {
      open = true;
      EXPECT_RT_OK(rtStreamSynchronize(stream));
    }
    std::atomic<bool>& open;
    rtStream_t stream;
  } opener{open, stream_};
  EXPECT_EQ(launchCalls(), (Calls{{"cuGraphLaunch", 1}}));
  rtFence_t fence = nullptr;
  ASSERT_RT_OK(rtFenceCreate(&fence, 0, context_));
  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, failed));
  ASSERT_RT_OK(rtGraphLaunch(exec_, failed));
  ASSERT_RT_OK(rtFenceDestroy(fence));
  while (rtStreamQuery(failed) == RT_NOT_READY) std::this_thread::yield();
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(kShort, failed));
  ASSERT_RT_OK(rtGraphLaunch(exec_, other));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(kShort, other));
  open = true;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(failed));
  (void)rtStreamSynchronize(other);
  EXPECT_EQ(word(0), 5u);
}

TEST_P(CudaGraphTest, AFillThatGrowsIsAnotherGraph) {
  const rtGraphNode_t node = fill(memory_.as<char>(0), "a", 1, 64);
  instantiate();
  rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
  params.dst.pointer = memory_.as<char>(64);
  params.pattern_size = 1;
  params.pattern[0] = 'b';
  params.count = 32;
  Calls calls = callsOf([&] { EXPECT_RT_OK(rtGraphExecSetFillParams(node, &params, exec_)); });
  EXPECT_EQ(calls["cuGraphInstantiateWithFlags"], 0);
  params.count = 4096;
  calls = callsOf([&] { EXPECT_RT_OK(rtGraphExecSetFillParams(node, &params, exec_)); });
  EXPECT_EQ(calls["cuGraphExecMemsetNodeSetParams"], 1);
  EXPECT_EQ(calls["cuGraphInstantiateWithFlags"], 1);
  EXPECT_EQ(launchCalls(), (Calls{{"cuGraphLaunch", 1}}));
  EXPECT_EQ(word(64 + 4092), 0x62626262u);
}

void countCall(void* user, rtStatus_t) { ++*static_cast<std::atomic<int>*>(user); }

TEST_P(CudaGraphTest, HostFunctionsCutALineIntoGraphs) {
  std::atomic<int> called{0};
  rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
  params.function = countCall;
  params.user = &called;
  rtGraphNode_t node = nullptr;
  for (uint32_t part = 0; part < 2; ++part) {
    for (uint32_t i = 0; i < 5; ++i) (void)put(memory_.as<char>(0), 5 * part + i);
    ASSERT_RT_OK(rtGraphAddHostNode(&node, &params, nullptr, RT_INFERRED, graph_));
  }
  instantiate();
  Calls calls = callsOf([&] {
    EXPECT_RT_OK(rtGraphLaunch(exec_, stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
  });
  EXPECT_EQ(calls["cuGraphLaunch"], 2);
  EXPECT_EQ(calls["cuLaunchKernel"], 0);
  EXPECT_EQ(called, 2);
  EXPECT_EQ(word(0), 9u);
}

TEST_P(CudaGraphTest, WhatNodesCannotDoIsSubmitted) {
  std::vector<char> pageable(64, 'p');
  (void)copy(memory_.as<char>(0), pageable.data(), 64);
  (void)fill(memory_.as<char>(0), "12345678", 8, 4);
  instantiate();
  Calls calls = launchCalls();
  EXPECT_EQ(calls["cuGraphLaunch"], 0);
  EXPECT_EQ(calls["cuMemsetD2D32Async"], 2);
  EXPECT_EQ(word(0), 0x34333231u);
  EXPECT_EQ(word(32), 0x70707070u);
}

TEST_P(CudaGraphTest, AnExecMayGoWhileItsLaunchRuns) {
  for (size_t i = 0; i < 20; ++i) (void)put(memory_.as<char>(64 * i), 77);
  for (int round = 0; round < 20; ++round) {
    instantiate();
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(exec_.reset());
  }
  EXPECT_EQ(word(64 * 19), 77u);
}

TEST_P(CudaGraphTest, AFailedLaunchIsTold) {
  (void)put(memory_.as<char>(0), 1);
  instantiate();
  simulatedCuda().fail("cuGraphLaunch", 1, 1);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
  EXPECT_NE(lastMessage().find("cuGraphLaunch"), std::string::npos) << lastMessage();
  simulatedCuda().fail("cuGraphInstantiateWithFlags", 1, 2);
  GraphExec other;
  EXPECT_RT(RT_ERROR_OUT_OF_MEMORY, rtGraphInstantiate(other.out(), graph_, context_));
  EXPECT_RT_OK(rtGraphLaunch(exec_, stream_));
}

}  // namespace
}  // namespace rttest
