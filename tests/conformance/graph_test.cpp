// Graphs: what a node takes, how it is ordered, what is refused, and how long things live that a graph names.
#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

void countRelease(void* user) { ++*static_cast<int*>(user); }
void noFunction(void*, rtStatus_t) {}
rtStatus_t noNative(const uint64_t*, void*) { return RT_SUCCESS; }

class GraphTest : public DeviceTest {
 protected:
  static constexpr size_t kSize = 4096;
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 57;  // of a buffer
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    ASSERT_RT_OK(rtMalloc(memory_.out(), kSize, context_));
  }
  void TearDown() override {
    EXPECT_RT_OK(graph_.reset());
    EXPECT_RT_OK(memory_.reset());
    DeviceTest::TearDown();
  }
  static rtGraphOperand_t at(void* pointer) { return {nullptr, 0, pointer}; }
  static rtGraphOperand_t at(rtGraphBuffer_t buffer, uint64_t offset = 0) { return {buffer, offset, nullptr}; }
  rtGraphBuffer_t buffer(uint64_t size, int32_t role = RT_GRAPH_BUFFER_INPUT, const char* name = "b") {
    rtGraphBuffer_t made = nullptr;
    EXPECT_RT_OK(rtGraphAddBuffer(&made, size, role, name, graph_));
    return made;
  }
  using Nodes = std::vector<rtGraphNode_t>;
  rtGraphNode_t empty(const Nodes& before = {}) {
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddEmptyNode(&node, before.data(), static_cast<uint32_t>(before.size()), graph_));
    return node;
  }
  rtStatus_t addFill(rtGraphNode_t* node, const rtGraphOperand_t& dst, uint64_t bytes, uint32_t count = RT_INFERRED) {
    rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
    params.pattern_size = 1;
    params.dst = dst;
    params.count = bytes;
    return rtGraphAddFillNode(node, &params, nullptr, count, graph_);
  }
  rtGraphNode_t fill(const rtGraphOperand_t& dst, uint64_t bytes) {
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(addFill(&node, dst, bytes));
    return node;
  }
  rtGraphNode_t copy(const rtGraphOperand_t& dst, const rtGraphOperand_t& src, uint64_t bytes) {
    rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
    params.dst = dst;
    params.src = src;
    params.size = bytes;
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddMemcpyNode(&node, &params, nullptr, RT_INFERRED, graph_));
    return node;
  }
  using Edges = std::set<std::pair<rtGraphNode_t, rtGraphNode_t>>;
  Edges edges(rtGraph_t graph) {
    uint32_t count = 0;
    EXPECT_RT_OK(rtGraphGetEdges(nullptr, nullptr, 0, &count, graph));
    Nodes from(count), to(count);
    EXPECT_RT_OK(rtGraphGetEdges(from.data(), to.data(), count, &count, graph));
    Edges result;
    for (uint32_t i = 0; i < count; ++i) result.insert({from[i], to[i]});
    EXPECT_EQ(result.size(), count) << "an edge stands twice";
    return result;
  }
  Nodes nodes(rtGraph_t graph) {
    uint32_t count = 0;
    EXPECT_RT_OK(rtGraphGetNodes(nullptr, 0, &count, graph));
    Nodes result(count);
    EXPECT_RT_OK(rtGraphGetNodes(result.data(), count, &count, graph));
    return result;
  }
  static int32_t typeOf(rtGraphNode_t node) {
    int32_t type = RT_GRAPH_NODE_INVALID;
    EXPECT_RT_OK(rtGraphNodeGetType(&type, node));
    return type;
  }
  static bool says(const std::string& words) { return lastMessage().find(words) != std::string::npos; }

  Graph graph_;
  Memory memory_;
};
INSTANTIATE_TEST_SUITE_P(, GraphTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(GraphTest, AGraphIsCountedAndItsPartsAreNot) {
  const uint64_t all = liveHandles();
  Graph other;
  ASSERT_RT_OK(rtGraphCreate(other.out()));
  rtGraphNode_t node = nullptr;
  rtGraphBuffer_t made = nullptr;
  ASSERT_RT_OK(rtGraphAddEmptyNode(&node, nullptr, 0, other));
  ASSERT_RT_OK(rtGraphAddBuffer(&made, 16, RT_GRAPH_BUFFER_INPUT, nullptr, other));
  EXPECT_EQ(liveHandles(), all + 1);
  EXPECT_EQ(liveHandles(RT_HANDLE_GRAPH), 2u);
  EXPECT_RT_OK(other.reset());
  EXPECT_EQ(liveHandles(), all);
}

TEST_P(GraphTest, PartsGoStaleWithTheirGraph) {
  Graph other;
  ASSERT_RT_OK(rtGraphCreate(other.out()));
  rtGraphNode_t node = nullptr;
  rtGraphBuffer_t made = nullptr;
  ASSERT_RT_OK(rtGraphAddEmptyNode(&node, nullptr, 0, other));
  ASSERT_RT_OK(rtGraphAddBuffer(&made, 16, RT_GRAPH_BUFFER_INPUT, nullptr, other));
  const rtGraph_t stale = other.get();
  ASSERT_RT_OK(other.reset());
  int32_t type = 0;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtGraphNodeGetType(&type, node));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtGraphAddEmptyNode(&node, nullptr, 0, stale));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtGraphDestroy(stale));
  rtGraphNode_t mine = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, addFill(&mine, at(made), 16));
  EXPECT_RT_OK(rtGraphDestroy(nullptr));
}

