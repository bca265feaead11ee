// Plans and execs: a graph does what a serial interpreter does, as often as it is launched; bindings and parameters are
// exchanged; what does not fit is refused; objects that an exec uses may go.
#include "exec_test.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/kernels.h"

namespace rttest {
namespace {

void countCall(void* user, rtStatus_t) { ++*static_cast<std::atomic<int>*>(user); }
void throwOnce(void* user, rtStatus_t) {
  if (static_cast<std::atomic<int>*>(user)->exchange(0) != 0) throw std::runtime_error("boom");
}

INSTANTIATE_TEST_SUITE_P(, ExecTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(ExecTest, RandomGraphsDoWhatASerialInterpreterDoes) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    Model model = randomGraph(seed, 200);
    const rtCapturePlanInfo_t info = planInfo();
    EXPECT_EQ(info.node_count, 200u);
    EXPECT_EQ(info.step_count, 200u);
    EXPECT_GT(info.stream_count, 1u) << "the graph has forks";
    EXPECT_LT(info.level_count, 200u);
    instantiate();
    Memory memory[4];
    for (size_t i = 0; i < 4; ++i) {  // the second one of each role is host memory
      const int32_t kind = i % 2 == 0 ? RT_MEMORY_DEVICE : RT_MEMORY_HOST;
      rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
      options.kind = kind;
      ASSERT_RT_OK(rtMallocWithOptions(memory[i].out(), model.bytes[i].size(), &options, context_));
      ASSERT_RT_OK(rtMemcpy(memory[i], model.bytes[i].data(), model.bytes[i].size(), RT_MEMCPY_DEFAULT));
      ASSERT_RT_OK(rtGraphExecBindBuffer(model.buffers[i], memory[i], exec_));
    }
    for (int round = 0; round < 3; ++round) {
      launch();
      model.run();
      for (size_t i = 0; i < 4; ++i) {
        ASSERT_EQ(contents(memory[i], model.bytes[i].size()), model.bytes[i]) << "buffer " << i << " in round " << round;
      }
    }
    ASSERT_RT_OK(exec_.reset());
  }
}

TEST_P(ExecTest, KernelsRunWithTheirArguments) {
  NEEDS_KERNELS();
  if (!acceptsKernels()) GTEST_SKIP() << "the device runs no functions of the program";
  Kernel iota, affine;
  ASSERT_RT_OK(makeKernel(&iota, context_, iotaKernel, {kPointerArg, kUintArg, kUintArg}, "iota"));
  ASSERT_RT_OK(makeKernel(&affine, context_, affineKernel, {kPointerArg, kUintArg, kUintArg}, "affine"));
  const rtGraphBuffer_t out = buffer(400, RT_GRAPH_BUFFER_OUTPUT, "out");
  const uint32_t count = 100, base = 7, factor = 3;
  rtGraphArg_t args[] = {{RT_ARG_POINTER, RT_GRAPH_WRITE, 400, nullptr, at(out)},
                         {RT_ARG_VALUE, 0, 4, &count, {nullptr, 0, nullptr}},
                         {RT_ARG_VALUE, 0, 4, &base, {nullptr, 0, nullptr}}};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = iota;
  params.args = args;
  params.arg_count = 3;
  params.grid[0] = 10;
  params.group[0] = 10;
  rtGraphNode_t first = nullptr, second = nullptr;
  ASSERT_RT_OK(rtGraphAddKernelNode(&first, &params, nullptr, RT_INFERRED, graph_));
  params.kernel = affine;
  args[0].access = RT_GRAPH_READ | RT_GRAPH_WRITE;
  args[2].value = &factor;
  ASSERT_RT_OK(rtGraphAddKernelNode(&second, &params, nullptr, RT_INFERRED, graph_));
  instantiate();
  ASSERT_RT_OK(iota.reset());  // the exec has leased them
  ASSERT_RT_OK(affine.reset());
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_, exec_));
  const auto expectValues = [&](uint32_t with) {
    launch();
    std::vector<uint32_t> values(count);
    ASSERT_RT_OK(rtMemcpy(values.data(), memory_, 400, RT_MEMCPY_DEFAULT));
    for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(values[i], (base + i) * with + 1);
  };
  expectValues(factor);
  Kernel again;  // a kernel with other arguments in the same place
  ASSERT_RT_OK(makeKernel(&again, context_, affineKernel, {kPointerArg, kUintArg, kUintArg}, "again"));
  const uint32_t other = 5;
  params.kernel = again;
  args[2].value = &other;
  ASSERT_RT_OK(rtGraphExecSetKernelParams(second, &params, exec_));
  expectValues(other);
  params.group[0] = 1u << 30;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetKernelParams(second, &params, exec_));
  expectValues(other);
}