TEST_P(GraphTest, EveryKindOfNodeIsAddedAndTold) {
  Event event;
  Fence fence;
  Graph inner;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  ASSERT_RT_OK(rtGraphCreate(inner.out()));
  rtGraphKernelParams_t kernel = RT_GRAPH_KERNEL_PARAMS_INIT;
  kernel.name = "named";
  rtGraphMemcpy2DParams_t rectangle = RT_GRAPH_MEMCPY_2D_PARAMS_INIT;
  rectangle.dst = at(memory_.as(0));
  rectangle.src = at(memory_.as(2048));
  rectangle.dst_pitch = rectangle.src_pitch = 64;
  rectangle.width = 32;
  rectangle.height = 4;
  rtGraphHostParams_t host = RT_GRAPH_HOST_PARAMS_INIT;
  host.function = noFunction;
  rtGraphNativeParams_t native = RT_GRAPH_NATIVE_PARAMS_INIT;
  native.function = noNative;
  rtGraphChildParams_t child = RT_GRAPH_CHILD_PARAMS_INIT;
  child.graph = inner;
  rtGraphEventParams_t of_event = RT_GRAPH_EVENT_PARAMS_INIT;
  of_event.event = event;
  rtGraphFenceParams_t of_fence = RT_GRAPH_FENCE_PARAMS_INIT;
  of_fence.fence = fence;
  rtGraphNode_t node = nullptr;
  EXPECT_EQ(typeOf(empty()), RT_GRAPH_NODE_EMPTY);
  ASSERT_RT_OK(rtGraphAddKernelNode(&node, &kernel, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_KERNEL);
  EXPECT_EQ(typeOf(copy(at(memory_.as(0)), at(memory_.as(100)), 100)), RT_GRAPH_NODE_MEMCPY);
  ASSERT_RT_OK(rtGraphAddMemcpy2DNode(&node, &rectangle, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_MEMCPY_2D);
  EXPECT_EQ(typeOf(fill(at(memory_.as(0)), 16)), RT_GRAPH_NODE_FILL);
  ASSERT_RT_OK(rtGraphAddHostNode(&node, &host, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_HOST);
  ASSERT_RT_OK(rtGraphAddNativeNode(&node, &native, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_NATIVE);
  ASSERT_RT_OK(rtGraphAddChildGraphNode(&node, &child, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_CHILD_GRAPH);
  ASSERT_RT_OK(rtGraphAddEventRecordNode(&node, &of_event, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_EVENT_RECORD);
  ASSERT_RT_OK(rtGraphAddEventWaitNode(&node, &of_event, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_EVENT_WAIT);
  ASSERT_RT_OK(rtGraphAddFenceSignalNode(&node, &of_fence, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_FENCE_SIGNAL);
  ASSERT_RT_OK(rtGraphAddFenceWaitNode(&node, &of_fence, nullptr, 0, graph_));
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_FENCE_WAIT);
  EXPECT_EQ(nodes(graph_).size(), 12u);
  EXPECT_EQ(nodes(graph_).back(), node) << "nodes come in the order in which they were added";
}

TEST_P(GraphTest, DependenciesAreThoseThatWereGiven) {
  const rtGraphNode_t a = empty(), b = empty({a}), c = empty({a, a}), d = empty({c, b});
  EXPECT_EQ(edges(graph_), (Edges{{a, b}, {a, c}, {b, d}, {c, d}}));
  ASSERT_RT_OK(rtGraphAddDependencies(&b, &c, 1, graph_));
  ASSERT_RT_OK(rtGraphAddDependencies(&b, &c, 1, graph_)) << "one that is there already stays";
  ASSERT_RT_OK(rtGraphRemoveDependencies(&a, &c, 1, graph_));
  EXPECT_EQ(edges(graph_), (Edges{{a, b}, {b, c}, {b, d}, {c, d}}));
  ASSERT_RT_OK(rtGraphAddDependencies(nullptr, nullptr, 0, graph_));
}

TEST_P(GraphTest, ACircleIsRefusedAndNothingIsChanged) {
  const rtGraphNode_t a = empty(), b = empty({a}), c = empty({b}), d = empty();
  const Edges before = edges(graph_);
  const rtGraphNode_t from[] = {d, c}, to[] = {a, a};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddDependencies(from, to, 2, graph_));
  EXPECT_TRUE(says("node 0 (empty)") && says("node 2 (empty)") && says("circle")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddDependencies(&b, &b, 1, graph_));
  EXPECT_EQ(edges(graph_), before);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphRemoveDependencies(&d, &a, 1, graph_));
  EXPECT_TRUE(says("node 3")) << lastMessage();
}

TEST_P(GraphTest, PartsOfAnotherGraphAreRefused) {
  Graph other;
  ASSERT_RT_OK(rtGraphCreate(other.out()));
  rtGraphNode_t foreign = nullptr, node = nullptr;
  rtGraphBuffer_t foreign_buffer = nullptr;
  ASSERT_RT_OK(rtGraphAddEmptyNode(&foreign, nullptr, 0, other));
  ASSERT_RT_OK(rtGraphAddBuffer(&foreign_buffer, 64, RT_GRAPH_BUFFER_INPUT, nullptr, other));
  const rtGraphNode_t mine = empty();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddEmptyNode(&node, &foreign, 1, graph_));
  EXPECT_TRUE(says("another graph")) << lastMessage();
  EXPECT_EQ(node, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddDependencies(&foreign, &mine, 1, graph_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(foreign_buffer), 8));
  EXPECT_TRUE(says("another graph")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddEmptyNode(&node, &mine, 2, graph_)) << "more than there are nodes";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddEmptyNode(&node, nullptr, 1, graph_));
  EXPECT_EQ(nodes(graph_).size(), 1u) << "a refused node is not there";
}

TEST_P(GraphTest, InferredDependenciesFollowWhatIsReadAndWritten) {
  const rtGraphBuffer_t in = buffer(256), out = buffer(256, RT_GRAPH_BUFFER_OUTPUT), other = buffer(256);
  const rtGraphNode_t write = fill(at(in), 128);
  const rtGraphNode_t beside = fill(at(in, 128), 128);
  const rtGraphNode_t read = copy(at(out), at(in), 128);
  const rtGraphNode_t again = copy(at(other), at(in), 128);
  const rtGraphNode_t rewrite = fill(at(in, 64), 16);
  const rtGraphNode_t independent = fill(at(other, 200), 16);
  EXPECT_EQ(edges(graph_), (Edges{{write, read}, {write, again}, {read, rewrite}, {again, rewrite}}));
  (void)beside, (void)independent;
  // A host function may use anything: everything that has nothing after it comes before.
  rtGraphHostParams_t host = RT_GRAPH_HOST_PARAMS_INIT;
  host.function = noFunction;
  rtGraphNode_t function = nullptr;
  ASSERT_RT_OK(rtGraphAddHostNode(&function, &host, nullptr, RT_INFERRED, graph_));
  const rtGraphNode_t last = fill(at(memory_.as(0)), 16);
  const Edges all = edges(graph_);
  for (rtGraphNode_t each : {rewrite, beside, independent}) EXPECT_EQ(all.count({each, function}), 1u);
  EXPECT_EQ(all.count({function, last}), 1u);
  EXPECT_EQ(all.size(), 8u);
}

TEST_P(GraphTest, InferredDependenciesKnowAddresses) {
  const rtGraphNode_t a = fill(at(memory_.as(0)), 100), b = fill(at(memory_.as(100)), 100);
  const rtGraphNode_t c = copy(at(memory_.as(1000)), at(memory_.as(50)), 100);
  EXPECT_EQ(edges(graph_), (Edges{{a, c}, {b, c}}));
}

TEST_P(GraphTest, InferredDependenciesKnowWhatBecameABuffer) {
  const rtGraphNode_t address = fill(at(memory_.as(0)), 64), beside = fill(at(memory_.as(1000)), 64);
  rtGraphBuffer_t made = nullptr;
  ASSERT_RT_OK(rtGraphMakeBuffer(&made, memory_, 64, RT_GRAPH_BUFFER_INPUT, "made", graph_));
  const rtGraphBuffer_t temporary = buffer(64, RT_GRAPH_BUFFER_TEMPORARY);
  const rtGraphNode_t read = copy(at(temporary), at(made), 64);
  EXPECT_EQ(edges(graph_), (Edges{{address, read}, {beside, read}})) << "a buffer may be bound to any address";
  ASSERT_RT_OK(rtGraphRemoveDependencies(&address, &read, 1, graph_));
  const rtGraphNode_t write = fill(at(made), 64);
  EXPECT_EQ(edges(graph_), (Edges{{beside, read}, {address, write}, {read, write}})) << "what was removed leads nowhere";
}

TEST_P(GraphTest, WhatDoesNotFitIsRefusedWhenItIsAdded) {
  const rtGraphBuffer_t small = buffer(100, RT_GRAPH_BUFFER_INPUT, "small");
  const rtGraphBuffer_t constant = buffer(100, RT_GRAPH_BUFFER_CONSTANT, "constant");
  rtGraphNode_t node = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(small), 101));
  EXPECT_TRUE(says("\"small\"") && says("101") && says("100")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(small, 90), 11));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(small, UINT64_MAX), 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(constant), 1));
  EXPECT_TRUE(says("constant")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(memory_.as(kSize - 4)), 5));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(static_cast<void*>(nullptr)), 5));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(small), 0));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, {small, 0, memory_.as(0)}, 1)) << "a buffer and an address";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, {nullptr, 4, memory_.as(0)}, 1)) << "an offset without a buffer";
  rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
  params.dst = at(small, 10);
  params.src = at(small, 0);
  params.size = 11;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddMemcpyNode(&node, &params, nullptr, 0, graph_));
  EXPECT_TRUE(says("overlap")) << lastMessage();
  params.size = 10;
  params.kind = 9;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddMemcpyNode(&node, &params, nullptr, 0, graph_));
  params.kind = RT_MEMCPY_DEFAULT;
  EXPECT_RT_OK(rtGraphAddMemcpyNode(&node, &params, nullptr, 0, graph_));
  rtGraphBuffer_t made = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddBuffer(&made, 0, RT_GRAPH_BUFFER_INPUT, nullptr, graph_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddBuffer(&made, 1, 4, nullptr, graph_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddBuffer(&made, UINT64_MAX - 10, RT_GRAPH_BUFFER_TEMPORARY, nullptr, graph_));
  EXPECT_TRUE(says("18446744073709551605") && says("address space")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddBuffer(&made, kMaxBytes + 1, RT_GRAPH_BUFFER_INPUT, nullptr, graph_));
  EXPECT_RT_OK(rtGraphAddBuffer(&made, kMaxBytes, RT_GRAPH_BUFFER_INPUT, nullptr, graph_));
}