TEST_P(ExecTest, KernelsAreFoundByNameWhenAPlanIsMade) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device loads no modules";
  Module module;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(),
                                        "__kernel void put(__global uint* out, uint base) {\n"
                                        "  out[get_global_id(0)] = base + (uint)get_global_id(0);\n"
                                        "}\n",
                                        nullptr, context_));
  const rtGraphBuffer_t out = buffer(256, RT_GRAPH_BUFFER_OUTPUT, "out");
  const uint32_t base = 11;
  rtGraphArg_t args[] = {{RT_ARG_POINTER, RT_GRAPH_WRITE, 256, nullptr, at(out)},
                         {RT_ARG_VALUE, 0, 4, &base, {nullptr, 0, nullptr}}};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.name = "put";
  params.args = args;
  params.arg_count = 2;
  params.grid[0] = 16;
  params.group[0] = 4;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  CapturePlan plan;
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtCapturePlanCreate(plan.out(), nullptr, graph_, context_));
  EXPECT_TRUE(says("\"put\"") && says("node 0")) << lastMessage();
  rtCapturePlanOptions_t options = RT_CAPTURE_PLAN_OPTIONS_INIT;
  const rtModule_t modules[] = {module};
  options.modules = modules;
  options.module_count = 1;
  ASSERT_RT_OK(rtCapturePlanCreate(plan.out(), &options, graph_, context_));
  ASSERT_RT_OK(rtGraphExecCreate(exec_.out(), plan));
  ASSERT_RT_OK(plan.reset());
  ASSERT_RT_OK(module.reset());
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_, exec_));
  launch();
  std::vector<uint32_t> values(64);
  ASSERT_RT_OK(rtMemcpy(values.data(), memory_, 256, RT_MEMCPY_DEFAULT));
  for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], base + i);
}

TEST_P(ExecTest, TemporariesThatTogetherLeaveTheAddressSpaceAreRefused) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 57;
  CapturePlan plan;
  rtStatus_t status = RT_SUCCESS;
  for (int i = 0; i < 40 && status == RT_SUCCESS; ++i) {
    (void)fill(at(buffer(kMaxBytes, RT_GRAPH_BUFFER_TEMPORARY, "huge")), 1, 16);
    status = rtCapturePlanCreate(plan.out(), nullptr, graph_, context_);
  }
  EXPECT_EQ(status, RT_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(says("node 32 (fill)") && says("address space")) << lastMessage();
}