TEST_P(GraphTest, AKernelThatIsGivenIsCheckedAtOnce) {
  if (!acceptsKernels()) GTEST_SKIP() << "the device runs no functions of the program";
  Kernel kernel;
  ASSERT_RT_OK(makeKernel(&kernel, context_, emptyKernel, {kPointerArg, kUintArg, kLocalArg}, "checked"));
  const uint64_t value = 7;
  rtGraphArg_t args[] = {{RT_ARG_POINTER, RT_GRAPH_READ, 0, nullptr, at(memory_.as(0))},
                         {RT_ARG_VALUE, 0, sizeof(uint32_t), &value, {nullptr, 0, nullptr}},
                         {RT_ARG_LOCAL, 0, 64, nullptr, {nullptr, 0, nullptr}}};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = kernel;
  params.args = args;
  params.arg_count = 3;
  rtGraphNode_t node = nullptr;
  EXPECT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  params.arg_count = 2;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  EXPECT_TRUE(says("\"checked\"") && says("takes 3")) << lastMessage();
  params.arg_count = 3;
  args[1].size = 8;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  args[1].size = sizeof(uint32_t);
  std::swap(args[0], args[2]);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  std::swap(args[0], args[2]);
  params.name = "both";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  params.name = nullptr;
  params.group[1] = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  params.group[1] = 1;
  // Another context's kernel: the graph is bound to the first.
  Context second;
  Kernel other;
  ASSERT_RT_OK(rtContextCreate(second.out(), nullptr, device_));
  ASSERT_RT_OK(makeKernel(&other, second, emptyKernel, {kPointerArg, kUintArg, kLocalArg}, "other"));
  params.kernel = other;
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  EXPECT_TRUE(says("\"other\"") && says("\"checked\"")) << lastMessage();
}

TEST_P(GraphTest, ACloneHasPartsOfItsOwn) {
  const rtGraphNode_t a = empty(), b = empty({a});
  Graph clone;
  ASSERT_RT_OK(rtGraphClone(clone.out(), graph_));
  const Nodes copies = nodes(clone);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(edges(clone), (Edges{{copies[0], copies[1]}}));
  EXPECT_EQ(std::count(copies.begin(), copies.end(), a), 0);
  ASSERT_RT_OK(rtGraphRemoveDependencies(&a, &b, 1, graph_));
  EXPECT_EQ(edges(clone).size(), 1u);
  ASSERT_RT_OK(graph_.reset());
  EXPECT_EQ(typeOf(copies[1]), RT_GRAPH_NODE_EMPTY);
}

TEST_P(GraphTest, AChildNeedsEveryBufferBound) {
  Graph inner;
  rtGraphBuffer_t in = nullptr, temporary = nullptr;
  ASSERT_RT_OK(rtGraphCreate(inner.out()));
  ASSERT_RT_OK(rtGraphAddBuffer(&in, 64, RT_GRAPH_BUFFER_INPUT, "inner", inner));
  ASSERT_RT_OK(rtGraphAddBuffer(&temporary, 64, RT_GRAPH_BUFFER_TEMPORARY, "scratch", inner));
  rtGraphChildParams_t params = RT_GRAPH_CHILD_PARAMS_INIT;
  params.graph = inner;
  rtGraphNode_t node = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddChildGraphNode(&node, &params, nullptr, 0, graph_));
  EXPECT_TRUE(says("\"inner\"")) << lastMessage();
  rtGraphBinding_t bindings[] = {{in, at(buffer(64))}, {in, at(buffer(64))}};
  params.bindings = bindings;
  params.binding_count = 2;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddChildGraphNode(&node, &params, nullptr, 0, graph_)) << "bound twice";
  bindings[1].buffer = temporary;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddChildGraphNode(&node, &params, nullptr, 0, graph_)) << "a temporary";
  params.binding_count = 1;
  bindings[0].memory = at(buffer(63));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddChildGraphNode(&node, &params, nullptr, 0, graph_)) << "too small";
  bindings[0].memory = at(memory_.as(0));
  EXPECT_RT_OK(rtGraphAddChildGraphNode(&node, &params, nullptr, 0, graph_));
}