TEST_P(ExecTest, APlanTellsItsStepsAndPlacesTemporaries) {
  const rtGraphBuffer_t first = buffer(1000, RT_GRAPH_BUFFER_TEMPORARY, "first");
  const rtGraphBuffer_t middle = buffer(500, RT_GRAPH_BUFFER_TEMPORARY, "middle");
  const rtGraphBuffer_t last = buffer(1000, RT_GRAPH_BUFFER_TEMPORARY, "last");
  const rtGraphBuffer_t out = buffer(500, RT_GRAPH_BUFFER_OUTPUT, "out");
  std::vector<rtGraphNode_t> nodes = {fill(at(first), 1, 500), copy(at(middle), at(first), 500),
                                      copy(at(last), at(middle), 500), copy(at(out), at(last), 500)};
  CapturePlan plan;
  ASSERT_RT_OK(rtCapturePlanCreate(plan.out(), nullptr, graph_, context_));
  rtCapturePlanInfo_t info = RT_CAPTURE_PLAN_INFO_INIT;
  ASSERT_RT_OK(rtCapturePlanGetInfo(&info, plan));
  EXPECT_EQ(info.stream_count, 1u);
  EXPECT_EQ(info.level_count, 4u);
  EXPECT_EQ(info.dependency_count, 3u);
  EXPECT_EQ(info.temporary_bytes_without_reuse, 1024u + 512 + 1024);
  EXPECT_EQ(info.temporary_bytes, 1024u + 512) << "the first and the last are never used at once";
  EXPECT_EQ(info.temporary_bytes_live, 1024u + 512);
  for (uint32_t i = 0; i < 4; ++i) {
    rtCapturePlanStep_t step = RT_CAPTURE_PLAN_STEP_INIT;
    ASSERT_RT_OK(rtCapturePlanGetStep(&step, i, plan));
    EXPECT_EQ(step.node, nodes[i]);
    EXPECT_EQ(step.stream, 0u);
    EXPECT_EQ(step.level, i);
    EXPECT_EQ(step.verdict, RT_VERDICT_NATIVE);
    EXPECT_EQ(step.dependency_count, i == 0 ? 0u : 1u);
    EXPECT_LE(step.memory_offset, 1024u);
  }
  rtCapturePlanStep_t step = RT_CAPTURE_PLAN_STEP_INIT;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtCapturePlanGetStep(&step, 4, plan));
  std::atomic<int> calls{0};
  (void)host(countCall, &calls);
  ASSERT_RT_OK(rtCapturePlanCreate(plan.out(), nullptr, graph_, context_));
  ASSERT_RT_OK(rtCapturePlanGetStep(&step, 4, plan));
  EXPECT_EQ(step.verdict, RT_VERDICT_HOST);
  EXPECT_EQ(step.memory_offset, UINT64_MAX);
}

TEST_P(ExecTest, BuffersAreBoundAnewAndChecked) {
  const rtGraphBuffer_t out = buffer(100, RT_GRAPH_BUFFER_OUTPUT, "the output");
  const rtGraphBuffer_t scratch = buffer(100, RT_GRAPH_BUFFER_TEMPORARY, "scratch");
  (void)fill(at(scratch), 9, 100);
  (void)copy(at(out), at(scratch), 100);
  instantiate();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
  EXPECT_TRUE(says("\"the output\"")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBuffer(scratch, memory_, exec_));
  Memory small;
  ASSERT_RT_OK(rtMalloc(small.out(), 99, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBuffer(out, small, exec_));
  EXPECT_TRUE(says("\"the output\"") && says("99")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBuffer(out, nullptr, exec_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_.as<void>(0), exec_));
  launch();
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_.as<void>(1000), exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBuffer(out, small, exec_)) << "a refused binding changes nothing";
  ASSERT_RT_OK(rtMemset(memory_, 0, 100));
  launch();
  const std::vector<unsigned char> bytes = contents(memory_, kSize);
  for (size_t i = 0; i < kSize; ++i) {
    ASSERT_EQ(bytes[i], i < 100 ? 0 : i >= 1000 && i < 1100 ? 9 : 0xEE) << i;
  }
  Graph other;
  rtGraphBuffer_t foreign = nullptr;
  ASSERT_RT_OK(rtGraphCreate(other.out()));
  ASSERT_RT_OK(rtGraphAddBuffer(&foreign, 16, RT_GRAPH_BUFFER_OUTPUT, nullptr, other));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBuffer(foreign, memory_, exec_));
}

TEST_P(ExecTest, MemoryOfAnotherContextIsRefused) {
  Context context;
  Memory foreign;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtMalloc(foreign.out(), 100, context));
  const rtGraphBuffer_t out = buffer(100, RT_GRAPH_BUFFER_OUTPUT, "out");
  (void)fill(at(out), 9, 100);
  instantiate();
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtGraphExecBindBuffer(out, foreign, exec_));
  Stream stream;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_, exec_));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtGraphLaunch(exec_, stream));
  GraphExec other;
  EXPECT_RT_OK(rtGraphInstantiate(other.out(), graph_, context)) << "a graph of names and buffers knows no context";
}