TEST_P(GraphTest, ARecordedRangeBecomesABuffer) {
  (void)fill(at(memory_.as(100)), 50);
  (void)fill(at(memory_.as(1000)), 50);
  rtGraphBuffer_t made = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphMakeBuffer(&made, memory_.as<void>(500), 100, RT_GRAPH_BUFFER_INPUT, "b", graph_));
  EXPECT_TRUE(says("No node")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphMakeBuffer(&made, memory_.as<void>(100), 49, RT_GRAPH_BUFFER_INPUT, "b", graph_));
  EXPECT_TRUE(says("node 0")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphMakeBuffer(&made, memory_.as<void>(0), 400, RT_GRAPH_BUFFER_CONSTANT, "b", graph_));
  ASSERT_RT_OK(rtGraphMakeBuffer(&made, memory_.as<void>(64), 512, RT_GRAPH_BUFFER_INPUT, "made", graph_));
  const std::string dot =
      checkText([&](char* text, size_t size, size_t* needed) { return rtGraphExportDot(text, size, needed, graph_); });
  EXPECT_NE(dot.find("made: input, 512 bytes"), std::string::npos) << dot;
  EXPECT_NE(dot.find("n0 -> b0"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("n1 -> b0"), std::string::npos) << dot;
}

TEST_P(GraphTest, MemoryThatAGraphNamesStaysUntilTheGraphIsGone) {
  const auto poolStats = [&] {
    rtMemPool_t pool = nullptr;
    rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
    EXPECT_RT_OK(rtContextGetDefaultPool(&pool, context_));
    EXPECT_RT_OK(rtMemPoolGetStats(&stats, pool));
    return stats;
  };
  const auto json = [&] {
    rtMemPool_t pool = nullptr;
    EXPECT_RT_OK(rtContextGetDefaultPool(&pool, context_));
    return checkText([&](char* text, size_t size, size_t* needed) { return rtMemPoolDumpJson(text, size, needed, pool); });
  };
  const uint64_t before = liveHandles(RT_HANDLE_ALLOCATION), live_bytes = poolStats().live_bytes;
  Memory named;
  ASSERT_RT_OK(rtMalloc(named.out(), 100'000, context_));
  EXPECT_EQ(poolStats().live_bytes, live_bytes + 100'000);
  EXPECT_NE(json().find("\"size\":100000,\"state\":\"live\""), std::string::npos) << json();
  (void)fill(at(named.as(10)), 100);
  Graph clone;
  ASSERT_RT_OK(rtGraphClone(clone.out(), graph_));
  void* const address = named.get();
  ASSERT_RT_OK(named.reset());
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFree(address)) << "the program has freed it";
  EXPECT_EQ(poolStats().live_bytes, live_bytes);
  EXPECT_NE(json().find("\"size\":100000,\"state\":\"pending\""), std::string::npos) << json();
  rtGraphNode_t node = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, addFill(&node, at(address), 1));
  EXPECT_EQ(liveHandles(RT_HANDLE_ALLOCATION), before) << "freed is not live";
  EXPECT_EQ(poolStats().pending_bytes, 100'000u);
  ASSERT_RT_OK(graph_.reset());
  EXPECT_EQ(poolStats().pending_bytes, 100'000u);
  ASSERT_RT_OK(clone.reset());
  EXPECT_EQ(poolStats().pending_bytes, 0u);
  EXPECT_EQ(poolStats().live_bytes, live_bytes);
  EXPECT_EQ(liveHandles(RT_HANDLE_ALLOCATION), before);
}

TEST_P(GraphTest, ARegistrationThatAGraphNamesIsBusy) {
  if (!has(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  alignas(4096) static unsigned char bytes[8192];
  ASSERT_RT_OK(rtHostRegister(bytes, sizeof bytes, context_));
  (void)fill(at(static_cast<void*>(bytes)), 100);
  EXPECT_RT(RT_ERROR_BUSY, rtHostUnregister(bytes, context_));
  ASSERT_RT_OK(graph_.reset());
  EXPECT_RT_OK(rtHostUnregister(bytes, context_));
}

// Beside a thread whose calls keep what was destroyed readable, and with the last launch in flight or just over.
TEST_P(GraphTest, ARegistrationIsFreeOnceTheGraphsThatNamedItAreDestroyed) {
  if (!has(RT_CAPABILITY_HOST_REGISTER)) GTEST_SKIP() << "the device registers no host memory";
  alignas(4096) static unsigned char bytes[8192];
  Stream stream;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  std::atomic<bool> ends{false};
  std::thread caller([&] {
    rtEvent_t event = nullptr;
    while (!ends) {
      EXPECT_RT_OK(rtEventCreate(&event, nullptr, context_));
      EXPECT_RT_OK(rtEventDestroy(event));
    }
  });
  for (int repeat = 0; repeat < 200 && !HasFailure(); ++repeat) {
    ASSERT_RT_OK(graph_.reset());
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    EXPECT_RT_OK(rtHostRegister(bytes, sizeof bytes, context_));
    (void)fill(at(static_cast<void*>(bytes)), 100);
    if (repeat % 3 != 0) {
      GraphExec exec;
      EXPECT_RT_OK(rtGraphInstantiate(exec.out(), graph_, context_));
      EXPECT_RT_OK(rtGraphLaunch(exec, stream));
      if (repeat % 3 == 1) {
        EXPECT_RT_OK(rtStreamSynchronize(stream));
      }
      EXPECT_RT_OK(exec.reset());
    }
    EXPECT_RT_OK(graph_.reset());
    EXPECT_RT_OK(rtHostUnregister(bytes, context_)) << "repeat " << repeat;
  }
  ends = true;
  caller.join();
}

TEST_P(GraphTest, ObjectsThatAGraphNamesMayBeDestroyed) {
  Event event;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  rtGraphEventParams_t params = RT_GRAPH_EVENT_PARAMS_INIT;
  params.event = event;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddEventWaitNode(&node, &params, nullptr, 0, graph_));
  ASSERT_RT_OK(event.reset());
  EXPECT_EQ(typeOf(node), RT_GRAPH_NODE_EVENT_WAIT);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtGraphAddEventWaitNode(&node, &params, nullptr, 0, graph_));
}

TEST_P(GraphTest, WhatAHostNodeWasGivenIsReleasedOnceWithTheLastGraph) {
  int released = 0;
  rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
  params.user = &released;
  params.release = countRelease;
  rtGraphNode_t node = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddHostNode(&node, &params, nullptr, 0, graph_)) << "no function";
  params.function = noFunction;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddHostNode(&node, &params, nullptr, 1, graph_));
  EXPECT_EQ(released, 0) << "a node that was not added has taken nothing over";
  ASSERT_RT_OK(rtGraphAddHostNode(&node, &params, nullptr, 0, graph_));
  Graph clone;
  ASSERT_RT_OK(rtGraphClone(clone.out(), graph_));
  ASSERT_RT_OK(graph_.reset());
  EXPECT_EQ(released, 0);
  ASSERT_RT_OK(clone.reset());
  EXPECT_EQ(released, 1);
}

// As rtMemcpyAsync refuses them: addresses, and ranges of one buffer.
TEST_P(GraphTest, ACopyOntoItselfIsRefused) {
  rtGraphNode_t node = nullptr;
  rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
  params.size = 100;
  params.dst = params.src = at(memory_.as(0));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddMemcpyNode(&node, &params, nullptr, 0, graph_));
  EXPECT_TRUE(says("overlap")) << lastMessage();
  params.src = at(memory_.as(99));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddMemcpyNode(&node, &params, nullptr, 0, graph_));
  params.src = at(memory_.as(100));
  EXPECT_RT_OK(rtGraphAddMemcpyNode(&node, &params, nullptr, 0, graph_));
  // Rows that lie between each other's do not meet.
  rtGraphMemcpy2DParams_t rows = RT_GRAPH_MEMCPY_2D_PARAMS_INIT;
  rows.dst = at(memory_.as(0));
  rows.src = at(memory_.as(10));
  rows.dst_pitch = rows.src_pitch = 20;
  rows.width = 10;
  rows.height = 5;
  EXPECT_RT_OK(rtGraphAddMemcpy2DNode(&node, &rows, nullptr, 0, graph_));
  rows.width = 11;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddMemcpy2DNode(&node, &rows, nullptr, 0, graph_));
}

}  // namespace
}  // namespace rttest