TEST_P(ExecTest, ParametersAreExchanged) {
  const rtGraphNode_t first = fill(at(memory_.as(0)), 1, 16), second = copy(at(memory_.as(64)), at(memory_.as(0)), 16);
  instantiate();
  launch();
  rtGraphFillParams_t fill_params = fillParams(at(memory_.as(0)), 2, 32);
  ASSERT_RT_OK(rtGraphExecSetFillParams(first, &fill_params, exec_));
  rtGraphMemcpyParams_t copy_params = RT_GRAPH_MEMCPY_PARAMS_INIT;
  copy_params.dst = at(memory_.as(128));
  copy_params.src = at(memory_.as(0));
  copy_params.size = 32;
  ASSERT_RT_OK(rtGraphExecSetMemcpyParams(second, &copy_params, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetFillParams(second, &fill_params, exec_)) << "another kind of node";
  EXPECT_TRUE(says("node 1 (copy)")) << lastMessage();
  copy_params.size = kSize;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetMemcpyParams(second, &copy_params, exec_));
  launch();
  const std::vector<unsigned char> bytes = contents(memory_, 256);
  for (size_t i = 0; i < 256; ++i) {
    ASSERT_EQ(bytes[i], i < 32 ? 2 : i >= 64 && i < 80 ? 1 : i >= 128 && i < 160 ? 2 : 0xEE) << i;
  }
}

TEST_P(ExecTest, AnUpdateTakesTheParametersOfAGraphOfTheSameShape) {
  (void)fill(at(memory_.as(0)), 1, 16);
  (void)copy(at(memory_.as(64)), at(memory_.as(0)), 16);
  instantiate();
  ASSERT_RT_OK(rtGraphCreate(graph_.out()));
  (void)fill(at(memory_.as(0)), 7, 16);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_));
  (void)copy(at(memory_.as(128)), at(memory_.as(0)), 16);
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  launch();
  EXPECT_EQ(contents(memory_.as(128), 1)[0], 7);
  EXPECT_EQ(contents(memory_.as(64), 1)[0], 0xEE);
  ASSERT_RT_OK(rtGraphCreate(graph_.out()));
  (void)fill(at(memory_.as(0)), 8, 16);
  (void)fill(at(memory_.as(0)), 9, 16);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_)) << "another kind of node";
  launch();
  EXPECT_EQ(firstByte(), 7);
}

// Two modules with a kernel "put" each: what it writes tells them apart. Host functions, where no source is built.
class ExecUpdateTest : public ExecTest {
 protected:
  static constexpr uint32_t kCount = 64, kBytes = 4 * kCount;
  void SetUp() override {
    ExecTest::SetUp();
    if (has(RT_CAPABILITY_KERNELS)) {
      const std::string head = "__kernel void put(__global uint* out) { out[get_global_id(0)] = ";
      for (int i = 0; i < 2; ++i) {
        const std::string source = head + (i == 0 ? "7" : "get_global_id(0) * 3 + 1") + "; }";
        ASSERT_RT_OK(rtModuleCreateFromSource(modules_[i].out(), source.c_str(), nullptr, context_));
        ASSERT_RT_OK(rtModuleGetKernel(&puts_[i], "put", modules_[i]));
      }
    } else {
      for (int i = 0; i < 2; ++i) {
        ASSERT_RT_OK(makeKernel(&host_[i], context_, emptyKernel, {kPointerArg}, "put"));
        puts_[i] = host_[i];
      }
    }
  }
  void TearDown() override {
    for (int i = 0; i < 2; ++i) {
      EXPECT_RT_OK(host_[i].reset());
      EXPECT_RT_OK(modules_[i].reset());
    }
    ExecTest::TearDown();
  }
  // Makes graph_ anew: a fill and the kernel, by handle or by name.
  void makeGraph(rtKernel_t kernel, const char* name, uint32_t group = 4) {
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    (void)fill(at(memory_.as(0)), 0xEE, kBytes);
    rtGraphArg_t arg = {RT_ARG_POINTER, RT_GRAPH_WRITE, kBytes, nullptr, at(memory_.as(0))};
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = kernel;
    params.name = name;
    params.args = &arg;
    params.arg_count = 1;
    params.grid[0] = kCount / 4;
    params.group[0] = group;
    rtGraphNode_t node = nullptr;
    ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, RT_INFERRED, graph_));
  }
  void expectRuns(int which) {
    launch();
    if (!runsKernels()) return;
    std::vector<uint32_t> values(kCount);
    ASSERT_RT_OK(rtMemcpy(values.data(), memory_, kBytes, RT_MEMCPY_DEFAULT));
    for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], which == 0 ? 7 : i * 3 + 1) << i;
  }
  Module modules_[2];
  Kernel host_[2];
  rtKernel_t puts_[2] = {};
};

INSTANTIATE_TEST_SUITE_P(, ExecUpdateTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(ExecUpdateTest, AKernelOfTheSameNameInAnotherModuleRunsItsOwnBody) {
  makeGraph(puts_[0], nullptr);
  instantiate();
  expectRuns(0);
  makeGraph(puts_[1], nullptr);
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  expectRuns(1);
  for (int i = 0; i < 3; ++i) {  // launches that are in flight run what they were launched with
    makeGraph(puts_[0], nullptr);
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
    expectRuns(0);
    makeGraph(puts_[1], nullptr);
    ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  }
  EXPECT_RT_OK(modules_[1].reset());  // the exec has leased it
  EXPECT_RT_OK(host_[1].reset());
  expectRuns(1);
  makeGraph(nullptr, "put");
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_)) << "no plan has found a name";
  EXPECT_TRUE(says("node 1 (kernel \"put\")")) << lastMessage();
  makeGraph(puts_[0], nullptr, 1u << 30);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_));
  EXPECT_TRUE(says("node 1 (kernel \"put\")")) << lastMessage();
  expectRuns(1);
}

TEST_P(ExecUpdateTest, ANameIsTheKernelThatThePlanHasFound) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device loads no modules";
  makeGraph(nullptr, "put");
  rtCapturePlanOptions_t options = RT_CAPTURE_PLAN_OPTIONS_INIT;
  const rtModule_t modules[] = {modules_[0]};
  options.modules = modules;
  options.module_count = 1;
  CapturePlan plan;
  ASSERT_RT_OK(rtCapturePlanCreate(plan.out(), &options, graph_, context_));
  ASSERT_RT_OK(rtGraphExecCreate(exec_.out(), plan));
  const auto captured = [&](Graph& graph) {  // a graph of its own, without the plan's modules
    ASSERT_RT_OK(rtStreamBeginCapture(stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  };
  {
    Graph launch;
    GraphExec other;
    captured(launch);
    ASSERT_RT_OK(rtGraphInstantiate(other.out(), launch, context_));
    std::swap(exec_, other);
    expectRuns(0);
    std::swap(exec_, other);
  }
  makeGraph(puts_[1], nullptr);
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  expectRuns(1);
  makeGraph(nullptr, "other");
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_));
  EXPECT_TRUE(says("node 1 (kernel \"other\")")) << lastMessage();
  expectRuns(1);
  makeGraph(nullptr, "put");
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  expectRuns(0);
  captured(graph_);
  instantiate();
  expectRuns(0);
}

TEST_P(ExecTest, AnUpdateReachesIntoChildGraphs) {
  // A graph that fills a temporary and copies it out, in a graph, in a graph.
  const auto make = [&](unsigned char value, size_t to, uint64_t bytes, uint64_t scratch, bool copies) {
    Graph inner, middle;
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    const rtGraphBuffer_t out = buffer(64, RT_GRAPH_BUFFER_OUTPUT, "out");
    const rtGraphBuffer_t temporary = buffer(scratch, RT_GRAPH_BUFFER_TEMPORARY, "scratch");
    (void)fill(at(temporary), value, bytes);
    if (copies) {
      (void)copy(at(out), at(temporary), bytes);
    } else {
      (void)fill(at(out), value, bytes);
    }
    std::swap(inner, graph_);
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    const rtGraphBuffer_t passed = buffer(128, RT_GRAPH_BUFFER_OUTPUT, "passed");
    (void)fill(at(passed, 64), static_cast<unsigned char>(value + 1), 8);
    addChild(inner, out, at(passed));
    std::swap(middle, graph_);
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    (void)fill(at(memory_.as(0)), static_cast<unsigned char>(value + 2), 16);
    addChild(middle, passed, at(memory_.as(to)));
    (void)copy(at(memory_.as(16)), at(memory_.as(to)), 16);
  };
  const auto expectBytes = [&](unsigned char value, size_t to) {
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
    launch();
    const std::vector<unsigned char> bytes = contents(memory_, kSize);
    for (size_t i = 0; i < kSize; ++i) {
      const int wanted = i < 16                        ? value + 2
                         : i < 32                      ? value
                         : i - to < 32                 ? value
                         : i - to >= 64 && i - to < 72 ? value + 1
                                                       : 0xEE;
      ASSERT_EQ(bytes[i], wanted) << i;
    }
  };
  make(10, 256, 32, 64, true);
  instantiate();
  expectBytes(10, 256);
  make(20, 1024, 32, 64, true);  // parameters inside, and what is bound
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  expectBytes(20, 1024);
  make(30, 256, 32, 64, false);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_)) << "a copy inside is a fill";
  EXPECT_TRUE(says("node 1 (graph): node 1 (graph): The node 1 (fill)")) << lastMessage();
  make(30, 256, 32, 65, true);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_)) << "a temporary inside is larger";
  EXPECT_TRUE(says("node 1 (graph): node 1 (graph): ")) << lastMessage();
  expectBytes(20, 1024);
  // As part of a captured launch: with what has been changed.
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
  instantiate();
  expectBytes(20, 1024);
}

TEST_P(ExecTest, AnUpdateKeepsTemporariesToThoseThatUsedThem) {
  const auto make = [&](bool swapped) {
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    const rtGraphBuffer_t one = buffer(64, RT_GRAPH_BUFFER_TEMPORARY, "one");
    const rtGraphBuffer_t two = buffer(64, RT_GRAPH_BUFFER_TEMPORARY, "two");
    const rtGraphFillParams_t first = fillParams(at(one), 1, 16), second = fillParams(at(swapped ? one : two), 1, 16);
    rtGraphNode_t before = nullptr, after = nullptr;  // in a row: the temporaries share memory
    ASSERT_RT_OK(rtGraphAddFillNode(&before, &first, nullptr, 0, graph_));
    ASSERT_RT_OK(rtGraphAddFillNode(&after, &second, &before, 1, graph_));
  };
  make(false);
  instantiate();
  make(true);
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtGraphExecUpdate(graph_, exec_));
  EXPECT_TRUE(says("node 1 (fill)") && says("temporary")) << lastMessage();
  make(false);
  EXPECT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  launch();
}

TEST_P(ExecTest, ParametersKeepTemporariesToThoseThatUsedThem) {
  const rtGraphBuffer_t one = buffer(64, RT_GRAPH_BUFFER_TEMPORARY, "one"), two = buffer(64, RT_GRAPH_BUFFER_TEMPORARY, "two");
  const rtGraphNode_t node = fill(at(one), 1, 16);
  (void)copy(at(memory_.as(0)), at(one), 16);
  (void)fill(at(two), 2, 16);
  instantiate();
  rtGraphFillParams_t params = fillParams(at(two), 3, 16);
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtGraphExecSetFillParams(node, &params, exec_));
  EXPECT_TRUE(says("The fill uses a temporary of 64 bytes")) << lastMessage();
  params = fillParams(at(one), 3, 16);
  EXPECT_RT_OK(rtGraphExecSetFillParams(node, &params, exec_));
  launch();
  EXPECT_EQ(firstByte(), 3);
}

TEST_P(ExecTest, LaunchesFromTwoStreamsRunOneAfterAnother) {
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  std::atomic<int> calls{0};
  (void)host(countCall, &calls);
  instantiate();
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, other));
  EXPECT_EQ(rtStreamQuery(other), RT_NOT_READY) << "the second launch waits for the first one";
  EXPECT_EQ(calls.load(), 0);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(other));
  EXPECT_EQ(calls.load(), 2);
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(ExecTest, ThreadsMayLaunchOneExecAtTheSameTime) {
  constexpr int kThreads = 4, kLaunches = 25;
  std::atomic<int> calls{0};
  (void)fill(at(memory_.as(0)), 1, 16);
  (void)fill(at(memory_.as(64)), 2, 16);
  (void)host(countCall, &calls);
  instantiate();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      Stream mine;
      EXPECT_RT_OK(rtStreamCreate(mine.out(), nullptr, context_));
      for (int i = 0; i < kLaunches; ++i) EXPECT_RT_OK(rtGraphLaunch(exec_, mine));
      EXPECT_RT_OK(rtStreamSynchronize(mine));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls.load(), kThreads * kLaunches);
}

TEST_P(ExecTest, WhatAnExecUsesMayGoWhileItRuns) {
  const uint64_t before = liveHandles(RT_HANDLE_ALLOCATION);
  Memory source;
  ASSERT_RT_OK(rtMalloc(source.out(), 100, context_));
  ASSERT_RT_OK(rtMemset(source, 5, 100));
  (void)copy(at(memory_.as(0)), at(source.as(0)), 100);
  (void)fill(at(memory_.as(200)), 6, 100);
  instantiate();
  ASSERT_RT_OK(source.reset());
  ASSERT_RT_OK(graph_.reset());
  EXPECT_EQ(liveHandles(RT_HANDLE_ALLOCATION), before) << "the exec holds the memory, which is pending";
  Stream stream;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream));
  ASSERT_RT_OK(stream.reset());
  ASSERT_RT_OK(exec_.reset());
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(firstByte(), 5);
  EXPECT_EQ(contents(memory_.as(200), 1)[0], 6);
  EXPECT_EQ(liveHandles(RT_HANDLE_ALLOCATION), before);
}

TEST_P(ExecTest, AFailureIsToldOnceAndTheExecGoesOn) {
  std::atomic<int> failing{1};
  (void)fill(at(memory_.as(0)), 1, 16);
  rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
  params.function = throwOnce;
  params.user = &failing;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddHostNode(&node, &params, nullptr, 0, graph_)) << "beside the fill: on a stream of the exec";
  (void)fill(at(memory_.as(64)), 2, 16);
  instantiate();
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(stream_));
  EXPECT_EQ(failing.load(), 0);
  ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
  launch();
  EXPECT_EQ(firstByte(), 1);
  EXPECT_EQ(contents(memory_.as(64), 1)[0], 2);
}

TEST_P(ExecTest, EventsAndFencesAreRecordedAndSignalledByEachLaunch) {
  Event event;
  Fence fence;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory_, 3, 16, stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
  EXPECT_RT(RT_ERROR_CAPTURE_UNSAFE, rtEventQuery(event));
  instantiate();
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  EXPECT_EQ(rtEventQuery(event), RT_NOT_READY);
  ASSERT_RT_OK(rtFenceSignal(1, fence));
  ASSERT_RT_OK(rtEventSynchronize(event));
  EXPECT_EQ(firstByte(), 3);
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(ExecTest, ACaptureIsReplayed) {
  static unsigned char host_bytes[64];
  std::fill(std::begin(host_bytes), std::end(host_bytes), static_cast<unsigned char>(1));
  Stream other;
  Event fork, join;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(fork.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(join.out(), nullptr, context_));
  std::atomic<int> calls{0};
  void* own = nullptr;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtMallocAsync(&own, 64, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(own, host_bytes, 64, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtEventRecord(fork, stream_));
  ASSERT_RT_OK(rtStreamWaitEvent(fork, other));
  ASSERT_RT_OK(rtMemcpyAsync(memory_, own, 32, RT_MEMCPY_DEFAULT, other));
  ASSERT_RT_OK(rtMemcpyAsync(memory_.as(32), own, 32, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtLaunchHostFunction(countCall, &calls, other));
  ASSERT_RT_OK(rtEventRecord(join, other));
  ASSERT_RT_OK(rtStreamWaitEvent(join, stream_));
  ASSERT_RT_OK(rtFreeAsync(own, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, nullptr)) << "the captured stream's context";
  ASSERT_RT_OK(graph_.reset());
  for (int round = 1; round <= 3; ++round) {
    std::fill(std::begin(host_bytes), std::end(host_bytes), static_cast<unsigned char>(round * 10));
    launch();
    EXPECT_EQ(contents(memory_, 64), std::vector<unsigned char>(64, static_cast<unsigned char>(round * 10)));
    EXPECT_EQ(calls.load(), round);
  }
}

TEST_P(ExecTest, ACapturedLaunchBecomesAChild) {
  const rtGraphBuffer_t out = buffer(16, RT_GRAPH_BUFFER_OUTPUT, "out");
  const rtGraphBuffer_t scratch = buffer(16, RT_GRAPH_BUFFER_TEMPORARY, "scratch");
  (void)fill(at(scratch), 4, 16);
  (void)copy(at(out), at(scratch), 16);
  instantiate();
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_, exec_));
  Graph outer;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory_, 1, 64, stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(memory_.as(128), memory_, 64, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(outer.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), outer, context_));
  EXPECT_EQ(firstByte(), 0xEE);
  launch();
  const std::vector<unsigned char> bytes = contents(memory_, 192);
  for (size_t i = 0; i < 64; ++i) ASSERT_EQ(bytes[128 + i], i < 16 ? 4 : 1) << i;
}

TEST_P(ExecTest, ChildGraphsAreTakenApart) {
  Graph inner;
  std::swap(inner, graph_);
  ASSERT_RT_OK(rtGraphCreate(graph_.out()));
  const rtGraphBuffer_t in = buffer(16, RT_GRAPH_BUFFER_INPUT, "in");
  const rtGraphBuffer_t result = buffer(16, RT_GRAPH_BUFFER_OUTPUT, "result");
  const rtGraphBuffer_t scratch = buffer(16, RT_GRAPH_BUFFER_TEMPORARY, "scratch");
  (void)copy(at(scratch), at(in), 16);
  (void)copy(at(result), at(scratch), 16);
  std::swap(inner, graph_);
  const rtGraphBuffer_t outside = buffer(64, RT_GRAPH_BUFFER_OUTPUT, "outside");
  rtGraphChildParams_t params = RT_GRAPH_CHILD_PARAMS_INIT;
  params.graph = inner;
  params.binding_count = 2;
  (void)fill(at(outside), 8, 16);
  for (uint64_t i = 0; i < 3; ++i) {  // three times, each time with what the last one has left
    const rtGraphBinding_t bindings[] = {{in, at(outside, 16 * i)}, {result, at(outside, 16 * i + 16)}};
    params.bindings = bindings;
    rtGraphNode_t node = nullptr;
    ASSERT_RT_OK(rtGraphAddChildGraphNode(&node, &params, nullptr, RT_INFERRED, graph_));
  }
  const rtCapturePlanInfo_t info = planInfo();
  EXPECT_EQ(info.node_count, 4u);
  EXPECT_EQ(info.step_count, 7u);
  EXPECT_EQ(info.temporary_bytes, 256u) << "the three children use one place, one after another";
  instantiate();
  ASSERT_RT_OK(rtGraphExecBindBuffer(outside, memory_, exec_));
  launch();
  EXPECT_EQ(contents(memory_, 64), std::vector<unsigned char>(64, 8));
}

TEST_P(ExecTest, AnEmptyGraphRuns) {
  instantiate();
  launch();
  launch();
}

TEST_P(ExecTest, PlansAndExecsAreCountedAndEndWithTheirContext) {
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  const uint64_t before = liveHandles();
  rtCapturePlan_t plan = nullptr;
  rtGraphExec_t exec = nullptr;
  ASSERT_RT_OK(rtCapturePlanCreate(&plan, nullptr, graph_, context));
  ASSERT_RT_OK(rtGraphExecCreate(&exec, plan));
  EXPECT_EQ(liveHandles(), before + 2);
  ASSERT_RT_OK(context.reset());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtGraphLaunch(exec, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtGraphExecDestroy(exec));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtCapturePlanDestroy(plan));
  EXPECT_RT_OK(rtGraphExecDestroy(nullptr));
  EXPECT_RT_OK(rtCapturePlanDestroy(nullptr));
}

}  // namespace
}  // namespace rttest
